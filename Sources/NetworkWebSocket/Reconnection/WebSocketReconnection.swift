import Endpoints
import NetworkCore

/// When a ``ReconnectingWebSocket`` opens another connection, and when it fails.
///
/// It reconnects after a lost connection, a ping without a pong, a close frame with the code 1001, 1011 to 1014, and after attempts to open a
/// connection that fail temporarily: failed connections, timeouts, and the statuses 408, 425, 429, 500, 502, 503 and 504. Everything else
/// ends it: the code 1000 or none in an orderly way, any other failure with its error.
public struct WebSocketReconnection: Sendable {
    /// The number of failures in a row after each of which it tries once more, at least 1: attempts to open a connection, and connections that
    /// ended. A received message resets it. Default: 10.
    public var maximumAttempts = 10
    /// The pauses; the maximum also limits a pause for which the server asks (`Retry-After`). Default: random below 1 second, then below twice as
    /// long each, up to 60 seconds.
    public var backoff = Backoff(base: .seconds(1), maximumDelay: .seconds(60))
    /// The clock that measures the pauses. Default: the continuous clock.
    public var clock: any Clock<Duration> = ContinuousClock()

    /// Creates a policy.
    ///
    /// - Parameter change: Called once with the defaults, before the initializer returns. Default: changes nothing.
    public init(_ change: (inout WebSocketReconnection) -> Void = { _ in }) {
        change(&self)
    }

    /// Whether another connection may succeed where this error has ended one.
    package static func isTemporary(_ error: WebSocketError) -> Bool {
        switch error.code {
        case .connectionLost, .pingTimeout: true
        case .closed:
            [.goingAway, .internalError].contains(error.closeCode) || (1012...1014).contains(error.closeCode?.rawValue ?? 0)
        case .requestFailed: (error.underlying as? NetworkError)?.allowsReconnection ?? false
        default: false
        }
    }
}

extension WebSocketError: CallError {
    package var facts: CallFacts {
        CallFacts(
            statusCode: underlying?.statusCode, isCancelled: code == .cancelled || underlying?.isCancelled ?? false,
            isTimeout: [.pingTimeout, .idleTimeout, .totalTimeout].contains(code) || underlying?.isTimeout ?? false,
            isConnectivity: code == .connectionLost || underlying?.isConnectivity ?? false,
            isRetryable: code == .requestFailed ? underlying?.isRetryable ?? false : WebSocketReconnection.isTemporary(self))
    }
}
