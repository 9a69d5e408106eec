import DataTransfer
import Foundation

struct Movie: Codable, Sendable { var id: Int; var title: String }

let service = DefaultDataTransferService(configuration: try APIConfiguration("https://api.example.com/3"))

// snippet.enum
enum Movies: Requestable {
    case popular(page: Int)
    case movie(id: String)
    case add(Movie)

    var path: String {
        switch self {
        case .popular: "movie/popular"
        case .movie: "movie/{id}"
        case .add: "movie"
        }
    }
    var method: HTTPMethod { if case .add = self { .post } else { .get } }
    var pathParameters: PathParameters { if case .movie(let id) = self { ["id": id] } else { [:] } }
    var queryParameters: Parameters { if case .popular(let page) = self { ["page": page] } else { [:] } }
    var body: RequestBody? { if case .add(let movie) = self { .json(movie) } else { nil } }
}

let first = try await service.request(Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
// snippet.end

// snippet.bodies
let rate = Endpoint<Void>(path: "movie/{id}/rating", method: .post, pathParameters: ["id": 7], body: .json(["value": 8.5]))
let login = Endpoint<Data>(path: "login", method: .post, body: .form(["user": "a", "remember": true]), responseDecoder: .rawData)
let note = Endpoint<String>(path: "notes", method: .put, body: .text("Grüße"), responseDecoder: .text)
let search = Endpoint<[Movie]>(
    path: "search", queryParameters: ["q": "c++ & co", "genre": ["drama", "noir"], "year": nil],
    queryStyle: QueryStyle(arrays: .commaSeparated))
// snippet.end

// snippet.both
let response = try await service.response(for: search)
print(response.statusCode, response.headers["ETag"] ?? "", response.timings.total)

let handle = service.request(search, on: DispatchQueue.main) { result in print(result) }
handle.cancel()
// snippet.end

try await service.request(rate)
print(first, try await service.request(login), try await service.request(note))
