import DataTransferMacros
import Foundation

// Ten interfaces as a user of Retrofit has them. This file: GitHub, with pages, HEAD, DELETE and PATCH.

struct Repository: Codable, Sendable {
    let id: Int
    let name: String
}

@API
struct GitHub: GitHubProtocol {
    @GET("users/{user}/repos", headers: ["Accept": "application/vnd.github+json"])
    func repositories(of user: String, @Query("per_page") count: Int = 30, page: Int? = nil) async throws
        -> DataTransferResponse<[Repository]>
    @GET("repos/{owner}/{repo}") func repository(owner: String, repo: String) async throws -> Repository
    @PATCH("repos/{owner}/{repo}")
    func edit(owner: String, repo: String, name: String? = nil, archived: Bool? = nil) async throws -> Repository
    @DELETE("repos/{owner}/{repo}") func delete(owner: String, repo: String) async throws
    @HEAD("repos/{owner}/{repo}", acceptedStatuses: .success + [404])
    func existence(owner: String, repo: String) async throws -> DataTransferResponse<Void>
    @GET("rate_limit", keyPath: "resources.core.remaining", cache: .noStore) func remaining() async throws -> Int
    @GET("search/repositories", keyPath: "items") func search(_ search: Search) async throws -> [Repository]

    struct Search: Encodable, Sendable {
        var q: String
        var sort: String?
    }

    /// Pages that follow the `Link` field. A sequence is no call; it is made of an endpoint.
    func allRepositories(of user: String) -> PageSequence<Endpoint<[Repository]>> {
        service.pages(of: Self.listing(of: user), by: .linkHeader)
    }

    private static func listing(of user: String) -> Endpoint<[Repository]> { Endpoints.repositories(of: user, count: 100) }
}
