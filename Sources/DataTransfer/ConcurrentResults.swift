import Endpoints
import NetworkCore

/// The results of several requests as they come: an async sequence of each endpoint's index and result.
///
/// ```swift
/// for await (index, result) in service.results(of: endpoints) { print(endpoints[index], result) }
/// ```
///
/// Each endpoint gives exactly one element. The first requests are begun by the first `next()`, and another one with each that is asked for:
/// at most the limit is under way or waits to be taken. When the task that iterates is cancelled, so are all requests, and the rest are
/// errors whose `isCancelled` is true. Letting go of the sequence and its iterators calls all requests off. It is read once, and by one
/// task at a time.
public struct ConcurrentResults<Value: Sendable>: AsyncSequence, Sendable {
    /// The place of the endpoint among the others, and what became of it.
    public typealias Element = (index: Int, result: Result<Value, DataTransferError>)

    private let source: Source

    init(count: Int, limit: Int, request: @escaping @Sendable (Int) async -> Result<Value, DataTransferError>) {
        source = Source(count: count, limit: Swift.max(limit, 1), request: request)
    }

    /// Goes on where the last iterator stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Hands out results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// Suspends until there is a result.
        ///
        /// - Returns: `nil` after the last one.
        public mutating func next() async -> Element? {
            await source.next()
        }
    }
}

extension ConcurrentResults {
    /// Shared by the sequence and its iterators, but not by the requests: when the last of those goes, so do the requests.
    fileprivate final class Source: Sendable {
        private let requests: Requests

        init(count: Int, limit: Int, request: @escaping @Sendable (Int) async -> Result<Value, DataTransferError>) {
            requests = Requests(count: count, limit: limit, request: request)
        }

        deinit {
            requests.stop()
        }

        func next() async -> Element? {
            await withTaskCancellationHandler {
                await requests.next()
            } onCancel: {
                requests.stop()
            }
        }
    }

    private final class Requests: Sendable {
        private struct State {
            var begun = 0
            /// Under way; `nil` for a moment before there is a task.
            var tasks: [Int: Task<Void, Never>?] = [:]
            /// Have come, and are not taken.
            var results: [Element] = []
            var reader: UnsafeContinuation<Element?, Never>?
            var isStopped = false

            mutating func take(of count: Int) -> Element? {
                if !results.isEmpty { return results.removeFirst() }
                // Those that will not be begun any more.
                guard isStopped, tasks.isEmpty, begun < count else { return nil }
                defer { begun += 1 }
                return (begun, .failure(.taskCancelled))
            }
        }

        private let count: Int
        private let limit: Int
        private let request: @Sendable (Int) async -> Result<Value, DataTransferError>
        private let state = Locked(State())

        init(count: Int, limit: Int, request: @escaping @Sendable (Int) async -> Result<Value, DataTransferError>) {
            self.count = count
            self.limit = limit
            self.request = request
        }

        func next() async -> Element? {
            while let index = place() { begin(index) }
            return await withUnsafeContinuation { continuation in
                let result: Element?? = state.withLock { state in
                    if let element = state.take(of: count) { return .some(element) }
                    if state.tasks.isEmpty { return .some(nil) }
                    state.reader = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        }

        func stop() {
            let tasks = state.withLock { state in
                state.isStopped = true
                return Array(state.tasks.values)
            }
            for task in tasks { task?.cancel() }
        }

        /// The next endpoint, if it may begin.
        private func place() -> Int? {
            state.withLock { state in
                guard state.begun < count, state.tasks.count + state.results.count < limit, !state.isStopped else { return nil }
                defer { state.begun += 1 }
                state.tasks.updateValue(nil, forKey: state.begun)
                return state.begun
            }
        }

        private func begin(_ index: Int) {
            let task = Task { finish((index, await request(index))) }
            // It may have ended, or all may have been stopped, before there was a task to remember.
            let isStopped = state.withLock { state in
                if state.tasks.keys.contains(index) { state.tasks.updateValue(task, forKey: index) }
                return state.isStopped
            }
            if isStopped { task.cancel() }
        }

        private func finish(_ element: Element) {
            let reader: UnsafeContinuation<Element?, Never>? = state.withLock { state in
                state.tasks.removeValue(forKey: element.index)
                guard let reader = state.reader else {
                    state.results.append(element)
                    return nil
                }
                state.reader = nil
                return reader
            }
            reader?.resume(returning: element)
        }
    }
}

extension DataTransferService {
    /// Requests several endpoints at once, and hands out each result as it comes.
    ///
    /// - Parameter limit: How many are under way, or have come and wait to be taken, at once; 6 unless given, as many as one host gets
    ///   connections; at least 1.
    public func results<Target: ResponseRequestable>(
        of endpoints: [Target], limit: Int = 6
    ) -> ConcurrentResults<Target.Response> {
        ConcurrentResults(count: endpoints.count, limit: limit) { index in await result(of: endpoints[index]) }
    }

    /// Requests several endpoints at once, and tells each result as it comes.
    ///
    /// - Parameters:
    ///   - limit: How many are under way at once; 6 unless given, as many as one host gets connections; at least 1.
    ///   - queue: Where the closures run; by default on background threads that no transfer depends on.
    ///   - onResult: Runs once for each endpoint, with its index. Never twice at once.
    ///   - completion: Runs exactly once, after the last `onResult`.
    /// - Returns: A handle that calls all of them off; those that had not come are then told as errors whose `isCancelled` is true.
    @discardableResult
    public func results<Target: ResponseRequestable>(
        of endpoints: [Target], limit: Int = 6, on queue: (any DataTransferDispatchQueue)? = nil,
        onResult: @escaping @Sendable (_ index: Int, _ result: Result<Target.Response, DataTransferError>) -> Void,
        completion: @escaping @Sendable () -> Void
    ) -> any NetworkCancellable {
        let run: @Sendable (@escaping @Sendable () -> Void) -> Void = { work in
            if let queue { queue.asyncExecute(work: work) } else { BackgroundThreads.completions.run(work) }
        }
        return TaskCancellable(on: queue) { () async throws(Never) in
            for await (index, result) in results(of: endpoints, limit: limit) {
                // One after another, also on a queue that is concurrent; and no more are begun than are told.
                await withUnsafeContinuation { continuation in
                    run {
                        onResult(index, result)
                        continuation.resume()
                    }
                }
            }
        } completion: { _ in
            completion()
        }
    }
}
