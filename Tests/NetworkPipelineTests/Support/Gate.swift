import NetworkCore

/// Holds whoever comes until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var inside: [CheckedContinuation<Void, Never>] = []
        var arrivals = 0
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, observers) = state.withLock { state in
                state.arrivals += 1
                if !state.isOpen { state.inside.append(continuation) }
                defer { state.observers = [] }
                return (state.isOpen, state.observers)
            }
            if isOpen { continuation.resume() }
            for observer in observers { observer.resume() }
        }
    }

    /// Returns when somebody has come.
    func waitForArrival() async {
        await withCheckedContinuation { continuation in
            let hasCome = state.withLock { state in
                if state.arrivals == 0 { state.observers.append(continuation) }
                return state.arrivals > 0
            }
            if hasCome { continuation.resume() }
        }
    }

    func open() {
        let inside = state.withLock { state in
            state.isOpen = true
            defer { state.inside = [] }
            return state.inside
        }
        for continuation in inside { continuation.resume() }
    }
}
