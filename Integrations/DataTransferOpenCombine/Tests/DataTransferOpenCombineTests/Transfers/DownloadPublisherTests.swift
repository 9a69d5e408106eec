import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
final class DownloadPublisherTests {
    let folder: URL
    let server: LoopbackServer
    let service: DefaultDataTransferService
    let endpoint = Endpoint<Film>(path: "film.json")

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        server = try LoopbackServer {
            LoopbackRoute(.get, "/film.json") { _ in .json(#"{"id": 7}"#) }
            LoopbackRoute(.get, "/endless") { _ in LoopbackResponse.text("a\n").fault(.endlessBody) }
        }
        service = .make(server.url)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    @Test func `a response becomes a file, with the given name or its own`() async throws {
        let file = folder.appendingPathComponent("a.json")
        let publisher = service.downloadPublisher(endpoint, to: .file(file))
        #expect(server.requestCount == 0)
        let named = await publisher.recorded()
        #expect(named.values.map(\.url.path) == [file.path] && named.isFinished)
        #expect(try String(contentsOf: file, encoding: .utf8) == #"{"id": 7}"#)
        let own = await service.downloadPublisher(endpoint, to: .folder(folder)).recorded()
        #expect(own.values.map(\.url.lastPathComponent) == ["film.json"] && own.isFinished)
    }

    @Test func `a large response is decoded from a file`() async {
        let result = await service.downloadPublisher(endpoint).recorded()
        #expect(result.values == [Film(id: 7)] && result.isFinished)
    }

    @Test func `where no file can be made is an error`() async {
        let result = await service.downloadPublisher(endpoint, to: .file(folder.appendingPathComponent("no/such.json")))
            .recorded()
        #expect(result.values.isEmpty && result.error?.fileFailure != nil && result.completions.count == 1)
    }

    @Test func `cancelling closes the socket`() async {
        let subscriber = RecordingSubscriber<DownloadedFile, DataTransferError>()
        service.downloadPublisher(Endpoint<Void>(path: "endless"), to: .file(folder.appendingPathComponent("b"))).subscribe(
            subscriber)
        await server.waitForRequests(count: 1)
        subscriber.cancel()
        #expect(await server.waitForOpenConnections(count: 0))
        #expect(subscriber.values.isEmpty && subscriber.completions.isEmpty)
    }
}
