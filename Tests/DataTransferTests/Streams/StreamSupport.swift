import DataTransfer
import Foundation
import NetworkCore

struct Film: Codable, Sendable, Equatable {
    var id: Int
}

/// The elements that a reader received, and the error that ended the stream.
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

    /// The parsing failure that ended the stream, if there was one.
    var failure: ParsingFailure? {
        if case .parsing(let failure) = error { failure } else { nil }
    }
}

/// A queue that runs work only when a test requests it, one item at a time.
final class HeldQueue: DataTransferDispatchQueue {
    private let work = Observed<[@Sendable () -> Void]>([])

    var count: Int { work.change(\.count) }

    func asyncExecute(work: @escaping @Sendable () -> Void) {
        self.work.change { $0.append(work) }
    }

    /// Returns when there is work, or when the task is cancelled because the test exceeds its time limit.
    func waitForWork() async {
        await work.wait { !$0.isEmpty }
    }

    func runNext() async {
        await waitForWork()
        let next = work.change { $0.isEmpty ? nil : $0.removeFirst() }
        next?()
    }
}

/// A service whose response's body consists of the chunks that a test sends.
final class HeldBody: DataTransferService {
    private let state = Observed<(chunks: [Data?], readers: Int)>(([], 0))

    /// - Parameter chunk: `nil` for the end.
    func send(_ chunk: String?) {
        state.change { $0.chunks.append(chunk.map { Data($0.utf8) }) }
    }

    /// Returns when a reader waits for a chunk.
    func waitForReader() async {
        await state.wait { $0.readers > 0 }
    }

    func stream(for endpoint: any Requestable) async throws(DataTransferError) -> DataTransferStream {
        let body = ResponseStream { [state] () async throws(TransportError) in
            state.change { $0.readers += 1 }
            await state.wait { !$0.chunks.isEmpty }
            return state.change {
                $0.readers -= 1
                return $0.chunks.isEmpty ? nil : $0.chunks.removeFirst()
            }
        }
        return DataTransferStream(StreamedResponse(statusCode: 200, url: URL(fileURLWithPath: "/"), body: body))
    }

    func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        completion(.failure(.networkFailure(.transport(TransportError(.unsupported, "only streams")))))
        return Handle()
    }

    private struct Handle: NetworkCancellable {
        func cancel() {}
    }
}

/// State with a method that waits until a condition holds.
final class Observed<State>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let content: Locked<(state: State, waiters: [UUID: Waiter], cancelled: Set<UUID>)>

    init(_ state: sending State) {
        content = Locked((state, [:], []))
    }

    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, met) = content.withLock { content in
            let value = body(&content.state)
            let met = content.waiters.filter { $0.value.isMet(content.state) }
            for key in met.keys { content.waiters[key] = nil }
            return (value, met.values.map(\.continuation))
        }
        for continuation in met { continuation.resume() }
        return value
    }

    /// Returns when the state meets the condition, or when the task is cancelled.
    func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        let key = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = content.withLock { content in
                    let isOver = isMet(content.state) || content.cancelled.contains(key)
                    if !isOver { content.waiters[key] = Waiter(isMet: isMet, continuation: continuation) }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = content.withLock { content in
                content.cancelled.insert(key)
                return content.waiters.removeValue(forKey: key)
            }
            waiter?.continuation.resume()
        }
    }
}

/// A service that implements only the requirement without a default implementation.
struct OneMethodService: DataTransferService {
    let base: DefaultDataTransferService

    func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        base.response(for: endpoint, on: queue, completion: completion)
    }
}
