import DataTransfer
import Foundation

struct Receipt: Decodable, Sendable { var id: Int }
struct Rating: Encodable, Sendable { var stars: Int }
struct User: Decodable, Sendable { var name: String }
struct Movie: Decodable, Sendable { var title: String }

let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com/3"))
let film = URL(fileURLWithPath: "metropolis.mp4")
let chunks = AsyncStream<Data> { $0.finish() }

// snippet.upload
let endpoint = Endpoint<Receipt>(path: "movie/7/film", method: .post)

var form = MultipartForm()
form.append("Metropolis", name: "title")
form.append(.file(film), name: "film")
form.append(
    .stream(chunks, length: 1_000_000), name: "music", fileName: "music.ogg")

let progress = ProgressMonitor { state in
    print(state.fractionSent ?? 0, state.recentBytesPerSecond)
    print(state.timeRemaining as Any)
}
let receipt = try await service.upload(
    .multipart(form), to: endpoint, progress: progress)
// snippet.end

let poster = Data()

// snippet.bytes
var pictures = MultipartForm()
pictures.append(
    .data(poster), name: "poster", fileName: "poster.png",
    contentType: "image/png")
print(try await service.upload(.multipart(pictures), to: endpoint))
// snippet.end

// snippet.parts
var dubbed = MultipartForm()
dubbed.append(.file(film), name: "film", headers: ["Content-Language": "de"])
do {
    print(try await service.upload(.multipart(dubbed), to: endpoint))
} catch DataTransferError.networkFailure(.requestGeneration(let error)) {
    if case .file(let path) = error.field {
        print("nothing was sent, because of \(path): \(error.reason)")
    }
} catch { print(error) }
// snippet.end

// snippet.kinds
let rated = try await service.upload(.json(Rating(stars: 5)), to: endpoint)
let sent = try await service.response(
    for: endpoint, uploading: .file(film, contentType: "video/mp4"))
let handle = TaskCancellable(on: .main) {
    try await service.upload(.stream(chunks), to: endpoint)
} completion: { result in print(result) }
// snippet.end

// snippet.concurrently
let movies = try await service.concurrently(
    (1...100).map { Endpoint<Movie>(path: "movie/\($0)") },
    maximumConcurrency: 12)
let (user, popular) = try await service.concurrently(
    Endpoint<User>(path: "me"),
    Endpoint<[Movie]>(path: "movie/popular", keyPath: "results"))

let ids = ["1", "2", "3"]
let endpoints = ids.map { Endpoint<Movie>(path: "movie/\($0)") }
for await (index, result) in service.results(of: endpoints) {
    print(ids[index], (try? result.get().title) ?? "failed")
}
// snippet.end

handle.cancel()
print(receipt, rated, sent, movies, user, popular)
