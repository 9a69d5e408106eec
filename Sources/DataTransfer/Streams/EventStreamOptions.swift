import Endpoints
import NetworkCore

/// The options that decide how a stream of events reconnects to the server (WHATWG HTML §9.2.2 and §9.2.3).
///
/// The stream reconnects after the end of a response and after temporary failures: failed connections, timeouts, interrupted
/// bodies, and the statuses 408, 425, 429, 500, 502, 503 and 504. A status 204 ends the stream normally. Any other status, a
/// content type other than `text/event-stream`, and an exceeded limit end it with an error.
///
/// The stream reconnects only if that is safe. A request that is not idempotent, such as a POST, is sent again only after a failure before its
/// first byte was sent: at the normal end of its response the stream ends, and an interruption is an error. An endpoint whose
/// request may be repeated nonetheless says so with ``Endpoints/RequestDescription/isIdempotent``. Neither is a body sent again that can be
/// read only once.
///
/// The pause before an attempt is the last `retry:` value of the server, or by default the base of ``backoff``. It grows with each
/// further attempt that fails in a row, up to the maximum. A `Retry-After` field (RFC 9110 §10.2.3) makes it
/// longer, up to the same maximum.
public struct EventStreamOptions: Sendable {
    /// The minimum pause that applies to a `retry:` value of the server.
    static let minimumServerDelay = Duration.milliseconds(100)

    /// The number of attempts in a row that may fail before the stream ends with the error of the last one, at least 1.
    ///
    /// An attempt fails if it receives neither an event nor a comment; one that does resets the count. Default: 10.
    public var maximumAttempts: Int
    /// The pauses: the base applies until the server sends a `retry:` value, and the maximum also to those that the server requests. Default: 3
    /// seconds, then twice as long each, up to 60 seconds; not random.
    public var backoff: Backoff
    /// The clock that measures the pauses. Default: the continuous clock.
    public var clock: any Clock<Duration>

    /// Creates options. The parameters are described at the properties of the same names.
    public init(
        maximumAttempts: Int = 10, backoff: Backoff = Backoff(base: .seconds(3), maximumDelay: .seconds(60), isRandom: false),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.clock = clock
    }
}
