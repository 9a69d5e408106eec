/// Whether the server of a connection over HTTP/2 is still there: what arrives shows it, and after a silence, the reply to a PING.
///
/// A state machine over times, in nanoseconds of the monotonic clock.
struct HTTP2Liveness: Sendable {
    /// How long nothing may arrive while a response is awaited, until the server is asked for a reply: 10 seconds.
    static let silence: UInt64 = 10_000_000_000
    /// How long that reply may take: 5 seconds.
    static let replyTime: UInt64 = 5_000_000_000
    /// How long nothing may have arrived on an idle connection that is used again without asking for a reply first: 30 seconds.
    static let longIdleness: UInt64 = 30_000_000_000

    /// What to do at a check.
    enum Action: Equatable, Sendable {
        /// Check again at that time.
        case check(at: UInt64)
        /// Send a PING, and check again at that time.
        case ping(nextCheck: UInt64)
        /// The server does not reply: the connection is lost.
        case lose
    }

    /// When bytes were last received.
    private(set) var lastReceived: UInt64
    /// When the PING was sent after which nothing was received.
    private var pingedAt: UInt64?
    /// Whether the connection is not used before the reply has arrived.
    private(set) var isProbing = false

    init(at now: UInt64) {
        lastReceived = now
    }

    /// Notes that bytes were received.
    mutating func noteArrival(at now: UInt64) {
        lastReceived = now
        pingedAt = nil
    }

    /// Notes that the reply to a PING was received.
    mutating func noteReply() {
        isProbing = false
    }

    /// Decides what to do with a connection in use whose check is due.
    mutating func action(at now: UInt64) -> Action {
        if let pingedAt {
            let end = pingedAt &+ Self.replyTime
            return end <= now ? .lose : .check(at: end)
        }
        let end = lastReceived &+ Self.silence
        guard end <= now else { return .check(at: end) }
        pingedAt = now
        return .ping(nextCheck: now &+ Self.replyTime)
    }

    /// Decides whether an idle connection has to be probed before it is used again: its server or a router may have forgotten it.
    ///
    /// - Returns: When the reply has to be there, if a PING has to be sent first; `nil` if the connection can be used at once.
    mutating func probe(at now: UInt64) -> UInt64? {
        guard now &- lastReceived >= Self.longIdleness else { return nil }
        pingedAt = now
        isProbing = true
        return now &+ Self.replyTime
    }
}
