import DataTransfer

struct Movie: Decodable, Sendable { let id: Int; let title: String }
struct APIError: Error, Decodable { let code: Int; let message: String }

let api = try APIConfiguration("https://api.example.com/3")
let endpoint = Endpoint<Movie>(path: "movie/7")

// snippet.errors
let service = DefaultDataTransferService(configuration: api, errorResolver: ErrorBodyResolver<APIError>())
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
