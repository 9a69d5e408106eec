import NetworkCore

/// State protected by a lock, whose changes tests can wait for.
final class Watched<State: Sendable>: Sendable {
    private struct Waiter {
        var condition: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct Storage {
        var state: State
        var waiters: [Waiter] = []
    }

    private let storage: Locked<Storage>

    init(_ state: State) {
        storage = Locked(Storage(state: state))
    }

    func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, waiters): (Result, [Waiter]) = storage.withLock { storage in
            let result = body(&storage.state)
            if storage.waiters.isEmpty { return (result, []) }
            let state = storage.state
            let met = storage.waiters.filter { $0.condition(state) }
            storage.waiters.removeAll { $0.condition(state) }
            return (result, met)
        }
        for waiter in waiters { waiter.continuation.resume() }
        return result
    }

    /// Returns as soon as the condition holds.
    func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = storage.withLock { storage in
                if condition(storage.state) { return true }
                storage.waiters.append(Waiter(condition: condition, continuation: continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }
}
