import DataTransfer
import Foundation
import NetworkCore
import Testing
import TransferTestSupport

struct Film: Codable, Sendable, Equatable {
    var id: Int
}

/// The elements that a reader received, and the error that ended the stream.
struct Reading<Element: Sendable>: Sendable {
    var elements: [Element] = []
    var error: DataTransferError?

    init<Stream: AsyncSequence>(_ stream: Stream) async where Stream.Element == Element {
        do {
            for try await element in stream { elements.append(element) }
        } catch {
            self.error = #expect(throws: DataTransferError.self) { throw error }
        }
    }

    /// The parsing failure that ended the stream, if there was one.
    var failure: ParsingFailure? {
        if case .parsing(let failure) = error { failure } else { nil }
    }
}

/// A queue that runs work only when a test requests it, one item at a time.
final class HeldQueue: DataTransferDispatchQueue {
    private let work = Watched<[@Sendable () -> Void]>([])

    var count: Int { work.withLock(\.count) }

    func asyncExecute(work: @escaping @Sendable () -> Void) {
        self.work.withLock { $0.append(work) }
    }

    /// Returns when there is work, or when the task is cancelled because the test exceeds its time limit.
    func waitForWork() async {
        await work.wait { !$0.isEmpty }
    }

    func runNext() async {
        await waitForWork()
        let next = work.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        next?()
    }
}

/// A service whose response's body consists of the chunks that a test sends.
final class HeldBody: DataTransferService {
    private let state = Watched<(chunks: [Data?], readers: Int)>(([], 0))

    /// - Parameter chunk: `nil` for the end.
    func send(_ chunk: String?) {
        state.withLock { $0.chunks.append(chunk.map { Data($0.utf8) }) }
    }

    /// Returns when a reader waits for a chunk.
    func waitForReader() async {
        await state.wait { $0.readers > 0 }
    }

    func streamResult(for endpoint: any Requestable) async -> Result<DataTransferStream, DataTransferError> {
        let body = NetworkBody { [state] () async throws(TransportError) in
            state.withLock { $0.readers += 1 }
            await state.wait { !$0.chunks.isEmpty }
            return state.withLock {
                $0.readers -= 1
                return $0.chunks.isEmpty ? nil : $0.chunks.removeFirst()
            }
        }
        return .success(DataTransferStream(NetworkResponse(statusCode: 200, body: body, url: URL(fileURLWithPath: "/"))))
    }

    func responseResult<Target: ResponseRequestable>(
        for endpoint: Target
    ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
        .failure(.networkFailure(.transport(TransportError(.unsupported, "only streams"))))
    }
}

/// A service that implements only the requirement without a default implementation.
struct OneMethodService: DataTransferService {
    let base: DefaultDataTransferService

    func responseResult<Target: ResponseRequestable>(
        for endpoint: Target
    ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
        await base.responseResult(for: endpoint)
    }
}
