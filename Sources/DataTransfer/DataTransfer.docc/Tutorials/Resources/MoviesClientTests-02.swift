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

    @Test("a refusal has the message of the server")
    func refusal() async throws {
        session.enqueue(
            .json(
                #"{"code": 34, "message": "the title is taken"}"#, status: 409),
            for: "/3/movie", method: .post)
        await #expect(
            throws: MoviesError.refused(code: 34, message: "the title is taken")
        ) {
            try await client.add(title: "Seven")
        }
    }

    @Test("a movie that does not exist is not found")
    func missingMovie() async throws {
        session.enqueue(
            .json(#"{"code": 1, "message": "no such movie"}"#, status: 404),
            for: "/3/movie/9")
        await #expect(throws: MoviesError.notFound) {
            try await client.movie(9)
        }
    }
}
