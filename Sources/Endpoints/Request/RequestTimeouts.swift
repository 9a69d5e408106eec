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
