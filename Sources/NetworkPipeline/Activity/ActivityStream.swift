import NetworkCore

/// The latest state for one reader, who is told of it once.
final class ActivityStream: Sendable {
    private struct State {
        var current: Bool
        var read: Bool?
        var isFinished = false
        var waiting: [UInt64: UnsafeContinuation<Bool?, Never>] = [:]
        var lastTicket: UInt64 = 0
        /// Readers whose cancellation came before their wait.
        var cancelled: Set<UInt64> = []
    }

    private let state: Locked<State>

    /// - Parameter current: What is now.
    init(_ current: Bool) {
        state = Locked(State(current: current))
    }

    /// Notes the state. Resuming a reader only schedules it.
    func tell(_ isActive: Bool) {
        let reader = state.withLock { state -> UnsafeContinuation<Bool?, Never>? in
            state.current = isActive
            guard state.read != isActive, let ticket = state.waiting.keys.min() else { return nil }
            state.read = isActive
            return state.waiting.removeValue(forKey: ticket)
        }
        reader?.resume(returning: isActive)
    }

    /// Lets every reader, now and later, read the end once there is nothing else to read.
    func finish() {
        let readers = state.withLock { state in
            defer { state.waiting = [:] }
            state.isFinished = true
            return state.waiting.values
        }
        for reader in readers { reader.resume(returning: nil) }
    }

    /// The state, as soon as it is another than was read last; `nil` at the end and when the task is cancelled.
    func next() async -> Bool? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return await withTaskCancellationHandler {
            let result = await withUnsafeContinuation { wait($0, ticket) }
            state.withLock { _ = $0.cancelled.remove(ticket) }
            return result
        } onCancel: {
            let reader = state.withLock { state in
                state.cancelled.insert(ticket)
                return state.waiting.removeValue(forKey: ticket)
            }
            reader?.resume(returning: nil)
        }
    }

    private func wait(_ continuation: UnsafeContinuation<Bool?, Never>, _ ticket: UInt64) {
        let result: Bool?? = state.withLock { state in
            if state.cancelled.contains(ticket) { return .some(nil) }
            guard state.read == state.current else {
                state.read = state.current
                return state.current
            }
            if state.isFinished { return .some(nil) }
            state.waiting[ticket] = continuation
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }
}
