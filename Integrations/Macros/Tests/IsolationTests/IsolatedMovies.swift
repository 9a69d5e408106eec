import DataTransferMacros

// This module has the main actor as its default isolation. A struct with `@API` may be isolated or not.

nonisolated struct Movie: Codable, Sendable, Equatable {
    let id: Int
    let title: String
}

@API(.completions)
struct IsolatedMovies: IsolatedMoviesProtocol {
    @GET("movie/{id}") func movie(id: Int = 7, @Header("X-A") token: String? = nil) async throws -> Movie
    @POST("movie") func add(_ movie: Movie) async throws
}

@API
nonisolated struct FreeMovies: FreeMoviesProtocol {
    @GET("movie/{id}") func movie(id: Int = 7, @Query part: String? = nil) async throws -> Movie
}
