import Foundation
import NetworkCore
import NetworkSupport

/// State protected by a lock, whose changes tests can wait for.
package final class Watched<State>: Sendable {
    private struct Waiter {
        let isMet: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Storage {
        var state: State
        var waiters: [UUID: Waiter] = [:]
        var cancelled: Set<UUID> = []
    }

    private let storage: Locked<Storage>

    package init(_ state: sending State) {
        storage = Locked(Storage(state: state))
    }

    /// Calls the closure with exclusive access to the state, and resumes the waiting tasks whose condition then holds.
    @discardableResult
    package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, met): (Result, [Waiter]) = storage.withLock { storage in
            let result = body(&storage.state)
            if storage.waiters.isEmpty { return (result, []) }
            let met = storage.waiters.filter { $0.value.isMet(storage.state) }
            for key in met.keys { storage.waiters[key] = nil }
            return (result, Array(met.values))
        }
        for waiter in met { waiter.continuation.resume() }
        return result
    }

    /// Returns when the condition holds, or when the task is cancelled, as it is when a test exceeds its time limit.
    package func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
        let key = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = storage.withLock { storage in
                    let isOver = isMet(storage.state) || storage.cancelled.contains(key)
                    if !isOver { storage.waiters[key] = Waiter(isMet: isMet, continuation: continuation) }
                    return isOver
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = storage.withLock { storage in
                storage.cancelled.insert(key)
                return storage.waiters.removeValue(forKey: key)
            }
            waiter?.continuation.resume()
        }
    }
}
