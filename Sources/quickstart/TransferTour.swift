import DataTransfer
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkTesting

/// The part of the tour with large transfers: an upload, a download, a resumed download, and a retry after two failures.
struct TransferTour {
    struct Receipt: Decodable, Sendable {
        let title: String
        let bytes: Int
    }

    /// A stream that produces 20 MiB, one MiB every 50 ms.
    struct Music: AsyncSequence, Sendable {
        let pieces = 20
        let piece = Data(count: 1 << 20)
        var bytes: Int { pieces * piece.count }

        struct Iterator: AsyncIteratorProtocol {
            let music: Music
            var played = 0

            mutating func next() async throws -> Data? {
                guard played < music.pieces else { return nil }
                played += 1
                try await Task.sleep(for: .milliseconds(50))
                return music.piece
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(music: self) }
    }

    /// The size of the uploaded film in bytes.
    private static let uploaded = 12 << 20

    let configuration: APIConfiguration
    let service: DefaultDataTransferService
    let server: LoopbackServer
    let observation: ObservationInterceptor

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quickstart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await upload(from: folder)
        try await download(to: folder)
        try await cancelledDownload(to: folder)
        try await retry()
    }

    private func upload(from folder: URL) async throws {
        Terminal.step("8. A form with a file and a stream, sent while they are read")
        let film = folder.appendingPathComponent("metropolis.mp4")
        try Data(count: Self.uploaded).write(to: film)
        let music = Music()
        let bar = ProgressBar(.sent)
        async let drawn: Void = bar.draw()
        // snippet.upload
        var form = MultipartForm()
        form.append("Metropolis", name: "title")
        form.append(.file(film), name: "film")
        form.append(
            .stream(music, length: Int64(music.bytes)), name: "music",
            fileName: "music.ogg")
        let response = try await service.response(
            for: Endpoint<Receipt>(path: "movie/1/film"),
            uploading: .multipart(form), progress: bar.progress)
        // snippet.end
        await drawn
        Terminal.show("the server received \"\(response.value.title)\" and a body of \(response.value.bytes) bytes")
        Terminal.remark(Terminal.describe(response.statusCode, response.timings))
    }

    private func download(to folder: URL) async throws {
        Terminal.step("9. A download, written to disk while it is received")
        let place = folder.appendingPathComponent("reel.mp4")
        let bar = ProgressBar(.received)
        async let drawn: Void = bar.draw()
        // snippet.download
        let reel = Endpoint<Void>(path: "movie/1/reel")
        let file = try await service.download(
            reel, to: .file(place), progress: bar.progress)
        // snippet.end
        await drawn
        Terminal.show("\(file.url.lastPathComponent) has \(file.byteCount) bytes")
        Terminal.remark(Terminal.describe(file.statusCode, file.timings))
    }

    private func cancelledDownload(to folder: URL) async throws {
        Terminal.step("10. The same download, cancelled after a third and then resumed")
        let reel = Endpoint<Void>(path: "movie/1/reel")
        let copy = folder.appendingPathComponent("copy.mp4")
        let bar = ProgressBar(.received)
        let rest = ProgressBar(.received)
        let connections = server.openConnectionCount
        // snippet.cancelledDownload
        let task = Task {
            try await service.download(
                reel, to: .file(copy), progress: bar.progress)
        }
        // snippet.end
        await bar.draw { state in if state.fractionReceived ?? 0 > 1.0 / 3 { task.cancel() } }
        let isCancelled = await task.result.error?.isCancelled ?? false
        let isClosed = await server.waitForOpenConnections(count: connections - 1)
        Terminal.show("isCancelled: \(isCancelled), and the connection is \(isClosed ? "closed" : "open")")

        async let drawn: Void = rest.draw()
        // snippet.cancelledDownload
        let whole = try await service.download(
            reel, to: .file(copy), progress: rest.progress)
        // snippet.end
        await drawn
        Terminal.show("resumed at byte \(whole.resumedFrom); the file has \(whole.byteCount) bytes")
        Terminal.remark(Terminal.describe(whole.statusCode, whole.timings))
    }

    private func retry() async throws {
        Terminal.step("11. A server that is not ready, with retries after a pause")
        // snippet.retry
        let pause = Backoff(base: .milliseconds(200))
        let pipeline = RequestPipeline {
            $0.observation = observation
            $0.retry = .retry(RetryOptions(backoff: pause))
        }
        let patient = DefaultDataTransferService(
            configuration: configuration,
            interceptors: pipeline.interceptors)
        let response = try await patient.response(
            for: Endpoint<Tour.Movie>(path: "movie/waking"))
        // snippet.end
        Terminal.show("\(response.value.title) (id \(response.value.id))")
        Terminal.remark(Terminal.describe(response.statusCode, response.timings))
    }
}
