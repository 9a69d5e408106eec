import DataTransferMacros
import Foundation

struct Album: Codable, Sendable {
    let id: Int
    let title: String
}

// snippet.albums
@API(.completions)
struct Albums {
    @GET("albums") func list(page: Int = 1) async throws -> [Album]
    @POST("albums/{album}/photos", timeout: .seconds(60), priority: .low)
    func upload(
        album: Int, @Part("photo") file: URL, @Part caption: String? = nil,
        @Query notify: Bool = false
    ) async throws -> Album
    @PATCH("albums/{id}", isIdempotent: true)
    func rename(id: Int, title: String) async throws
    @POST("login", encoding: .form, requiresAuthentication: false)
    func logIn(name: String, password: String) async throws
    @STREAM("log", as: .lines()) func log() async throws -> ValueStream<String>

    func all() -> PageSequence<Endpoint<[Album]>> {
        service.pages(of: Endpoints.list(), by: .linkHeader)
    }
}
// snippet.end

let configuration = try APIConfiguration("https://api.example.com")
let albums = Albums(DefaultDataTransferService(configuration: configuration))

// snippet.completion
albums.rename(id: 7, title: "Summer") { @MainActor result in
    print(result)
}
// snippet.end
