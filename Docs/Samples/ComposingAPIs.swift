import DataTransfer
import EndpointAPIs
import Foundation

struct Movie: Codable, Sendable { var id: Int; var title: String }

let current = Data(count: 32)
let backup = Data(count: 32)

// snippet.api
enum MoviesAPI: API {
    case popular(page: Int)
    case movie(id: Int)
    case add(Movie)

    var host: String { "api.example.com" }
    var basePath: String { "3" }
    var endpoint: String {
        switch self {
        case .popular: "movie/popular"
        case .movie(let id): "movie/\(id)"
        case .add: "movie"
        }
    }
    var method: RequestMethod { if case .add = self { .post } else { .get } }
    var parameters: RequestParameters {
        switch self {
        case .popular(let page): .query(["page": page])
        case .movie: .none
        case .add(let movie): .json(movie)
        }
    }
    var timeout: Duration? { .seconds(20) }
    var cachePolicy: RequestCachePolicy { .maximumAge(.seconds(60)) }
    var shouldLog: Bool { if case .add = self { false } else { true } }
}

enum UsersAPI: API, ResponseRequestable {
    typealias Response = [String]
    case all

    var host: String { "users.example.com" }
    var port: Int? { 8443 }
    var endpoint: String { "users" }
}

let service = DefaultDataTransferService(configuration: .composed)
let movie = try await service.request(MoviesAPI.movie(id: 7).as(Movie.self))
let users = try await service.request(UsersAPI.all)
// snippet.end

// snippet.trust
extension MoviesAPI: TrustingAPI {
    var trust: TrustPolicy {
        TrustPolicy(pins: [
            .publicKey(sha256: current), .publicKey(sha256: backup),
        ])
    }
}

let session = SocketSessionManager(
    configuration: try SessionConfiguration(trusting: MoviesAPI.movie(id: 7)))
let pinned = DefaultDataTransferService(
    configuration: .composed, sessionManager: session)
// snippet.end

print(movie, users, pinned)
