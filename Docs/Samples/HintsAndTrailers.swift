import DataTransfer
import Foundation

let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com"))

// snippet.hints
var page = Endpoint<[String]>(path: "page")
// Accept: application/json; another type is an error that shows the body
page.acceptedMediaTypes = .ofDecoder
// 103 Early Hints
page.onInformationalResponse = { hints in
    print(hints.statusCode, hints.headers["Link"] ?? "")
}
// Content-Digest after the last byte
let movie = EndpointBody.file(URL(fileURLWithPath: "movie.mp4"))
    .withDigestTrailer()
try await service.request(
    Endpoint<Void>(path: "movies/7", method: .put, body: movie))
// snippet.end

print(try await service.request(page))
