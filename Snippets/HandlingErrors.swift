import DataTransfer

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")
let endpoint = Endpoint<Movie>(path: "movie/7")

// snippet.errors
struct APIError: Error, Decodable { let code: Int; let message: String }

let service = DefaultDataTransferService(
    configuration: api, networkLogger: .console(level: .error), errorResolver: ErrorBodyResolver<APIError>())

do {
    print(try await service.request(endpoint))
} catch .resolvedNetworkFailure(let error as APIError, _) {
    print("the server says \(error.message)")
} catch .parsing(let failure) {
    print("at \(failure.codingPath): \(failure.reason)")
} catch {
    print(error.isTimeout, error.isConnectivity, error.statusCode as Any, error)
}
// snippet.end
