import DataTransfer
import Foundation

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")
let endpoint = Endpoint<Movie>(path: "movie/7")
let file = URL(fileURLWithPath: "movie.txt")

// snippet.errors
struct APIError: Error, Decodable { let code: Int; let message: String }

let service = DefaultDataTransferService(
    configuration: api, errorResolver: ErrorBodyResolver<APIError>())

do {
    print(try await service.request(endpoint))
} catch DataTransferError.resolvedNetworkFailure(let error as APIError, _) {
    print("the server says \(error.message)")
} catch DataTransferError.parsing(let failure) {
    print("at \(failure.codingPath): \(failure.reason)")
} catch {
    print(error)
}
// snippet.end

// snippet.resolver
let decoder = TransferJSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
let strict = DefaultDataTransferService(
    configuration: api,
    errorResolver: ErrorBodyResolver<APIError>(decoder: .json(decoder)) {
        $0.statusCode == .unprocessableContent
    },
    decoder: decoder)

do {
    print(try await strict.request(endpoint))
} catch {
    print(error.resolved(as: APIError.self)?.message ?? "\(error)")
}
// snippet.end

// snippet.closure
let task = Task {
    do {
        let movie = try await service.request(endpoint)
        try Data(movie.title.utf8).write(to: file)
    } catch let error as DataTransferError {
        print(error.networkError?.statusCode ?? 0, error)
    } catch {
        print("the file cannot be written: \(error)")
    }
}
// snippet.end
await task.value

// snippet.any
do {
    print(try await service.request(endpoint))
} catch let error where error.statusCode == .notFound {
    print("there is no such movie")
} catch {
    if !error.isCancelled { print(error.isTimeout, error) }
}

switch await service.result(for: endpoint) {
case .success(let movie): print(movie)
case .failure(.parsing(let failure)): print(failure.reason)
case .failure(let error): print(error.isConnectivity, error)
}
// snippet.end

// snippet.questions
func advice(for error: any Error) -> String? {
    if error.isCancelled { return nil }
    if error.isTimeout { return "The server is slow. Please try again." }
    if error.isConnectivity { return "Please check the connection." }
    let code = error.networkError?.transportError?.code
    if error.statusCode == .unauthorized || code == .authenticationFailed {
        return "Please sign in."
    }
    if error.isRetryable { return "Please try again later." }
    return "\(error)"
}
// snippet.end

print(advice(for: CancellationError()) as Any)
