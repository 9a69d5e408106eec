import Foundation
import NetworkCache
import NetworkPipeline
import NetworkRecordings
import NetworkTesting

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration("https://api.example.com/3")

// snippet.stub
let session = StubSessionManager()
session.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
let service = DefaultDataTransferService(
    configuration: api, sessionManager: session)
// snippet.end

// snippet.sent
session.enqueue(
    .json(#"{"id": 8, "title": "Sunrise"}"#, status: 201), for: "/3/movie",
    method: .post)
let add = Endpoint<Movie>(
    path: "movie", method: .post, body: .json(["title": "Sunrise"]))
print(try await service.request(add))

if let sent = session.requests.last {
    assert(sent.method == .post && sent.url.query() == nil)
    assert(sent.headers[.contentType] == "application/json")
    let body = try JSONDecoder().decode(
        [String: String].self, from: sent.body?.data ?? Data())
    assert(body == ["title": "Sunrise"])
}
// snippet.end

// snippet.time
let clock = ManualClock()
let timed = DefaultDataTransferService(
    configuration: api, sessionManager: session,
    interceptors: [
        .deadline(.seconds(10), clock: clock), RetryInterceptor(clock: clock),
    ])
// snippet.end

// snippet.server
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

// snippet.recovering
let recovering = try LoopbackServer {
    LoopbackRoute(
        .get, "/movie/{id}", inOrder: .text("busy", status: 503),
        .json(#"{"id": 7, "title": "Seven"}"#)
            .header("max-age=60", for: "Cache-Control"))
}
// snippet.end

// snippet.file
let fixtures = StubFixtures(folder: "Fixtures")
session.enqueue(
    try .file("movie", in: fixtures, headers: ["Cache-Control": "max-age=60"]),
    for: "/3/movie/8")
// snippet.end

// snippet.recorded
let recorded = try RecordedSession(
    "Fixtures/movies.har", mode: .once, live: DefaultSessionManager())
let offline = DefaultDataTransferService(
    configuration: api, sessionManager: recorded)
// snippet.end

// snippet.har
let recording = RecordingSessionManager(DefaultSessionManager())
let watched = DefaultDataTransferService(
    configuration: api, sessionManager: recording)
print(try await watched.request(Endpoint<Movie>(path: "movie/7")))
try recording.save(to: URL(fileURLWithPath: "movies.har"))

let replay = try ReplaySessionManager(
    contentsOf: URL(fileURLWithPath: "movies.har"),
    options: ReplayOptions(ignoredQueryItems: ["at"]),
    fallback: DefaultSessionManager())
// snippet.end

print(
    try await offline.request(Endpoint<Movie>(path: "movie/7")), replay.unused)
print(
    try await service.request(Endpoint<Movie>(path: "movie/7")),
    session.requests)
print(
    try await local.request(Endpoint<Movie>(path: "movie/7")), server.requests,
    recovering.url, timed)
