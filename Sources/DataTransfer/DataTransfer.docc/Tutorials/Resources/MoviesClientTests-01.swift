import Foundation
import NetworkPipeline
import NetworkTesting
import Testing

@testable import MoviesClient

struct MoviesClientTests {
    let session = StubSessionManager()
    let client: MoviesClient

    init() throws {
        let api = try APIConfiguration("https://api.example.com/3")
        let credentials = RefreshingCredentials(
            initial: .bearer("first")
        ) { _ in .bearer("second") }
        client = MoviesClient(
            configuration: api, credentials: credentials,
            sessionManager: session)
    }

    @Test("the popular movies are those of the requested page")
    func popularMovies() async throws {
        session.enqueue(
            .json(#"{"page": 2, "results": [{"id": 7, "title": "Seven"}]}"#),
            for: "/3/movie/popular")
        #expect(
            try await client.popular(page: 2) == [Movie(id: 7, title: "Seven")])
        let request = try #require(session.requests.first)
        #expect(
            request.url.absoluteString
                == "https://api.example.com/3/movie/popular?page=2")
        #expect(request.headers["Authorization"] == "Bearer first")
    }
}
