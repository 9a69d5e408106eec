import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The results of several concurrent requests in the order of completion: an async sequence.
///
/// ```swift
/// for await (index, result) in service.results(of: endpoints) {
///     print(endpoints[index], result)
/// }
/// ```
///
/// The sequence has exactly one element per endpoint. The first call of `next()` starts the first requests, and each further
/// call starts another one; at most `maximumConcurrency` requests are running or have a result that is not read yet. When the iterating
/// task is cancelled, all requests are cancelled, and the remaining elements are errors whose `isCancelled` is true.
/// Releasing the sequence and its iterators cancels all requests. The sequence can be read once, by one task at a time.
public struct ConcurrentResults<Value: Sendable>: AsyncSequence, Sendable {
    /// The index of an endpoint and the result of its request.
    public typealias Element = (index: Int, result: Result<Value, DataTransferError>)

    private let source: Source

    init(count: Int, limit: Int, request: @escaping @Sendable (Int) async -> Result<Value, DataTransferError>) {
        source = Source(count: count, limit: Swift.max(limit, 1), request: request)
    }

    /// Returns an iterator that continues where the last one stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// An iterator over the results.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// Waits for the next result.
        ///
        /// - Returns: The next result; `nil` after the last one.
        public mutating func next() async -> Element? {
            await source.next()
        }
    }
}

extension ConcurrentResults {
    /// The owner of the requests, shared by the sequence and its iterators, but not by the running requests.
    ///
    /// Its release cancels the requests.
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
            /// The running requests; the value is `nil` until the task has been stored.
            var tasks: [Int: Task<Void, Never>?] = [:]
            /// The results that have not been read yet.
            var results: [Element] = []
            var reader: Promise<Element?>?
            var isStopped = false

            mutating func take(of count: Int) -> Element? {
                if !results.isEmpty { return results.removeFirst() }
                // Endpoints that were not started before the cancellation.
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
            let reader = Promise<Element?>()
            let result: Element?? = state.withLock { state in
                if let element = state.take(of: count) { return .some(element) }
                if state.tasks.isEmpty { return .some(nil) }
                state.reader = reader
                return nil
            }
            if let result { return result }
            return await reader.value()
        }

        func stop() {
            let tasks = state.withLock { state in
                state.isStopped = true
                return Array(state.tasks.values)
            }
            for task in tasks { task?.cancel() }
        }

        /// Reserves the next endpoint, if another request may be started.
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
            // The request may have ended, or all may have been cancelled, before the task is stored.
            let isStopped = state.withLock { state in
                if state.tasks.keys.contains(index) { state.tasks.updateValue(task, forKey: index) }
                return state.isStopped
            }
            if isStopped { task.cancel() }
        }

        private func finish(_ element: Element) {
            let reader: Promise<Element?>? = state.withLock { state in
                state.tasks.removeValue(forKey: element.index)
                guard let reader = state.reader else {
                    state.results.append(element)
                    return nil
                }
                state.reader = nil
                return reader
            }
            reader?.resolve(element)
        }
    }
}

extension DataTransferService {
    /// Sends requests for several endpoints concurrently, and returns a sequence of the results in the order of completion.
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints to request.
    ///   - maximumConcurrency: The maximum number of requests that are running or have a result that is not read yet, at least 1.
    ///     Default: 6, the default number of connections per host.
    public func results<Target: ResponseRequestable>(
        of endpoints: [Target], maximumConcurrency: Int = 6
    ) -> ConcurrentResults<Target.Response> {
        ConcurrentResults(count: endpoints.count, limit: maximumConcurrency) { index in await result(for: endpoints[index]) }
    }
}

extension ConcurrentResults: RedactedStringConvertible {}

extension ConcurrentResults.Iterator: RedactedStringConvertible {}
