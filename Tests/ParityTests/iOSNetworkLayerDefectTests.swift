import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// Defects of iOS-Network-Layer that this package does not have.
@Suite("iOS-Network-Layer, defects", .timeLimit(.minutes(10))) struct IOSNetworkLayerDefectTests {
    private final class Counting: TransferProgressObserver {
        let count = Locked(0)

        func transferDidProgress(_ progress: TransferProgress) {
            count.withLock { $0 += 1 }
        }
    }

    @Test(.tags(.completions, .uploadProgress))
    func `an upload completes once, regardless of how many progress updates it reports`() async throws {
        let server = try LoopbackServer { request in
            LoopbackResponse.data(Data("\(request.body.count)".utf8)).fault(.drip(bytes: 1, every: .milliseconds(60)))
        }
        let service = DefaultDataTransferService(configuration: APIConfiguration(baseURL: server.url))
        let observer = Counting()
        let data = Data(count: 8_000_000)
        #expect(try await service.upload(.data(data), to: Endpoint<Int>(path: "files"), progress: observer) == data.count)
        #expect(observer.count.withLock { $0 } > 1)

        let calls = Locked(0)
        let result: Result<Int, DataTransferError> = await outcome { done in
            service.upload(.data(data), to: Endpoint<Int>(path: "files"), progress: ProgressMonitor()) { result in
                calls.withLock { $0 += 1 }
                done(result)
            }
        }
        #expect(try result.get() == data.count && calls.withLock { $0 } == 1)
    }

    @Test(.tags(.statusErrors), arguments: [200, 201, 202, 204, 206]) func `an upload succeeds with any 2xx status`(status: Int)
        async throws
    {
        let session = StubSessionManager()
        session.enqueue(.status(status))
        try await DefaultDataTransferService.make(session).upload(.json("a"), to: Endpoint<Void>(path: "files"))
    }

    @Test func `a failed upload is an error with the server's message, and not a progress update`() async throws {
        let session = StubSessionManager()
        session.enqueue(.json(#"{"status": "error", "message": "Too large"}"#, status: 413))
        let service = DefaultDataTransferService.make(session, resolver: ErrorBodyResolver<EnvelopeError>())
        let error = await #expect(throws: DataTransferError.self) {
            try await service.upload(.json("a"), to: Endpoint<Void>(path: "files"))
        }
        #expect(error?.resolved(as: EnvelopeError.self)?.message == "Too large" && error?.statusCode == 413)
    }

    @Test(.tags(.downloads)) func `an interrupted download leaves no file at its destination and is not held in memory`()
        async throws
    {
        let server = try LoopbackServer { _ in
            LoopbackResponse.data(Data(count: 2_000_000)).fault(.truncateBody(after: 1_000_000))
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("parity-\(UUID().uuidString)")
        // This limits bodies in memory, but not a download, which is written to a file.
        let session = DefaultSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 1000 })
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: session)
        let error = await #expect(throws: DataTransferError.self) {
            try await service.download(Endpoint<Void>(path: "a"), to: .file(file))
        }
        #expect(error?.networkError?.transportError?.code == .incompleteBody)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}
