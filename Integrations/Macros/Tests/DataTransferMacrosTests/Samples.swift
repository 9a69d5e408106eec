import DataTransferMacros

/// The calls of the README that are not tests.
func callMovies(_ service: any DataTransferService) async throws {
    let movies = Movies(service)
    let popular = try await movies.popular(language: "en")
    let movie = try await service.request(Movies.Endpoints.movie(id: 7))
    print(popular.count, movie.title)
}
