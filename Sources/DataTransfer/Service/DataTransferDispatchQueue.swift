import Dispatch
import NetworkCore

/// A queue on which completions run. `DispatchQueue` conforms; a test may use a type that runs the work synchronously.
public protocol DataTransferDispatchQueue: Sendable {
    /// Runs `work` once, synchronously or asynchronously.
    func asyncExecute(work: @escaping @Sendable () -> Void)
}

extension DispatchQueue: DataTransferDispatchQueue {
    /// Runs `work` on this queue asynchronously.
    public func asyncExecute(work: @escaping @Sendable () -> Void) {
        async(execute: work)
    }
}

extension TaskCancellable {
    /// Creates a cancellable for an async operation, with a completion that runs on a queue.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the completion runs; with `nil`, a background thread on which no transfer depends.
    ///   - operation: The operation, which runs in a task.
    ///   - completion: Called exactly once.
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

/// Runs a closure that may block outside the thread pool of async tasks, and waits until it has returned.
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
