import DataTransfer
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkTesting

struct Movie: Codable, Sendable { var id: Int; var title: String }
struct Trade: Decodable, Sendable { let price: Double }
struct Receipt: Decodable, Sendable { let id: Int }

let film = URL(fileURLWithPath: "/tmp/metropolis.mp4")
let pieces = AsyncStream<Data> { $0.finish() }
let authority = URL(fileURLWithPath: "/etc/example/authority.pem")

// snippet.get
let api = try APIConfiguration(
    "https://api.example.com", headers: ["Accept-Language": "en"])
let service = DefaultDataTransferService(configuration: api)
let timeouts = RequestTimeouts(total: .seconds(30))
let movie = try await service.request(
    Endpoint<Movie>(path: "movie/7", timeouts: timeouts))
// snippet.end

// snippet.raw
let session = DefaultSessionManager()
let bare = try await session.response(for: NetworkRequest(url: api.baseURL))
print(bare.statusCode, bare.headers["Content-Type"] ?? "", bare.data.count)
// snippet.end

// snippet.query
let search = Endpoint<[Movie]>(
    path: "search", headerParameters: ["X-Region": "DE"],
    queryParameters: ["q": "c++ & co", "page": 1])
let found = try await service.request(search)
// snippet.end

// snippet.post
let add = Endpoint<Movie>(
    path: "movie", method: .post, body: .json(Movie(id: 8, title: "Sunrise")))
let added = try await service.request(add)
// snippet.end

// snippet.upload
let films = Endpoint<Receipt>(path: "films", method: .post)
let streamed = try await service.upload(
    .stream(pieces, contentType: "video/mp4"), to: films)

var form = MultipartForm()
form.append("Metropolis", name: "title")
form.append(.file(film), name: "film")
let receipt = try await service.upload(.multipart(form), to: films)
// snippet.end

// snippet.stream
let body = try await session.stream(for: NetworkRequest(url: api.baseURL)).body
for try await chunk in body { print(chunk.count) }

let trades = try await service.stream(
    Endpoint<Void>(path: "trades"), as: .ndjson(Trade.self))
for try await trade in trades { print(trade.price) }
// snippet.end

// snippet.download
let progress = ProgressMonitor { state in
    print(state.bytesReceived, state.totalBytesToReceive ?? 0)
}
let file = try await service.download(
    Endpoint<Void>(path: "films/7"), to: film, progress: progress)
print(file.byteCount, file.resumedFrom)
// snippet.end

// snippet.client
let client = DefaultSessionManager(
    configuration: SessionConfiguration {
        $0.connectTimeout = .seconds(5)
        $0.idleTimeout = .seconds(15)
        $0.maximumConnectionsPerHost = 32
        $0.maximumRedirects = 5
        $0.trust = TrustPolicy(roots: .pem(.file(authority)))
        $0.proxy = .none
        $0.eventLoops = 2
    })
let tuned = DefaultDataTransferService(
    configuration: api, sessionManager: client)
print(try await tuned.request(Endpoint<Movie>(path: "movie/7")))
let report = await client.close(grace: .seconds(10))
// snippet.end

// snippet.retry
let pipeline = RequestPipeline {
    $0.authentication = .authentication(
        .basic(user: "reader", password: "…"), for: api)
    $0.retry = .retry(RetryOptions(maximumAttempts: 4))
    $0.deadline = .seconds(20)
}
let patient = DefaultDataTransferService(
    configuration: api, interceptors: pipeline.interceptors)
// snippet.end

// snippet.errors
do {
    print(try await service.request(Endpoint<Movie>(path: "movie/7")))
} catch DataTransferError.networkFailure(.status(let response)) {
    print("status \(response.statusCode), \(response.data.count) bytes")
} catch DataTransferError.networkFailure(.timedOut(let error)) {
    print("no response in time, while \(error.phase?.rawValue ?? "waiting")")
} catch {
    print(error.isConnectivity, error.isCancelled, error)
}
// snippet.end

// snippet.metrics
let observed = DefaultDataTransferService(
    configuration: api,
    interceptors: [
        .observation { event in
            print(event.exchange, event.target, event.kind)
        }
    ],
    networkLogger: .console(level: .debug))
let response = try await observed.response(
    for: Endpoint<Movie>(path: "movie/7"))
print(
    response.timings.firstByte ?? .zero, response.timings.total,
    response.timings.isReusedConnection ?? false)
// snippet.end

// snippet.test
let server = try LoopbackServer {
    LoopbackRoute(.get, "/movie/{id}") { _ in
        .json(#"{"id": 7, "title": "Seven"}"#)
    }
    LoopbackRoute(.get, "/cut") { _ in
        LoopbackResponse.text("hello").fault(.truncateBody(after: 3))
    }
}
let local = DefaultDataTransferService(
    configuration: APIConfiguration(baseURL: server.url))
// snippet.end

print(movie, found, added, streamed, receipt, report, patient, local)
