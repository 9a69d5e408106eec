import NetworkCore
import NetworkSupport

/// Lets one task at a time send a message, in the order in which they ask: the frames of two messages must not be mixed (RFC 6455 §5.4).
final class SendingTurn: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [(number: UInt64, promise: Promise<Bool>)] = []
        var next: UInt64 = 0
    }

    private let state = Locked(State())

    /// Takes the turn if it is free.
    func take() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            return true
        }
    }

    /// Waits for the turn.
    ///
    /// - Returns: `false` if the task was cancelled meanwhile; it does not have the turn then.
    func wait() async -> Bool {
        let promise = Promise<Bool>()
        let number = state.withLock { state -> UInt64? in
            guard state.isTaken else {
                state.isTaken = true
                return nil
            }
            state.next += 1
            state.waiting.append((state.next, promise))
            return state.next
        }
        guard let number else { return true }
        let hasTurn = await promise.value { false }
        if !hasTurn { state.withLock { state in state.waiting.removeAll { $0.number == number } } }
        return hasTurn
    }

    /// Gives the turn to the next task.
    func release() {
        while true {
            let next = state.withLock { state -> Promise<Bool>? in
                guard !state.waiting.isEmpty else {
                    state.isTaken = false
                    return nil
                }
                return state.waiting.removeFirst().promise
            }
            // One that was cancelled meanwhile leaves the turn to the one after it.
            guard let next, !next.resolve(true) else { return }
        }
    }
}
