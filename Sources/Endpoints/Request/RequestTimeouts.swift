/// Time limits of one request. `nil` leaves the session manager's limit in force.
///
/// Values must lie between 1 millisecond and 10^6 seconds (some eleven days); others are refused when the request is
/// built, with an error that names the field.
public struct RequestTimeouts: Sendable, Hashable {
    /// From leaving the queue until the connection is ready: name lookup, TCP and TLS together.
    public var connect: Duration?
    /// The longest time in which no byte moves in either direction.
    public var idle: Duration?
    /// Everything: waiting for a connection, all redirects, until the last byte.
    public var total: Duration?
    /// What becomes of the service's deadline. ``RequestDeadline/default`` leaves it as it is.
    public var deadline: RequestDeadline

    /// Limits of one request; those not given are the session manager's, and the deadline is the service's.
    public init(
        connect: Duration? = nil, idle: Duration? = nil, total: Duration? = nil, deadline: RequestDeadline = .default
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
        self.deadline = deadline
    }

    func validate() throws(RequestGenerationError) {
        for (name, value) in [("connect", connect), ("idle", idle), ("total", total), ("deadline", deadline.limit)] {
            guard let value, value < .milliseconds(1) || value > .seconds(1_000_000) else { continue }
            throw RequestGenerationError(.timeout(name), "\(value) is outside 1 ms...1000000 s")
        }
    }
}

/// What an endpoint says to the deadline of the service that is asked for it.
///
/// ```swift
/// Endpoint<Report>(path: "report", timeouts: RequestTimeouts(deadline: .limit(.seconds(300))))
/// Endpoint<Data>(path: "export", timeouts: RequestTimeouts(deadline: .unlimited), responseDecoder: .rawData)
/// ```
///
/// A deadline bounds a call whose body is collected in memory as a whole: all attempts, pauses, lines and redirects, until the last byte.
/// Of a stream or a download it bounds the time until the head of the response has come, and from then on the time in which no byte
/// comes; however long the body takes, it does not end it.
public struct RequestDeadline: Sendable, Hashable {
    /// `nil` for none.
    package let limit: Duration?
    package let isDefault: Bool

    /// The service's: that of its `DeadlineInterceptor`, if it has one. What holds unless said otherwise.
    public static let `default` = RequestDeadline(limit: nil, isDefault: true)

    /// None; the time limits of ``RequestTimeouts`` and of the session manager hold.
    public static let unlimited = RequestDeadline(limit: nil, isDefault: false)

    /// So long from the call on, whether the service's own deadline is longer or shorter, or there is none.
    ///
    /// - Parameter limit: From 1 millisecond to 10^6 seconds; others are refused when the request is built.
    public static func limit(_ limit: Duration) -> RequestDeadline { RequestDeadline(limit: limit, isDefault: false) }
}
