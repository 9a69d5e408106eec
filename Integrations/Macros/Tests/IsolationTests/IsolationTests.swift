import DataTransferMacros
import Foundation
import NetworkTesting
import Testing

@Suite struct IsolationTests {
    private let session = StubSessionManager()

    private func service() throws -> any DataTransferService {
        session.enqueue(.json(#"{"id": 7, "title": "Seven"}"#), for: "/movie/7")
        return DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.example.com"), sessionManager: session)
    }

    @Test func `a struct that is isolated to the main actor is called on it`() async throws {
        #expect(try await IsolatedMovies(service()).movie().id == 7)
    }

    @Test func `it can be called by other tasks, through its protocol too`() async throws {
        let movies = IsolatedMovies(try service())
        let movie = try await Task.detached { try await Self.first(of: movies) }.value
        #expect(movie.id == 7)
    }

    @Test func `endpoints are not isolated`() async throws {
        let path = await Task.detached { IsolatedMovies.Endpoints.movie(id: 7).path }.value
        #expect(path == "movie/{id}")
    }

    @Test func `a struct that is not isolated is called by any task`() async throws {
        let service = try service()
        #expect(try await Task.detached { try await FreeMovies(service).movie().id }.value == 7)
    }

    @Test func `the completion may be isolated to the main actor`() async throws {
        let movies = IsolatedMovies(try service())
        let movie = try await withCheckedThrowingContinuation { continuation in
            movies.movie { @MainActor result in
                MainActor.assertIsolated()
                continuation.resume(with: result)
            }
        }
        #expect(movie.title == "Seven")
    }

    private nonisolated static func first(of movies: some IsolatedMoviesProtocol) async throws -> Movie {
        try await movies.movie(id: 7, token: nil)
    }
}
