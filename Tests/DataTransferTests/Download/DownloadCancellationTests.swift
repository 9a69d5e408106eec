import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct DownloadCancellationTests {
    private let folder: TemporaryFolder
    private let served = ServedFile(sampleBytes(700_000))
    private let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        server = try served.server()
    }

    private var place: URL { folder.file("movie.mp4") }

    @Test func `the bytes received before a cancellation are kept, and the socket is closed`() async throws {
        served.change { $0.faults = [.stallBody(after: 300_000)] }
        let (server, place) = (server, place)
        let observer = RecordingObserver()
        let service = server.service()
        let task = Task {
            try await downloadFailure { try await service.download(movie, to: .file(place), progress: observer) }
        }
        try await folder.waitForBytes(300_000, in: ".movie.mp4.partial")
        task.cancel()
        #expect(try await task.value.isCancelled)
        #expect(await server.waitForOpenConnections(count: 0))
        #expect(observer.events.last?.isFinished == true && observer.events.last?.bytesReceived == 300_000)
        #expect(folder.openDescriptors == 0)
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 300_000)
        #expect(try folder.contents("movie.mp4") == sampleBytes(700_000))
    }

    @Test func `cancelling a handle keeps the bytes received before`() async throws {
        served.change { $0.faults = [.stallBody(after: 300_000)] }
        let service = server.service()
        let (stream, results) = AsyncStream.makeStream(of: Result<DownloadedFile, any Error>.self)
        let handle = TaskCancellable {
            try await service.download(movie, to: .file(place))
        } completion: { result in
            results.yield(result)
            results.finish()
        }
        try await folder.waitForBytes(300_000, in: ".movie.mp4.partial")
        handle.cancel()
        var outcomes: [Bool] = []
        for await result in stream {
            if case .failure(let error) = result { outcomes.append(error.isCancelled) } else { outcomes.append(false) }
        }
        #expect(outcomes == [true] && folder.openDescriptors == 0)
        #expect(try await service.download(movie, to: .file(place)).resumedFrom == 300_000)
    }

    @Test(arguments: [LoopbackFault.stall, .stallHead(after: 20)])
    func `a cancellation before the response's head leaves no files`(fault: LoopbackFault) async throws {
        served.change { $0.faults = [fault] }
        let (server, place) = (server, place)
        let task = Task {
            try await downloadFailure { try await server.service().download(movie, to: .file(place)) }
        }
        _ = await server.waitForRequests(count: 1)
        task.cancel()
        #expect(try await task.value.isCancelled && folder.names == [] && folder.openDescriptors == 0)
    }

    @Test func `a download in a cancelled task sends no request, and its observer receives a last event`() async throws {
        let (server, place) = (server, place)
        let observer = RecordingObserver()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await downloadFailure { try await server.service().download(movie, to: .file(place), progress: observer) }
        }
        #expect(try await task.value.isCancelled && server.requestCount == 0 && folder.names == [])
        #expect(observer.events.map(\.isFinished) == [true])
    }

    @Test func `a download can be cancelled while the digest of a partial file is computed`() async throws {
        served.change { $0.faults = [.truncateBody(after: 300_000)] }
        let (server, place) = (server, place)
        _ = try await downloadFailure { try await server.service().download(movie, to: .file(place)) }
        let options = DownloadOptions(digest: .sha256(String(repeating: "0", count: 64)))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await downloadFailure { try await server.service().download(movie, to: .file(place), options: options) }
        }
        #expect(try await task.value.isCancelled && server.requestCount == 1)
        // The partial file is kept, because the digest was not compared.
        #expect(folder.names == [".movie.mp4.partial", ".movie.mp4.partial.json"] && folder.openDescriptors == 0)
    }

    @Test func `a download that is cancelled at any moment is resumed to the correct content`() async throws {
        let service = server.service()
        for round in 0..<20 {
            let place = folder.file("movie \(round).mp4")
            var resumed = false
            // Each round is cancelled after a different number of task switches.
            let task = Task { try await service.download(movie, to: .file(place)) }
            for _ in 0..<(round * 25) { await Task.yield() }
            task.cancel()
            if case .failure = await task.result {
                resumed = true
                _ = try await service.download(movie, to: .file(place))
            }
            let isSame = try folder.contents("movie \(round).mp4") == sampleBytes(700_000)
            #expect(isSame, "round \(round), \(resumed ? "resumed" : "not resumed")")
        }
        #expect(folder.names.count == 20 && folder.openDescriptors == 0)
    }
}
