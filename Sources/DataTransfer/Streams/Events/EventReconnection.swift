/// How a stream of events finds its way back to the server (WHATWG HTML §9.2.2 and §9.2.3).
///
/// After its end, and after a failure that may pass, a stream is opened again: connection failures, timeouts, a body that breaks off, and
/// status 408, 425, 429, 500, 502, 503 and 504. Everything else ends it: 204 as its proper end; any other status, another content type
/// than `text/event-stream`, and a limit that is hit as errors.
///
/// The pause before is what the server's `retry:` said last, else ``delay``. It doubles with each further attempt that fails in a row, up to
/// ``maximumDelay``. A `Retry-After` in seconds (RFC 9110 §10.2.3) makes it longer, within the same bound.
public struct EventReconnection: Sendable {
    /// The shortest pause that a server's `retry:` can ask for.
    public static let minimumServerDelay = Duration.milliseconds(100)

    /// How many attempts in a row may fail; then the stream ends with the last one's error. 10 by default, 1 at least. An attempt fails that
    /// brings neither an event nor a comment; one that does starts the count anew.
    public var maximumAttempts: Int
    /// The pause until the server asks for another. 3 s by default.
    public var delay: Duration
    /// The longest pause, whoever asks for it. 60 s by default.
    public var maximumDelay: Duration
    /// What pauses are measured with.
    public var clock: any Clock<Duration>

    /// - Parameters: see the properties of the same names.
    public init(
        maximumAttempts: Int = 10, delay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.maximumAttempts = maximumAttempts
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.clock = clock
    }
}
