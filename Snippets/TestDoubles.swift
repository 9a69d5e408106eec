import Foundation
import NetworkTesting

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")

// snippet.stub
let session = StubSessionManager()
session.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
let service = DefaultDataTransferService(configuration: api, sessionManager: session)
// snippet.end

// snippet.server
let server = try LoopbackServer {
    LoopbackRoute(.get, "/movie/{id}") { _ in .json(#"{"id": 7, "title": "Seven"}"#) }
    LoopbackRoute(.get, "/cut") { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
}
let local = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
// snippet.end

// snippet.file
session.enqueue(try .file("movie", in: StubFixtures(bundle: .main), headers: ["Cache-Control": "max-age=60"]), for: "/3/movie/8")
// snippet.end

// snippet.recorded
let recorded = try RecordedSession("Fixtures/movies.har", mode: .once, live: DefaultSessionManager())
let offline = DefaultDataTransferService(configuration: api, sessionManager: recorded)
// snippet.end

// snippet.har
let recording = RecordingSessionManager(DefaultSessionManager())
let watched = DefaultDataTransferService(configuration: api, sessionManager: recording)
print(try await watched.request(Endpoint<Movie>(path: "movie/7")))
try recording.save(to: URL(fileURLWithPath: "movies.har"))

let replay = try ReplaySessionManager(
    contentsOf: URL(fileURLWithPath: "movies.har"),
    options: ReplayOptions(ignoredQueryItems: ["at"]), fallback: DefaultSessionManager())
// snippet.end

print(try await offline.request(Endpoint<Movie>(path: "movie/7")), replay.unused)
print(try await service.request(Endpoint<Movie>(path: "movie/7")), session.requests)
print(try await local.request(Endpoint<Movie>(path: "movie/7")), server.requests)
