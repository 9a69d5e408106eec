import DataTransfer
import NetworkTesting

struct Movie: Codable, Sendable { let id: Int; let title: String }

let session = StubSessionManager()
session.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/3/movie/7")
let api = try APIConfiguration("https://api.example.com/3")
let service = DefaultDataTransferService(
    configuration: api, sessionManager: session)

let movie = try await service.request(Endpoint<Movie>(path: "movie/7"))
assert(movie.title == "Seven" && session.requests.count == 1)
