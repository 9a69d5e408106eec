import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting

struct Movie: Codable, Sendable { var id: Int; var title: String }
struct Receipt: Decodable, Sendable { let id: Int }
struct APIError: Error, Decodable { let code: Int; let message: String }
struct Tokens: Sendable {
    func current() async throws -> String { "…" }
    func renewed() async throws -> String { "…" }
}

let film = URL(fileURLWithPath: "/tmp/metropolis.mp4")
let tokens = Tokens()

// snippet.get
let api = try APIConfiguration(
    "https://api.example.com", headers: ["Accept-Language": "en"])
let service = DefaultDataTransferService(configuration: api)
let movie = try await service.request(Endpoint<Movie>(path: "movie/7"))
// snippet.end

// snippet.query
let search = Endpoint<[Movie]>(
    path: "search", headerParameters: ["X-Region": "DE"],
    queryParameters: ["q": "noir", "page": 1, "year": nil])
let found = try await service.request(search)
// snippet.end

// snippet.post
let add = Endpoint<Movie>(
    path: "movie", method: .post, body: .json(Movie(id: 8, title: "Sunrise")))
let added = try await service.request(add)

try await service.request(Endpoint<Void>(path: "movie/8", method: .delete))
// snippet.end

// snippet.static
extension Endpoint where Response == [Movie] {
    static func popular(page: Int) -> Self {
        Endpoint(
            path: "movie/popular", queryParameters: ["page": page],
            keyPath: "results")
    }
}

let popular = try await service.request(.popular(page: 1))
// snippet.end

// snippet.upload
let progress = ProgressMonitor { state in print(state.fractionSent ?? 0) }
let films = Endpoint<Receipt>(path: "films", method: .post)
let receipt = try await service.upload(
    .file(film, contentType: "video/mp4"), to: films, progress: progress)

var form = MultipartForm()
form.append("Metropolis", name: "title")
form.append(.file(film), name: "film")
let received = try await service.upload(.multipart(form), to: films)
// snippet.end

// snippet.download
let receiving = ProgressMonitor { state in print(state.fractionReceived ?? 0) }
let file = try await service.download(
    Endpoint<Void>(path: "films/7"), to: film, progress: receiving)
print(file.byteCount, file.resumedFrom)
// snippet.end

// snippet.delegate
let credentials = RefreshingCredentials { old in
    .bearer(
        old == nil ? try await tokens.current() : try await tokens.renewed())
}
let pipeline = RequestPipeline {
    $0.authentication = .authentication(credentials, for: api)
    $0.retry = .retry(RetryOptions(maximumAttempts: 3))
}
let signedIn = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors,
    errorResolver: ErrorBodyResolver<APIError>())
// snippet.end

// snippet.coders
let encoder = TransferJSONEncoder()
encoder.keyEncodingStrategy = .convertToSnakeCase
let decoder = TransferJSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
let snakes = DefaultDataTransferService(
    configuration: api, encoder: encoder, decoder: decoder)
// snippet.end

// snippet.errors
do {
    print(try await signedIn.request(Endpoint<Movie>(path: "movie/7")))
} catch DataTransferError.resolvedNetworkFailure(let error as APIError, _) {
    print("the server says \(error.message)")
} catch DataTransferError.parsing(let failure) {
    print("at \(failure.codingPath): \(failure.reason)")
} catch {
    print(error.statusCode ?? 0, error.isTimeout, error.isCancelled, error)
}
// snippet.end

// snippet.metrics
let response = try await service.response(for: Endpoint<Movie>(path: "movie/7"))
print(
    response.value, response.statusCode, response.headers["ETag"] ?? "",
    response.timings.total)

let logged = DefaultDataTransferService(
    configuration: api, networkLogger: .console(level: .debug))
// snippet.end

// snippet.test
let stubs = StubSessionManager()
stubs.enqueue(
    .json(#"{"id": 7, "title": "Seven"}"#), for: "/movie/7", method: .get)
let tested = DefaultDataTransferService(
    configuration: api, sessionManager: stubs)
// snippet.end

print(movie, found, added, popular, receipt, received, snakes, logged, tested)
