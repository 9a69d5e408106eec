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
    Route(.get, "/movie/{id}") { _ in .json(#"{"id": 7, "title": "Seven"}"#) }
    Route(.get, "/cut") { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
}
let local = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
// snippet.end

print(try await service.request(Endpoint<Movie>(path: "movie/7")), session.requests)
print(try await local.request(Endpoint<Movie>(path: "movie/7")), server.requests)
