import DataTransferMacros
import Foundation

// The samples of the README that are not tests.

func callMovies(_ service: any DataTransferService) async throws {
    let movies = Movies(service)
    let popular = try await movies.popular(language: "en")
    let movie = try await service.request(Movies.Endpoints.movie(id: 7))
    print(popular.count, movie.title)
}

@API(.completions)
struct Albums {
    @POST("albums/{album}/photos", timeout: .seconds(60), priority: .low)
    func upload(
        album: Int, @Part("photo") file: URL, @Part caption: String? = nil,
        @Query notify: Bool = false
    ) async throws -> Movie
    @PATCH("albums/{id}", isIdempotent: true)
    func rename(id: Int, title: String) async throws
    @POST("login", encoding: .form, requiresAuthentication: false)
    func logIn(name: String, password: String) async throws -> Movie
    @STREAM("log", as: .lines()) func log() async throws -> ValueStream<String>

    func all() -> PageSequence<Endpoint<[Movie]>> {
        service.pages(of: Movies.Endpoints.popular(), by: .linkHeader)
    }
}

func renameOnMainActor(_ albums: Albums) {
    albums.rename(id: 7, title: "Summer") { @MainActor result in
        print(result)
    }
}
