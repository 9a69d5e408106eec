import Endpoints
import NetworkCore

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

/// Decides what follows the end of a connection; waits for nothing itself.
struct ReconnectionPlan {
    enum Action {
        case wait(Duration)
        case end
        case fail(DataTransferError)
    }

    private let reconnection: EventReconnection
    /// Attempts in a row that brought nothing.
    private var failures = 0

    init(_ reconnection: EventReconnection) {
        self.reconnection = reconnection
    }

    /// - Parameters:
    ///   - error: What ended the connection, or kept it from being made; `nil` where it ended as a body ends.
    ///   - hadSign: Whether it brought an event or a comment.
    ///   - serverDelay: What the server's latest `retry:` said.
    mutating func connectionEnded(_ error: DataTransferError?, hadSign: Bool, serverDelay: Duration?) -> Action {
        if let error {
            if error.statusCode == 204 { return .end }
            guard error.isRetryable, !error.isCancelled else { return .fail(error) }
        }
        failures = hadSign ? 0 : failures + 1
        guard failures < max(1, reconnection.maximumAttempts) else { return .fail(error ?? silence) }
        return .wait(pause(after: error, serverDelay))
    }

    private var silence: DataTransferError {
        let times = failures == 1 ? "" : ", \(failures) times in a row"
        return .networkFailure(.transport(TransportError(.connectionLost, "the stream ended without an event\(times)")))
    }

    private func pause(after error: DataTransferError?, _ serverDelay: Duration?) -> Duration {
        let longest = reconnection.maximumDelay.clamped(to: .zero...(.longest))
        let base = serverDelay.map { max($0, EventReconnection.minimumServerDelay) } ?? reconnection.delay
        var pause = min(max(.zero, base), longest)
        var doublings = failures - 1
        while doublings > 0, pause > .zero, pause < longest {
            pause = min(pause * 2, longest)
            doublings -= 1
        }
        if let seconds = error?.networkError?.response?.headers["Retry-After"].flatMap({ Int32($0) }) {
            pause = min(max(pause, .seconds(seconds)), longest)
        }
        return pause
    }
}
