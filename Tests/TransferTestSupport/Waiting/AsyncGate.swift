import NetworkCore
import NetworkSupport

/// A gate that suspends tasks until it is opened.
package final class AsyncGate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [Promise<Void>] = []
        var observers: [Promise<Void>] = []
    }

    private let state = Locked(State())

    package init() {}

    /// The number of calls of ``wait()`` so far.
    package var arrived: Int { state.withLock(\.arrived) }

    /// Suspends until the gate is open; returns at once if it already is.
    package func wait() async {
        let opened = Promise<Void>()
        let (isOpen, observers) = state.withLock { state in
            state.arrived += 1
            if !state.isOpen { state.waiting.append(opened) }
            defer { state.observers = [] }
            return (state.isOpen, state.observers)
        }
        for observer in observers { observer.resolve(()) }
        if !isOpen { await opened.value() }
    }

    /// Suspends until ``wait()`` has been called at least once.
    package func waitForArrival() async {
        let arrival = Promise<Void>()
        let hasArrived = state.withLock { state in
            if state.arrived == 0 { state.observers.append(arrival) }
            return state.arrived > 0
        }
        if !hasArrived { await arrival.value() }
    }

    /// Resumes all waiting tasks, and lets later ones pass at once.
    package func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.resolve(()) }
    }
}
