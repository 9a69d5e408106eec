import DataTransfer
import Foundation
import NetworkCore

struct Film: Codable, Sendable, Equatable {
    var id: Int
}

/// What a reader got before the end, and how it ended.
struct Reading<Element: Sendable>: Sendable {
    var elements: [Element] = []
    var error: DataTransferError?

    init<Stream: AsyncSequence>(_ stream: Stream) async where Stream.Element == Element, Stream.Failure == DataTransferError {
        do throws(DataTransferError) {
            for try await element in stream { elements.append(element) }
        } catch {
            self.error = error
        }
    }

    /// What a parser made, or why it did not.
    var failure: ParsingFailure? {
        if case .parsing(let failure) = error { failure } else { nil }
    }
}

/// Runs work only when it is told to, one piece at a time.
final class HeldQueue: DataTransferDispatchQueue {
    private let state = Locked<(work: [@Sendable () -> Void], waiting: [CheckedContinuation<Void, Never>])>(([], []))

    var count: Int { state.withLock(\.work.count) }

    func asyncExecute(work: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { state in
            state.work.append(work)
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns once there is work.
    func waitForWork() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.work.isEmpty { state.waiting.append(continuation) }
                return !state.work.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    func runNext() async {
        await waitForWork()
        let work = state.withLock { state in state.work.removeFirst() }
        work()
    }
}

/// Implements no more than a test double has to.
struct OneMethodService: DataTransferService {
    let base: DefaultDataTransferService

    func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        base.response(for: endpoint, on: queue, completion: completion)
    }
}
