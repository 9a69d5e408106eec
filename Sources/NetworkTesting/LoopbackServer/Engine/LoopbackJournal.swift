import Foundation

/// What has happened on a server so far, and who waits for what is to happen.
///
/// `@unchecked Sendable`: `state` is only touched with `lock` held, and continuations are resumed after it is released.
final class LoopbackJournal: @unchecked Sendable {
    struct Tally: Sendable {
        var requests = 0
        var connections = 0
        var openConnections = 0
        var isStopped = false
    }

    private struct Waiter {
        var isSatisfied: @Sendable (Tally) -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var tally = Tally()
        var requests: [LoopbackRequest] = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let lock = NSLock()
    private var state = State()
    private let maximumRequests: Int

    init(maximumRequests: Int) {
        self.maximumRequests = min(max(0, maximumRequests), Int.max / 2)
    }

    var tally: Tally { lock.withLock { state.tally } }

    var requests: [LoopbackRequest] { lock.withLock { state.requests.suffix(maximumRequests) } }

    func record(_ request: LoopbackRequest) {
        update { state in
            state.tally.requests += 1
            guard maximumRequests > 0 else { return }
            state.requests.append(request)
            // Dropping the older half now and then costs less than dropping the oldest each time.
            if state.requests.count >= 2 * maximumRequests { state.requests.removeFirst(maximumRequests) }
        }
    }

    /// Counts a connection and numbers it, from 1.
    func connectionOpened() -> Int {
        update { state in
            state.tally.connections += 1
            state.tally.openConnections += 1
            return state.tally.connections
        }
    }

    func connectionClosed() {
        update { $0.tally.openConnections -= 1 }
    }

    func stopped() {
        update { $0.tally.isStopped = true }
    }

    func forgetRequests() {
        lock.withLock {
            state.requests = []
            state.tally.requests = 0
        }
    }

    /// Returns `true` once the tally is as wished, `false` if the server stops or the task is cancelled before.
    func wait(until isSatisfied: @escaping @Sendable (Tally) -> Bool) async -> Bool {
        let id = lock.withLock {
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = lock.withLock {
                    if isSatisfied(state.tally) { return true }
                    // Looked at with the lock held: a cancellation comes either before this or finds the waiter.
                    if Task.isCancelled || state.tally.isStopped { return false }
                    state.waiters[id] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            lock.withLock { state.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
        }
    }

    private func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, tally, ready) = lock.withLock {
            let result = change(&state)
            let tally = state.tally
            guard !state.waiters.isEmpty else { return (result, tally, [Waiter]()) }
            let ready = state.waiters.filter { tally.isStopped || $0.value.isSatisfied(tally) }
            for id in ready.keys { state.waiters.removeValue(forKey: id) }
            return (result, tally, Array(ready.values))
        }
        for waiter in ready { waiter.continuation.resume(returning: waiter.isSatisfied(tally)) }
        return result
    }
}
