import DataTransfer

/// Returns the value that a completion is called with.
func outcome<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}

/// A queue that runs work synchronously on the calling thread, and counts it.
final class CountingQueue: DataTransferDispatchQueue {
    private let counted = Locked(0)
    var count: Int { counted.withLock { $0 } }

    func asyncExecute(work: @escaping @Sendable () -> Void) {
        counted.withLock { $0 += 1 }
        work()
    }
}
