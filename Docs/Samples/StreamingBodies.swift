import DataTransfer
import Foundation

let session = DefaultSessionManager()
let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com"))
let url = URL(fileURLWithPath: "/tmp/movie")
let request = NetworkRequest(url: url)
let chunks = AsyncStream<Data> { $0.finish() }

// snippet.response
let response = try await session.stream(for: request)
for try await chunk in response.body {
    print(response.statusCode, chunk.count)
}
// snippet.end

// snippet.request
let fromDisk = NetworkRequest(
    method: .put, url: url, body: .file(URL(fileURLWithPath: "movie.mp4")))
let once = NetworkRequest(
    method: .post, url: url, body: .stream(chunks, length: 1_000_000))
let log = Endpoint<Void>(
    path: "log", method: .post,
    body: .stream(chunks, contentType: "text/plain"))
// snippet.end

// snippet.progress
let progress = ProgressMonitor()
var upload = Endpoint<Void>(
    path: "movies/7", method: .put,
    body: .file(URL(fileURLWithPath: "movie.mp4")))
upload.progress = progress
async let done: Void = service.request(upload)
for await state in progress {
    print(state.bytesSent, state.fractionSent ?? 0, state.bytesPerSecond)
}
try await done
// snippet.end

let parent = Progress(totalUnitCount: 1)

// snippet.observer
let observer = FoundationProgress()
let replacement = Endpoint<Void>(path: "movies/7", method: .put)
let transfer = Task {
    try await service.upload(
        .file(URL(fileURLWithPath: "movie.mp4")), to: replacement,
        progress: observer)
}
observer.onCancel { transfer.cancel() }
parent.addChild(observer.progress, withPendingUnitCount: 1)
// snippet.end

print(fromDisk, once, log)
