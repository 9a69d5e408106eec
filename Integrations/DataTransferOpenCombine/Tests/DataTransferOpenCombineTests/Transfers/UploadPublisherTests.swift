import DataTransferOpenCombine
import Foundation
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct UploadPublisherTests {
    let server: LoopbackServer
    let service: DefaultDataTransferService
    let endpoint = Endpoint<Film>(path: "files")

    init() throws {
        server = try LoopbackServer { request in .json(#"{"id": \#(request.body.count)}"#, status: 201) }
        service = .make(server.url)
    }

    private func sent(_ publisher: AnyPublisher<Film, DataTransferError>) async throws -> LoopbackRequest {
        #expect(server.requestCount == 0, "it is cold")
        let result = await publisher.recorded()
        let request = try #require(server.requests.first)
        #expect(result.values == [Film(id: request.body.count)] && result.isFinished && request.method == .post)
        return request
    }

    @Test func `a value goes out as JSON`() async throws {
        let request = try await sent(service.uploadPublisher(.json([Film(id: 1), Film(id: 2)]), to: endpoint))
        #expect(request.text == #"[{"id":1},{"id":2}]"# && request.headers["Content-Type"] == "application/json")
    }

    @Test func `data goes out as it is`() async throws {
        let request = try await sent(service.uploadPublisher(.data(Data([0, 1, 255])), to: endpoint))
        #expect(request.body == Data([0, 1, 255]) && request.headers["Content-Type"] == "application/octet-stream")
    }

    @Test func `a file goes out`() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(count: 100_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = try await sent(service.uploadPublisher(.file(file, contentType: "video/mp4"), to: endpoint))
        #expect(request.body.count == 100_000 && request.headers["Content-Type"] == "video/mp4")
    }

    @Test func `a form goes out`() async throws {
        let request = try await sent(
            service.uploadPublisher(.multipart { $0.append("ada", name: "user") }, to: endpoint))
        #expect(request.text.contains("name=\"user\"\r\n\r\nada\r\n"))
    }

    @Test func `a sequence goes out`() async throws {
        let chunks = AsyncStream<Data> { sink in
            for text in ["a", "b", "c"] { sink.yield(Data(text.utf8)) }
            sink.finish()
        }
        let request = try await sent(service.uploadPublisher(.stream(chunks), to: endpoint))
        #expect(request.text == "abc")
    }

    @Test func `the response has its head, and progress is reported`() async {
        let monitor = ProgressMonitor()
        let result = await service.responsePublisher(for: endpoint, uploading: .data(Data(count: 9)), progress: monitor)
            .recorded()
        #expect(result.values.first?.statusCode == 201 && result.isFinished)
        #expect(monitor.current?.bytesSent == 9)
    }
}
