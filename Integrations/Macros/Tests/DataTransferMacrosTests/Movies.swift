import DataTransferMacros
import Foundation

struct Movie: Codable, Sendable, Equatable, Identifiable {
    let id: Int
    let title: String
}

// The sample of the README.
@API
struct Movies: MoviesProtocol {
    @GET("movie/popular", keyPath: "results")
    func popular(
        page: Int = 1, @Header("Accept-Language") language: String? = nil
    ) async throws -> [Movie]
    @GET("movie/{id}") func movie(id: Movie.ID) async throws -> Movie
    @POST("movie") func add(_ movie: Movie) async throws
    @GET("movie/{id}/poster") func poster(id: Movie.ID) async throws -> Data
    @DOWNLOAD("movie/{id}/file")
    func download(id: Movie.ID, to file: URL) async throws -> DownloadedFile
    @EVENTS("live") func events(room: Int) async throws -> EventStream
}

/// A call of each option and place.
@API(.completions, .publishers)
struct Options {
    @GET("a", decoder: .text, headers: ["X-A": "1"], queryStyle: QueryStyle(arrays: .commaSeparated), timeout: .seconds(5))
    func text(tags: [String]) async throws -> String
    @GET("a", acceptedStatuses: .success + [404], cache: .revalidate, priority: .high, requiresAuthentication: false)
    func optional() async throws -> DataTransferResponse<Movie?>
    @POST("a", isIdempotent: true) func members(title: String, year: Int?) async throws -> Movie
    @POST("a", encoding: .form) func form(title: String, year: Int?) async throws
    @POST("a") func fields(@Field("grant_type") grant: String = "refresh", @Query dry: Bool) async throws
    @POST("a/{id}")
    func parts(
        @Path("id") movie: Movie.ID, @Part("photo", fileName: "a.jpeg") image: Data, @Part title: String?, @Part tags: [String]
    ) async throws
    @PUT("a") func bytes(_ content: Data?) async throws
    @PUT("a") func file(@Body _ content: EndpointBody, progress: (any TransferProgressObserver)? = nil) async throws
    @DELETE("a/{id}") func remove(id: UUID, force: Bool = false) async throws
    @GET("a") func search(_ filter: Filter) async throws -> String
    @HTTP(.query, "a") func find(_ filter: Filter, @Query service: Int, @Query endpoint: Int, @Header("X-B") count: Int)
        async throws
    @STREAM("a", as: .ndjson(Movie.self), method: .post) func stream(prompt: String) async throws -> ValueStream<Movie>

    struct Filter: Encodable, Sendable {
        var title = "seven"
        var years = [1995]
    }
}
