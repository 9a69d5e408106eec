import Dispatch

/// A queue on which completions run. `DispatchQueue` conforms; a test may use a type that runs the work synchronously.
public protocol DataTransferDispatchQueue: Sendable {
    /// Runs `work` once, synchronously or asynchronously.
    func asyncExecute(work: @escaping @Sendable () -> Void)
}

extension DataTransferDispatchQueue where Self == DispatchQueue {
    /// The main queue, with a leading dot.
    ///
    /// ```swift
    /// let handle = service.request(popular, on: .main) { result in … }
    /// ```
    public static var main: DispatchQueue { DispatchQueue.main }
}

extension DispatchQueue: DataTransferDispatchQueue {
    /// Runs `work` on this queue asynchronously.
    public func asyncExecute(work: @escaping @Sendable () -> Void) {
        async(execute: work)
    }
}

/// Runs closures of the caller on a queue, or on ``BackgroundThreads/completions`` without one.
struct CompletionRunner: BlockingWorkRunner {
    let queue: (any DataTransferDispatchQueue)?

    func run(_ work: @escaping @Sendable () -> Void) {
        guard let queue else { return BackgroundThreads.completions.run(work) }
        queue.asyncExecute(work: work)
    }
}
