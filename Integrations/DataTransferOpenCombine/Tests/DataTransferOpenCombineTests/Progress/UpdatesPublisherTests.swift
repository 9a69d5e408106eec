import Foundation
import NetworkTesting
import Testing

@testable import DataTransferOpenCombine

@Suite(.timeLimit(.minutes(10)))
struct UpdatesPublisherTests {
    let endpoint = Endpoint<Film>(path: "files")

    private func upload(_ progress: any TransferProgressObserver) -> Endpoint<Film> {
        var upload = Endpoint<Film>(path: "files", method: .post, body: .data(Data(count: 9)))
        upload.progress = progress
        return upload
    }

    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in .json(#"{"id": \#(request.body.count)}"#) }
    }

    private func states<Value>(_ updates: [TransferUpdate<Value>]) -> [TransferProgress] {
        updates.compactMap { if case .progress(let state) = $0 { state } else { nil } }
    }

    @Test func `progress comes first, whole at its end, and the value last`() async throws {
        let server = try server()
        let service = DefaultDataTransferService.make(server.url)
        let publisher = service.uploadUpdatesPublisher(.data(Data(count: 3_000_000)), to: endpoint)
        #expect(server.requestCount == 0)
        let result = await publisher.recorded()
        let states = states(result.values)
        #expect(states.last?.bytesSent == 3_000_000 && states.last?.isFinished == true)
        #expect(states.map(\.bytesSent) == states.map(\.bytesSent).sorted() && result.isFinished)
        guard case .value(Film(id: 3_000_000)) = result.values.last else { return #expect(Bool(false), "the value is last") }
        _ = await publisher.recorded()
        #expect(server.requestCount == 2)
    }

    @Test func `a value, and downloads, tell how they come along, too`() async throws {
        let server = try LoopbackServer { _ in .json(#"{"id": 7}"#) }
        let service = DefaultDataTransferService.make(server.url)
        let value = await service.uploadUpdatesPublisher(.json(Film(id: 1)), to: endpoint).recorded()
        #expect(states(value.values).last?.bytesSent == 8 && value.isFinished)
        let decoded = await service.downloadUpdatesPublisher(endpoint).recorded()
        #expect(states(decoded.values).last?.bytesReceived == 9 && decoded.isFinished)
        guard case .value(Film(id: 7)) = decoded.values.last else { return #expect(Bool(false), "the value is last") }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let stored = await service.downloadUpdatesPublisher(endpoint, to: .file(file)).recorded()
        #expect(states(stored.values).last?.bytesReceived == 9 && stored.isFinished)
        guard case .value(let result) = stored.values.last else { return #expect(Bool(false), "the file is last") }
        #expect(result.url.path == file.path && result.byteCount == 9)
    }

    @Test func `less demand gets the newest state, and the transfer does not wait`() async throws {
        let server = try server()
        let service = DefaultDataTransferService.make(server.url)
        let isDone = Guarded(false)
        let subscriber = RecordingSubscriber<TransferUpdate<Film>, DataTransferError>(.max(1))
        PulledPublisher(updatesOf: { (progress) async throws(DataTransferError) in
            defer { isDone.withLock { $0 = true } }
            progress.transferDidProgress(TransferProgress(bytesSent: 1))
            let film = try await service.result(for: upload(progress)).get()
            for sent in 2...1000 { progress.transferDidProgress(TransferProgress(bytesSent: Int64(sent))) }
            return film
        }).subscribe(subscriber)
        await subscriber.waitForValues(1)
        await isDone.wait { $0 }
        #expect(subscriber.values.count == 1 && subscriber.completions.isEmpty)
        subscriber.request(.max(1))
        await subscriber.waitForValues(2)
        #expect(states(subscriber.values).last?.bytesSent == 1000)
        subscriber.request(.max(1))
        await subscriber.waitForEnd()
        #expect(subscriber.values.count == 3 && subscriber.isFinished)
    }

    @Test func `a failure comes after the progress, and an operation may have none`() async {
        let service = DefaultDataTransferService.make(StubSessionManager())
        let result = await service.uploadUpdatesPublisher(.data(Data()), to: endpoint).recorded()
        #expect(result.error?.networkError?.transportError?.code == .notStubbed && result.completions.count == 1)
        let silent = await PulledPublisher(updatesOf: { (_) async throws(DataTransferError) in 7 }).recorded()
        guard silent.values.count == 1, case .value(7) = silent.values[0] else { return #expect(silent.values.count == 1) }
        #expect(silent.isFinished)
    }

    @Test func `cancelling ends the transfer, even without demand`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let service = DefaultDataTransferService.make(server.url)
        for demand in [Subscribers.Demand.unlimited, .max(1)] {
            let subscriber = RecordingSubscriber<TransferUpdate<Film>, DataTransferError>(demand)
            PulledPublisher(updatesOf: { (progress) async throws(DataTransferError) in
                progress.transferDidProgress(TransferProgress(bytesSent: 1))
                return try await service.result(for: upload(progress)).get()
            }).subscribe(subscriber)
            await subscriber.waitForValues(1)
            await server.waitForRequests(count: 1)
            subscriber.cancel()
            #expect(await server.waitForOpenConnections(count: 0))
            #expect(subscriber.completions.isEmpty)
            server.forgetRequests()
        }
    }

    @Test func `a monitor publishes what it receives, and finishes with the transfer`() async throws {
        let server = try server()
        let monitor = ProgressMonitor()
        let subscriber = RecordingSubscriber<TransferProgress, Never>()
        monitor.publisher.subscribe(subscriber)
        _ = try await DefaultDataTransferService.make(server.url).upload(.data(Data(count: 9)), to: endpoint, progress: monitor)
        await subscriber.waitForEnd()
        #expect(subscriber.values.last?.bytesSent == 9 && subscriber.values.last?.isFinished == true && subscriber.isFinished)
    }
}
