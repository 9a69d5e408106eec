import DataTransfer
import Foundation
import NetworkCore
import NetworkSupport

/// Returns the value that a completion is called with.
package func outcome<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}

/// Runs blocking work on a separate thread, so that asynchronous handlers have a thread to run on at the same time.
package func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
    }
}

/// A queue that runs work synchronously on the calling thread, and counts it.
package final class CountingQueue: DataTransferDispatchQueue {
    private let counted = Locked(0)
    package var count: Int { counted.withLock { $0 } }

    package init() {}

    package func asyncExecute(work: @escaping @Sendable () -> Void) {
        counted.withLock { $0 += 1 }
        work()
    }
}
