import NetworkPipeline
import NetworkTesting
import Testing

@testable import MoviesClient

/// Counts the requests that a route has received.
actor Counter {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

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

    @Test("a body that is cut short is requested again")
    func cutShort() async throws {
        let counter = Counter()
        let server = try LoopbackServer {
            LoopbackRoute(.get, "/movie/{id}") { _ in
                let movie = LoopbackResponse.json(
                    #"{"id": 7, "title": "Seven"}"#)
                return await counter.next() == 1
                    ? movie.fault(.truncateBody(after: 10)) : movie
            }
        }
        let client = MoviesClient(
            configuration: APIConfiguration(baseURL: server.url),
            credentials: RefreshingCredentials { _ in .bearer("first") },
            retry: RetryOptions(backoff: Backoff(base: .milliseconds(1))))
        #expect(try await client.movie(7).title == "Seven")
        #expect(server.requestCount == 2)
    }
}
