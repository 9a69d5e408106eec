/// The time limits of one request. For a value that is `nil`, the session manager's limit applies.
///
/// Values must be between 1 millisecond and 10^6 seconds (about eleven days). Other values are an error when the request is
/// built.
public struct RequestTimeouts: Sendable, Hashable {
    /// The time limit from leaving the queue until the connection is ready: name lookup, TCP and TLS together.
    public var connect: Duration?
    /// The maximum time during which no bytes are transferred in either direction.
    public var idle: Duration?
    /// The time limit for everything: waiting for a connection, all redirects, until the last byte.
    public var total: Duration?
    /// Whether ``total`` is the remaining time of a deadline alone, so that the limit of the session manager applies too.
    var isTotalOfDeadline = false
    /// The deadline that replaces the service's. ``RequestDeadline/default`` keeps the service's deadline.
    public var deadline: RequestDeadline

    /// Creates the limits of one request. By default, the session manager's limits and the service's deadline apply.
    public init(
        connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil, deadline: RequestDeadline = .default
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
        self.deadline = deadline
    }

    /// Returns the time limit for everything, with the limit of the session manager.
    package func total(_ limit: Duration?) -> Duration? {
        guard let total else { return limit }
        return isTotalOfDeadline ? min(total, limit ?? total) : total
    }

    /// Limits ``total`` to the remaining time of a deadline, unless it is shorter.
    mutating func limitTotal(to time: Duration) {
        guard let total else {
            isTotalOfDeadline = true
            return self.total = time
        }
        self.total = min(total, time)
    }

    /// The valid values of a time limit. Session managers cannot measure less than a millisecond.
    static let range = Duration.nanoseconds(minimumNanoseconds)...Duration.nanoseconds(maximumNanoseconds)
    static var minimumNanoseconds: UInt64 { 1_000_000 }
    static var maximumNanoseconds: UInt64 { 1_000_000_000_000_000 }

    func validate() throws(RequestGenerationError) {
        for (name, value) in [("connect", connect), ("idle", idle), ("total", total), ("deadline", deadline.time)] {
            guard let value, !Self.range.contains(value) else { continue }
            throw RequestGenerationError(.timeout(name), "\(value) is outside 1 ms...1000000 s")
        }
    }
}

/// The deadline of an endpoint, which replaces the deadline of the service.
///
/// ```swift
/// report.timeouts.deadline = .limit(.seconds(300))
/// export.timeouts.deadline = .unlimited
/// ```
///
/// For a call that collects the response body in memory, a deadline limits the total time until the last byte: all attempts,
/// pauses, queues and redirects. For a stream or a download, it limits the time until the head of the response is received, and
/// after that the time without received bytes, but not the total time of the body.
public enum RequestDeadline: Sendable, Hashable {
    /// The service's deadline: that of its `DeadlineInterceptor`, if it has one. This is the default.
    case `default`

    /// No deadline. The time limits of ``RequestTimeouts`` and of the session manager still apply.
    case unlimited

    /// A deadline relative to the start of the call, 1 millisecond to 10^6 seconds. Other values are an error when the request is built.
    ///
    /// It replaces the service's deadline, whether that is longer, shorter or not set.
    case limit(Duration)

    /// The time limit; `nil` for no deadline or for the service's deadline.
    package var time: Duration? {
        if case .limit(let time) = self { time } else { nil }
    }
}
