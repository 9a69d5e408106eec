import DataTransfer

struct Movie: Codable, Sendable { let id: Int; let title: String }

let api = try APIConfiguration(
    "https://api.example.com/3", headers: ["Accept-Language": "en"])
let service = DefaultDataTransferService(configuration: api)

let popular = Endpoint<[Movie]>(
    path: "movie/popular", queryParameters: ["page": 1], keyPath: "results")
let movies = try await service.request(popular)
print(movies.map(\.title))
