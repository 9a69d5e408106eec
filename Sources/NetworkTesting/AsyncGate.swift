import NetworkCore

/// A gate that suspends tasks until it is opened.
package final class AsyncGate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var observers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    package init() {}

    /// The number of calls of ``wait()`` so far.
    package var arrived: Int { state.withLock(\.arrived) }

    /// Suspends until the gate is open; returns at once if it already is.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let (isOpen, observers) = state.withLock { state in
                state.arrived += 1
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.observers = [] }
                return (state.isOpen, state.observers)
            }
            if isOpen { continuation.resume() }
            for observer in observers { observer.resume() }
        }
    }

    /// Suspends until ``wait()`` has been called at least once.
    package func waitForArrival() async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if state.arrived == 0 { state.observers.append(continuation) }
                return state.arrived > 0
            }
            if hasArrived { continuation.resume() }
        }
    }

    /// Resumes all waiting tasks, and lets later ones pass at once.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
