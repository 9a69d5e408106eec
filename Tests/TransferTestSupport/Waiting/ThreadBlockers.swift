import Dispatch

/// Blocks the threads that call ``block()`` until all are released.
package final class ThreadBlockers: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let entered = Watched(0)
    private let left = Watched(0)

    package init() {}

    /// Blocks the calling thread.
    package func block() {
        entered.withLock { $0 += 1 }
        gate.wait()
        left.withLock { $0 += 1 }
    }

    /// Waits until so many threads are, or were, blocked.
    package func waitUntilEntered(_ count: Int) async { await entered.wait { $0 >= count } }

    /// Releases so many threads, and waits until that number has left ``block()`` since the creation.
    package func release(_ count: Int) async {
        for _ in 0..<count { gate.signal() }
        await left.wait { $0 == count }
    }
}
