import Endpoints
import Foundation

struct Movie: Decodable, Sendable { let id: Int; let title: String }

// snippet.request
let api = try APIConfiguration(
    "https://api.example.com/3", headers: ["Accept-Language": "en"])
let endpoint = Endpoint<Movie>(path: "movie/{id}", pathParameters: ["id": 7])

let request = try endpoint.networkRequest(with: api)
print(request.method, request.url)  // GET https://api.example.com/3/movie/7

let movie = try endpoint.response(
    from: ResponseData(Data(#"{"id": 7, "title": "Seven"}"#.utf8)))
print(movie.title)
// snippet.end
