import DataTransfer
import Foundation
import NetworkCache
import NetworkPipeline
import NetworkTesting
import NetworkURLSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct Movie: Codable, Sendable { var id: Int; var title: String }
struct Receipt: Decodable, Sendable { let id: Int }
struct APIError: Error, Decodable { let code: Int; let message: String }

let film = URL(fileURLWithPath: "/tmp/metropolis.mp4")
let token = "…"

// snippet.get
let api = try APIConfiguration(
    "https://api.example.com/3", headers: ["Accept-Language": "en"])
let service = DefaultDataTransferService(configuration: api)
let endpoint = Endpoint<Movie>(path: "movie/{id}", pathParameters: ["id": 7])
let movie = try await service.request(endpoint)
// snippet.end

// snippet.query
let search = Endpoint<[Movie]>(
    path: "search", headerParameters: ["X-Region": "DE"],
    queryParameters: ["q": "c++ & co", "page": 1], keyPath: "results")
let found = try await service.request(search)
// snippet.end

// snippet.existing
var old = URLRequest(url: api.baseURL.appendingPathComponent("movie/7"))
old.setValue("en", forHTTPHeaderField: "Accept-Language")
let converted = try NetworkRequest(old)
let raw = try await DefaultSessionManager.shared.response(for: converted)
print(raw.statusCode, raw.data.count)

let request = try endpoint.urlRequest(with: api)
print(request.httpMethod ?? "GET", request.allHTTPHeaderFields ?? [:])
// snippet.end

// snippet.post
let add = Endpoint<Movie>(
    path: "movie", method: .post, body: .json(Movie(id: 8, title: "Sunrise")))
let added = try await service.request(add)
// snippet.end

// snippet.form
var form = MultipartForm()
form.append("Metropolis", name: "title")
form.append(.file(film), name: "film")
let receipt = try await service.upload(
    .multipart(form), to: Endpoint<Receipt>(path: "films", method: .post))
// snippet.end

// snippet.download
let progress = ProgressMonitor { state in print(state.fractionReceived ?? 0) }
let file = try await service.download(
    Endpoint<Void>(path: "films/7"), to: film, progress: progress)
print(file.byteCount, file.resumedFrom)
// snippet.end

// snippet.stream
let lines = try await service.stream(Endpoint<Void>(path: "log"), as: .lines())
for try await line in lines { print(line) }
// snippet.end

// snippet.retry
let pipeline = RequestPipeline {
    $0.authentication = .authentication(.bearer(token), for: api)
    $0.retry = .retry(RetryOptions(maximumAttempts: 4))
    $0.deadline = .seconds(20)
}
let patient = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
// snippet.end

// snippet.errors
do {
    print(try await service.request(endpoint))
} catch DataTransferError.networkFailure(.status(let response)) {
    print("status \(response.statusCode), \(response.data.count) bytes")
} catch DataTransferError.parsing(let failure) {
    print("at \(failure.codingPath): \(failure.reason)")
} catch {
    print(error.isTimeout, error.isConnectivity, error.isCancelled)
}
// snippet.end

// snippet.cancel
let task = Task { try await service.request(endpoint) }
task.cancel()

let handle = service.request(endpoint, on: DispatchQueue.main) { result in
    print(result)
}
handle.cancel()
// snippet.end

// snippet.test
let stubs = StubSessionManager()
stubs.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
let tested = DefaultDataTransferService(
    configuration: api, sessionManager: stubs)
// snippet.end

// snippet.metrics
let response = try await service.response(for: endpoint)
print(
    response.timings.connect ?? .zero, response.timings.firstByte ?? .zero,
    response.timings.total)

let logged = DefaultDataTransferService(
    configuration: api, networkLogger: .console(level: .debug))
// snippet.end

// snippet.session
let session = DefaultSessionManager(
    configuration: SessionConfiguration {
        $0.idleTimeout = .seconds(15)
        $0.totalTimeout = .seconds(300)
        $0.cookies = .separate
    })
let cached = DefaultDataTransferService(
    configuration: api, sessionManager: session,
    interceptors: [CacheInterceptor()])
// snippet.end

print(movie, found, added, receipt, patient, tested, logged, cached)
