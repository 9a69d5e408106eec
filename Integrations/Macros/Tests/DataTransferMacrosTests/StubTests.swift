import DataTransferMacros
import Testing

/// Code under test: it knows the protocol only.
struct Titles: Sendable {
    let movies: any MoviesProtocol

    func title(of id: Movie.ID) async throws -> String {
        try await movies.movie(id: id).title
    }
}

@Suite struct StubTests {
    @Test func `a stub calls its closure`() async throws {
        var stub = MoviesStub()
        stub.onMovie = { id in Movie(id: id, title: "Seven") }
        let titles = Titles(movies: stub)
        #expect(try await titles.title(of: 7) == "Seven")
    }

    @Test func `closures can be passed to the initializer`() async throws {
        let titles = Titles(movies: MoviesStub(onMovie: { Movie(id: $0, title: "Seven") }))
        #expect(try await titles.title(of: 7) == "Seven")
    }

    @Test func `a closure that is not set throws an error with the name of the call`() async throws {
        let error = await #expect(throws: UnstubbedCall.self) { try await MoviesStub().popular() }
        #expect(error?.description == "MoviesStub.popular(page:language:) was called, but its closure is not set")
    }
}
