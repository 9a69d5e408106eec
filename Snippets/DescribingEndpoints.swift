import DataTransfer
import Foundation

struct Movie: Codable, Sendable { var id: Int; var title: String }

let service = DefaultDataTransferService(configuration: try APIConfiguration("https://api.example.com/3"))

// snippet.enum
enum Movies: Requestable {
    case popular(page: Int), movie(id: String), add(Movie)

    var request: RequestDescription {
        switch self {
        case .popular(let page): .get("movie/popular", queryParameters: ["page": page])
        case .movie(let id): .get("movie/{id}", pathParameters: ["id": id])
        case .add(let movie): .post("movie", body: .json(movie))
        }
    }
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

// snippet.decoders
let decoder = TransferJSONDecoder()
decoder.dateDecodingStrategy = .iso8601
let dated = Endpoint<[Movie]>(path: "movies", responseDecoder: .json(decoder))
let byFoundation = Endpoint<[Movie]>(path: "movies", responseDecoder: .json(JSONDecoder()))
// snippet.end

// snippet.static
extension Endpoint where Response == [Movie] {
    static func popular(page: Int) -> Self {
        Endpoint(path: "movie/popular", queryParameters: ["page": page], keyPath: "results")
    }
}

let second = try await service.request(.popular(page: 2))
// snippet.end

// snippet.both
let response = try await service.response(for: search)
print(response.statusCode, response.headers["ETag"] ?? "", response.timings.total)

let handle = service.request(search, on: DispatchQueue.main) { result in print(result) }
handle.cancel()
// snippet.end

try await service.request(rate)
print(first, second, try await service.request(login), try await service.request(note))
