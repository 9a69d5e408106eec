import NetworkPipeline
import NetworkTesting
import Testing

@testable import MoviesClient

struct MoviesServerTests {
    @Test("a refused token is renewed, and the request is sent again")
    func refusedToken() async throws {
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/movie/{id}") { request in
                guard request.headers["Authorization"] == "Bearer second" else {
                    return .status(401)
                }
                return .json(#"{"id": 7, "title": "Seven"}"#)
            }
        }
        let credentials = RefreshingCredentials(
            initial: .bearer("first")
        ) { _ in .bearer("second") }
        let client = MoviesClient(
            configuration: APIConfiguration(baseURL: server.url),
            credentials: credentials)
        #expect(try await client.movie(7).title == "Seven")
        #expect(
            server.requests.map { $0.headers["Authorization"] } == [
                "Bearer first", "Bearer second",
            ])
    }
}
