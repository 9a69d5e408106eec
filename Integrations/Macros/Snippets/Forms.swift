import DataTransferMacros
import Foundation

struct Movie: Codable, Sendable {
    let id: Int
    let title: String
}

struct Issue: Codable, Sendable {
    enum State: String, Codable, Sendable { case open, closed }

    let id: Int
    let title: String
    let state: State
}

struct IssueDraft: Codable, Sendable { let title: String }

// snippet.movies
@API struct Movies {
    @GET("movie/popular", keyPath: "results")
    func popular(page: Int = 1) async throws -> [Movie]
    @GET("movie/{id}") func movie(id: Int) async throws -> Movie
    @POST("movie") func add(_ movie: Movie) async throws
}
// snippet.end

// snippet.tracker
@API struct Tracker {
    @GET("issues", keyPath: "items")
    func issues(
        state: Issue.State? = nil, @Query("per_page") pageSize: Int = 50
    ) async throws -> [Issue]
    @GET("issues/{id}") func issue(id: Int) async throws -> Issue
    @POST("issues") func create(_ draft: IssueDraft) async throws -> Issue
    @PATCH("issues/{id}")
    func set(id: Int, state: Issue.State) async throws -> Issue
}
// snippet.end

let configuration = try APIConfiguration("https://api.example.com")
let service = DefaultDataTransferService(configuration: configuration)

// snippet.call
let popular = try await Movies(service).popular()
// snippet.end
let closed = try await Tracker(service).set(id: 7, state: .closed)
print(popular.count, closed.title)
