/// The events of an operation that runs beside another one: kept until the operation takes the place of the other, and passed on
/// from then on, in order.
package final class HeldEvents<Event: Sendable>: Sendable {
    private struct State {
        var held: [Event] = []
        var receive: (@Sendable (Event) -> Void)?
    }

    private let state = Locked(State())
    private let keepsOnlyNewest: Bool

    /// Creates an object without events.
    ///
    /// - Parameter keepsOnlyNewest: Whether only the newest of the kept events is passed on later. Default: `false`.
    package init(keepsOnlyNewest: Bool = false) {
        self.keepsOnlyNewest = keepsOnlyNewest
    }

    /// Keeps an event, or passes it on.
    package func send(_ event: Event) {
        let receive = state.withLock { state in
            if state.receive == nil {
                if keepsOnlyNewest { state.held = [] }
                state.held.append(event)
            }
            return state.receive
        }
        receive?(event)
    }

    /// Passes on the events that were kept, and all later ones. Called once.
    package func release(to receive: @escaping @Sendable (Event) -> Void) {
        while true {
            let held: [Event] = state.withLock { state in
                if state.held.isEmpty { state.receive = receive }
                defer { state.held = [] }
                return state.held
            }
            if held.isEmpty { return }
            for event in held { receive(event) }
        }
    }
}
