import Foundation

/// State behind a lock. The lock is held for the length of a closure, never across a callback or a suspension.
///
/// `NSLock` rather than `Mutex`, because the latter needs macOS 15 and iOS 18.
// Sendable although unchecked: `state` is only touched inside `withLock`.
package final class Locked<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var state: State

    package init(_ state: sending State) {
        self.state = state
    }

    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&state)
    }
}
