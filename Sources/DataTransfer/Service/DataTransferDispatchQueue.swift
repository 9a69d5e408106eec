import Dispatch
import NetworkCore

/// Where completions run. A `DispatchQueue` is one; a test may run the work at once.
public protocol DataTransferDispatchQueue: Sendable {
    /// Runs `work` once, now or later.
    func asyncExecute(work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: DataTransferDispatchQueue {
    /// Runs `work` on this queue, later.
    public func asyncExecute(work: @escaping @Sendable () -> Void) {
        async(execute: work)
    }
}

extension TaskCancellable {
    /// An async operation with a completion on a queue of the caller's choice.
    ///
    /// - Parameters:
    ///   - queue: With `nil`, a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    init<Value: Sendable, Failure: Error>(
        on queue: (any DataTransferDispatchQueue)?, _ operation: @escaping @Sendable () async throws(Failure) -> Value,
        completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        self.init(operation) { result in
            guard let queue else { return completion(result) }
            queue.asyncExecute { completion(result) }
        }
    }
}

/// Runs a closure that may block away from the pool of async tasks, and returns when it has.
func run<Element: Sendable>(
    _ closure: @escaping @Sendable (Element) -> Void, with element: Element, on queue: (any DataTransferDispatchQueue)?
) async {
    await withUnsafeContinuation { continuation in
        let work: @Sendable () -> Void = {
            closure(element)
            continuation.resume()
        }
        if let queue {
            queue.asyncExecute(work: work)
        } else {
            BackgroundThreads.completions.run(work)
        }
    }
}
