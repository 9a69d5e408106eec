import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct DecoratedServiceTests {
    /// A decorator that forwards each call to another service and counts the calls.
    private struct CountingService: DataTransferService {
        let wrapped: any DataTransferService
        let calls = Locked(0)

        func response<Target: ResponseRequestable>(
            for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
            completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
        ) -> any NetworkCancellable {
            calls.withLock { $0 += 1 }
            return wrapped.response(for: endpoint, on: queue, completion: completion)
        }

        func responseResult<Target: ResponseRequestable>(
            for endpoint: Target
        ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
            calls.withLock { $0 += 1 }
            return await wrapped.responseResult(for: endpoint)
        }

        func streamResult(for endpoint: any Requestable) async -> Result<DataTransferStream, DataTransferError> {
            calls.withLock { $0 += 1 }
            return await wrapped.streamResult(for: endpoint)
        }

        func report(_ failure: DataTransferError) -> DataTransferError { wrapped.report(failure) }
    }

    /// A service that implements only the requirements without default implementations.
    private struct SmallestService: DataTransferService {
        func responseResult<Target: ResponseRequestable>(
            for endpoint: Target
        ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
            .failure(.networkFailure(.cancelled(TransportError(.cancelled, "never begun"))))
        }
    }

    private let session = StubSessionManager()
    private let logger = InMemoryLogger()
    private var bare: DefaultDataTransferService {
        get throws {
            DefaultDataTransferService(
                configuration: try APIConfiguration("https://api.test"), sessionManager: session, errorLogger: logger)
        }
    }

    @Test(arguments: [false, true]) func `a pagination error is logged once, also with a decorator`(isDecorated: Bool)
        async throws
    {
        session.route { _ in .json("[1]", headers: ["Link": #"<https://api.test/list>; rel="next""#]) }
        let service: any DataTransferService = isDecorated ? CountingService(wrapped: try bare) : try bare
        let failure = await #expect(throws: DataTransferError.self) {
            for try await _ in service.pages(of: Endpoint<[Int]>(path: "list"), by: .linkHeader) {}
        }
        #expect(logger.dataTransferErrors.map(String.init(describing:)) == [String(describing: try #require(failure))])
    }

    @Test(arguments: [false, true]) func `a file error is logged once, also with a decorator`(isDecorated: Bool) async throws {
        let service: any DataTransferService = isDecorated ? CountingService(wrapped: try bare) : try bare
        let missing = FileManager.default.temporaryDirectory.appendingPathComponent("missing-\(UUID())/movie.mp4")
        let failure = try await downloadFailure { try await service.download(Endpoint<Void>(path: "movie"), to: .file(missing)) }
        #expect(failure.fileFailure?.code == .folderMissing && session.requests.isEmpty)
        #expect(logger.dataTransferErrors.map(String.init(describing:)) == [String(describing: failure)])
    }

    @Test func `a service without a logger returns errors unchanged`() throws {
        let failure = DataTransferError.file(
            FileFailure(.busy, "in use", url: URL(fileURLWithPath: "/tmp/movie", isDirectory: false)))
        #expect(SmallestService().report(failure).fileFailure?.code == .busy)
    }
}
