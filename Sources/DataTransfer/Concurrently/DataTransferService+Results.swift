import Endpoints
import NetworkCore

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
