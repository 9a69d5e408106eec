import NetworkCore

/// Decides when a connection is pinged, and when it has failed: a state machine without a clock.
///
/// Times are measured from the handshake on.
package struct KeepAlive: Sendable {
    package enum Action: Sendable, Equatable {
        /// Nothing is to be done before that time.
        case sleep(until: Duration)
        case ping
        case fail(Failure)
    }

    package enum Failure: Sendable, Equatable {
        case ping
        case idle
        case total
    }

    package var pingInterval: Duration?
    package var pingTimeout: Duration = .seconds(20)
    package var idleTimeout: Duration?
    package var totalTimeout: Duration?
    /// When a byte was last received.
    private var lastReceived: Duration = .zero
    /// When a message was last sent or received.
    var lastMessage: Duration = .zero
    /// When a ping was sent to which nothing was received yet.
    private var pinged: Duration?

    package init() {}

    init(_ options: WebSocketOptions) {
        pingInterval = options.pingInterval
        pingTimeout = options.pingTimeout
        idleTimeout = options.idleTimeout
        totalTimeout = options.totalTimeout
    }

    /// Whether there is nothing to do at any time.
    package var isIdle: Bool { pingInterval == nil && idleTimeout == nil && totalTimeout == nil }

    /// Bytes were received, which is as good as a pong.
    package mutating func received(at now: Duration) {
        lastReceived = max(lastReceived, now)
        pinged = nil
    }

    /// Returns what is to be done at that time.
    package mutating func next(at now: Duration) -> Action {
        if let totalTimeout, now >= totalTimeout { return .fail(.total) }
        if let idleTimeout, now >= lastMessage + idleTimeout { return .fail(.idle) }
        var due = [totalTimeout, idleTimeout.map { lastMessage + $0 }].compactMap { $0 }.min()
        if let pingInterval {
            if let sent = pinged {
                if now >= sent + pingTimeout { return .fail(.ping) }
                due = min(due ?? sent + pingTimeout, sent + pingTimeout)
            } else if now >= lastReceived + pingInterval {
                pinged = now
                return .ping
            } else {
                due = min(due ?? lastReceived + pingInterval, lastReceived + pingInterval)
            }
        }
        return .sleep(until: due ?? .seconds(1_000_000))
    }
}
