import Dispatch

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
