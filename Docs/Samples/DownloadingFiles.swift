import DataTransfer
import Foundation

struct Movie: Decodable, Sendable { let id: Int; let title: String }

let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com"))
let endpoint = Endpoint<Void>(path: "files/movie.mp4")
let popular = Endpoint<[Movie]>(path: "movie/popular", keyPath: "results")
let downloads = URL(fileURLWithPath: "/tmp", isDirectory: true)
let expected =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// snippet.file
let file = try await service.download(
    endpoint, to: URL(fileURLWithPath: "movie.mp4"))
print(file.byteCount, file.resumedFrom)
// snippet.end

// snippet.anywhere
let anywhere = DefaultDataTransferService(configuration: .composed)
let image = Endpoint<Void>(
    path: "https://cdn.example.com/disk.img", isFullPath: true)
let saved = try await anywhere.download(image, to: .folder(downloads))
print(saved.url.path)
// snippet.end

// snippet.options
let progress = ProgressMonitor { state in print(state.fractionReceived ?? 0) }
do {
    let options = DownloadOptions(
        existingFile: .keepBoth, digest: .sha256(expected),
        maximumBytes: 4 << 30)
    let file = try await service.download(
        endpoint, to: .folder(downloads), options: options, progress: progress)
    print(file.url)
} catch DataTransferError.file(let failure) where failure.code == .diskFull {
    print("free disk space, and repeat the call: \(failure)")
}
// snippet.end

// snippet.partial
for partial in try await PartialDownload.all(in: downloads) {
    print(partial.url.lastPathComponent, partial.byteCount, partial.isResumable)
}
let removed = try await PartialDownload.removeAll(in: downloads) {
    $0.age > .seconds(7 * 86_400) || !$0.isResumable
}
// snippet.end

// snippet.ranges
let fast = try await service.download(
    endpoint, to: .folder(downloads),
    options: DownloadOptions(maximumConcurrency: 4))
print(fast.byteCount)
// snippet.end

// snippet.decoded
let movies = try await service.download(popular)
let handle = TaskCancellable(on: .main) {
    try await service.download(endpoint, to: .folder(downloads))
} completion: { result in print(result) }
handle.cancel()
// snippet.end

print(movies.count, removed.count)
