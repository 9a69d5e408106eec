import Endpoints
import NetworkCore

// snippet.service
let api = try APIConfiguration("https://api.example.com/3")
let service = DefaultNetworkService(configuration: api)
do throws(NetworkError) {
    let response = try await service.response(
        for: Endpoint<Void>(path: "movie/7"))
    print(
        response.statusCode, response.headers[.contentType] ?? "",
        response.data.count)
} catch {
    print(error.statusCode ?? 0, error.isTimeout, error)
}
// snippet.end
