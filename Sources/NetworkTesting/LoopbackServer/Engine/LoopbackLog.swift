import Foundation
import NetworkCore
import NetworkSupport

/// The requests and counts of a server so far, and the tasks that wait for them to change.
///
/// Promises are resolved after the lock is released.
final class LoopbackLog: Sendable {
    struct Tally: Sendable {
        var requests = 0
        var connections = 0
        var openConnections = 0
        var isStopped = false
    }

    private struct Waiter {
        var isSatisfied: @Sendable (Tally) -> Bool
        var promise: Promise<Bool>
    }

    private struct State {
        var tally = Tally()
        var requests: [LoopbackRequest] = []
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Locked(State())
    private let maximumRequests: Int

    init(maximumRequests: Int) {
        self.maximumRequests = min(max(0, maximumRequests), Int.max / 2)
    }

    var tally: Tally { state.withLock(\.tally) }

    var requests: [LoopbackRequest] { state.withLock { $0.requests.suffix(maximumRequests) } }

    func record(_ request: LoopbackRequest) {
        update { state in
            state.tally.requests += 1
            guard maximumRequests > 0 else { return }
            state.requests.append(request)
            // Removing the older half occasionally costs less than removing the oldest request each time.
            if state.requests.count >= 2 * maximumRequests { state.requests.removeFirst(maximumRequests) }
        }
    }

    /// Counts a connection and returns its number, starting at 1.
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
        state.withLock { state in
            state.requests = []
            state.tally.requests = 0
        }
    }

    /// Waits until the tally satisfies a condition; returns `false` if the server stops or the task is cancelled before.
    func wait(until isSatisfied: @escaping @Sendable (Tally) -> Bool) async -> Bool {
        let promise = Promise<Bool>()
        let (id, result): (Int, Bool?) = state.withLock { state in
            state.nextWaiter += 1
            if isSatisfied(state.tally) { return (state.nextWaiter, true) }
            if state.tally.isStopped { return (state.nextWaiter, false) }
            state.waiters[state.nextWaiter] = Waiter(isSatisfied: isSatisfied, promise: promise)
            return (state.nextWaiter, nil)
        }
        if let result { return result }
        return await promise.value(cancellation: {
            self.state.withLock { $0.waiters[id] = nil }
            return false
        })
    }

    private func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, tally, ready) = state.withLock { state in
            let result = change(&state)
            let tally = state.tally
            guard !state.waiters.isEmpty else { return (result, tally, [Waiter]()) }
            let ready = state.waiters.filter { tally.isStopped || $0.value.isSatisfied(tally) }
            for id in ready.keys { state.waiters.removeValue(forKey: id) }
            return (result, tally, Array(ready.values))
        }
        for waiter in ready { waiter.promise.resolve(waiter.isSatisfied(tally)) }
        return result
    }
}
