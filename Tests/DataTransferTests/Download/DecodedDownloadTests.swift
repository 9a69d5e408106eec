import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
struct DecodedDownloadTests {
    private let small = testedSession { $0.maximumBodyBytes = 1000 }
    private let numbers = Endpoint<[Int]>(path: "numbers", keyPath: "values")

    private static func document(_ count: Int) -> String {
        "{\"values\":[\((0..<count).map(String.init).joined(separator: ","))]}"
    }

    @Test(.notOverURLSession(.pauses))
    func `a body larger than the limit for memory can be decoded from a download`() async throws {
        let server = try LoopbackServer { _ in .json(Self.document(50_000)) }
        let service = server.service(session: small)
        let refused = try await downloadFailure { try await service.request(numbers) }
        #expect(refused.networkError?.transportError?.code == .bodyTooLarge)
        #expect(try await service.download(numbers) == Array(0..<50_000))
        let monitor = ProgressMonitor()
        let queue = CountingQueue()
        let result = await outcome {
            TaskCancellable(on: queue, { try await service.download(numbers, progress: monitor) }, completion: $0)
        }
        #expect(try result.get().count == 50_000 && queue.count == 1 && monitor.current?.isFinished == true)
    }

    @Test(.notOverURLSession(.pauses))
    func `decoded bytes stay valid after the file is closed`() async throws {
        let server = try LoopbackServer { _ in .data(sampleBytes(300_000)) }
        let raw = Endpoint<Data>(path: "raw", responseDecoder: .rawData)
        let data = try await server.service(session: small).download(raw)
        #expect(data == sampleBytes(300_000))
    }

    @Test func `an empty body is nil for an optional type, ignored for Void, and an error for any other type`() async throws {
        let server = try LoopbackServer { _ in .status(204) }
        #expect(try await server.service().download(Endpoint<Int?>(path: "x")) == nil)
        try await server.service().download(Endpoint<Void>(path: "x"))
        let error = try await downloadFailure { try await server.service().download(Endpoint<Int>(path: "x")) }
        guard case .noResponse = error else { throw error }
    }

    @Test func `a body that cannot be decoded is an error with the coding path, and is logged once`() async throws {
        let server = try LoopbackServer { _ in .json("{\"values\":[1,\"two\"], \"password\": \"hunter2\"}") }
        let logger = InMemoryLogger()
        let error = try await downloadFailure { try await server.service(logger: logger).download(numbers) }
        guard case .parsing(let failure) = error else { throw error }
        #expect(failure.codingPath == "values[1]" && failure.snippet.contains("two") && !failure.snippet.contains("hunter2"))
        #expect(failure.statusCode == 200 && logger.dataTransferErrors.count == 1)
    }

    @Test func `status and transport errors are the same as for a request, and each is logged once`() async throws {
        let server = try LoopbackServer { request in
            request.path == "/gone"
                ? .text("gone", status: 410) : LoopbackResponse.json(Self.document(9)).fault(.truncateBody(after: 5))
        }
        let logger = InMemoryLogger()
        let service = server.service(logger: logger)
        let gone = try await downloadFailure { try await service.download(Endpoint<Int>(path: "gone")) }
        #expect(gone.statusCode == 410)
        let cut = try await downloadFailure { try await service.download(numbers) }
        #expect(cut.networkError?.transportError?.code == .incompleteBody && logger.dataTransferErrors.count == 2)
    }

    @Test func `cancelling a decoded download closes the socket`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.json(Self.document(9)).fault(.stallBody(after: 5)) }
        let service = server.service()
        let task = Task {
            try await downloadFailure { try await service.download(numbers) }
        }
        _ = await server.waitForRequests(count: 1)
        task.cancel()
        #expect(try await task.value.isCancelled)
        #expect(await server.waitForOpenConnections(count: 0))
    }
}
