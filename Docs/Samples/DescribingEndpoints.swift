import DataTransfer
import Foundation

struct Movie: Codable, Sendable { var id: Int; var title: String }

let api = try APIConfiguration("https://api.example.com/3")
let service = DefaultDataTransferService(configuration: api)

// snippet.enum
enum Movies: Requestable {
    case popular(page: Int), movie(id: String), add(Movie)

    var request: RequestDescription {
        switch self {
        case .popular(let page):
            .get("movie/popular", queryParameters: ["page": page])
        case .movie(let id): .get("movie/{id}", pathParameters: ["id": id])
        case .add(let movie): .post("movie", body: .json(movie))
        }
    }
}

let first = try await service.request(
    Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
// snippet.end

// snippet.bodies
let rate = Endpoint<Void>(
    path: "movie/{id}/rating", method: .post, pathParameters: ["id": 7],
    body: .json(["value": 8.5]))
let login = Endpoint<Data>(
    path: "login", method: .post, body: .form(["user": "a", "remember": true]),
    responseDecoder: .rawData)
let note = Endpoint<String>(
    path: "notes", method: .put, body: .text("Grüße"), responseDecoder: .text)
let search = Endpoint<[Movie]>(
    path: "search",
    queryParameters: [
        "q": "c++ & co", "genre": ["drama", "noir"], "year": nil,
    ],
    queryStyle: QueryStyle(arrays: .commaSeparated))
// snippet.end

// snippet.variables
struct Filter: Encodable { var genre: String; var years = [1927, 1995] }

let filter = Filter(genre: "noir")
// genre=noir&years=1927&years=1995
let filtered = Endpoint<[Movie]>(path: "search", queryParameters: filter)
let fields = ["genre": "noir", "page": "2"]
let byFields = Endpoint<[Movie]>(path: "search", queryParameters: fields)
let sent = Endpoint<Void>(path: "search", method: .post, body: .json(fields))
// snippet.end

// snippet.any
let details: [String: Any] = ["title": "Seven", "tags": ["noir", 1995]]
let save = Endpoint<Void>(
    path: "movies", method: .post,
    body: .json(ParameterList(jsonObject: details)))
// snippet.end

// snippet.styles
let style = QueryStyle(
    keys: .snakeCase, nils: .empty, dates: .secondsSince1970,
    bytes: .custom { $0.base64EncodedString() })
// sort_by=year&cursor=
let newest = Endpoint<[Movie]>(
    path: "search", queryParameters: ["sortBy": "year", "cursor": nil],
    queryStyle: style)
// genre-name=noir
let kebab = EndpointBody.form(
    ["genreName": "noir"], style: QueryStyle(keys: .kebabCase))
// snippet.end

// snippet.decoders
let decoder = TransferJSONDecoder()
decoder.dateDecodingStrategy = .secondsSince1970
let dated = Endpoint<[Movie]>(path: "movies", responseDecoder: .json(decoder))
let byFoundation = Endpoint<[Movie]>(
    path: "movies", responseDecoder: JSONDecoder())
// snippet.end

// snippet.coders
let encoder = TransferJSONEncoder()
encoder.keyEncodingStrategy = .convertToSnakeCase
let snakes = TransferJSONDecoder()
snakes.keyDecodingStrategy = .convertFromSnakeCase
let snakeService = DefaultDataTransferService(
    configuration: api, encoder: encoder, decoder: snakes)
let recent = try await snakeService.request(
    Movies.popular(page: 1).as([Movie].self, keyPath: "results"))
let own = try await snakeService.request(
    Movies.movie(id: "7").as(Movie.self, decoder: .json(decoder)))
// snippet.end

// snippet.static
extension Endpoint where Response == [Movie] {
    static func popular(page: Int) -> Self {
        Endpoint(
            path: "movie/popular", queryParameters: ["page": page],
            keyPath: "results")
    }
}

let second = try await service.request(.popular(page: 2))
// snippet.end

// snippet.both
let response = try await service.response(for: search)
print(
    response.statusCode, response.headers["ETag"] ?? "", response.timings.total)

let handle = service.request(search, on: DispatchQueue.main) { result in
    print(result)
}
handle.cancel()

TaskCancellable {
    try await service.concurrently([search, search])
} completion: { @MainActor result in
    print(result)
}
// snippet.end

let url = URL(fileURLWithPath: "/")

// snippet.urls
let movie = try await service.request(url, as: Movie.self)
let page = try await service.request(url, as: String.self, decoder: .text)
let change = Endpoint<Movie>(url: url, method: .put, body: .json(movie))
// snippet.end

try await service.request(rate)
print(
    first, second, recent, own, newest, filter, kebab, page,
    try await service.request(login), try await service.request(note))
