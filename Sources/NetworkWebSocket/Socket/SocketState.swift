import NetworkCore
import NetworkSupport

/// The state of a WebSocket, over frames or over whole messages: what was received, the right to read it, pings, time limits and the close handshake.
///
/// It is a state machine without locks, tasks and clocks: each method is an event, and returns what is to be done. ``WebSocketConnection`` does that.
struct SocketState: Sendable {
    /// How a WebSocket ends: in an orderly way, or with an error.
    typealias End = Result<Void, WebSocketError>

    /// The number of queued bytes at which the transport is not read.
    static let capacity = 256 << 10

    /// What was received and not read, and the end after it. The transport is its writer, which waits if it is not read.
    var queue: PipeState<SocketEvents, Void, WebSocketError>
    var keepAlive: KeepAlive
    /// Whether a task has the right to receive.
    private(set) var isClaimed = false
    /// Whether a close frame was sent, or is about to be.
    private(set) var isClosing = false
    /// Whether what is received is ignored.
    private(set) var isOver = false
    /// Whether nothing more is queued, because something was dropped: what is received is always a beginning of what was sent.
    private var isDropping = false
    /// The peer's close frame, and the end that follows from it once it has been responded to.
    private(set) var peerClose: (code: WebSocketCloseCode, reason: String, end: End)?
    /// The pings that wait for pongs, in their order.
    private(set) var pings: [(number: UInt64, sentAt: Duration)] = []

    /// - Parameter resumption: The number of queued bytes below which the transport is read again.
    init(keepAlive: KeepAlive, resumption: Int) {
        queue = PipeState(SocketEvents(), capacity: Self.capacity, resumption: resumption)
        self.keepAlive = keepAlive
    }

    // MARK: Receiving

    /// An event was received.
    mutating func receive(_ event: SocketEvent) {
        // After this side has closed, messages beyond the capacity are dropped, so that the peer's close frame is found; and with them all that follows, so
        // that no message is received without its middle.
        if isClosing, !queue.hasRoom { isDropping = true }
        if isDropping || queue.end != nil { return }
        queue.content.append(event)
    }

    /// Returns whether the transport should be read further. If not, ``PipeState/settle()`` says when.
    mutating func wantsMore() -> Bool {
        if isClosing { queue.writer = .no }
        return isClosing || !queue.awaitRoom(.callback)
    }

    /// The peer has sent a close frame, after which it sends nothing.
    ///
    /// - Returns: Whether it must be responded to.
    mutating func receiveClose(_ code: WebSocketCloseCode, _ reason: String) -> Bool {
        peerClose = (code, reason, code.isOrderly || isClosing ? .success(()) : .failure(.closed(by: code, reason)))
        isOver = true
        return markClosing()
    }

    /// A pong was received: a response to that ping, and to all before (RFC 6455 §5.5.3).
    ///
    /// - Returns: These pings, and when they were sent.
    mutating func receivePong(_ number: UInt64) -> [(number: UInt64, sentAt: Duration)] {
        guard let index = pings.firstIndex(where: { $0.number == number }) else { return [] }
        defer { pings.removeSubrange(...index) }
        return Array(pings[...index])
    }

    // MARK: Reading

    enum Claim {
        /// Another task receives.
        case refused
        case claimed(SocketEvent?)
    }

    /// Claims the right to receive, and takes the next event if there is one and it is wanted.
    mutating func claim(takesEvent: Bool) -> Claim {
        if isClaimed { return .refused }
        isClaimed = true
        return .claimed(takesEvent ? queue.content.take() : nil)
    }

    /// Takes the next message if it was received as a whole, without a claim if nothing has one. Otherwise claims the right to receive.
    mutating func claimUnlessWhole() -> Claim {
        if isClaimed { return .refused }
        if let event = takeWhole() { return .claimed(event) }
        isClaimed = true
        return .claimed(nil)
    }

    mutating func takeWhole() -> SocketEvent? { queue.content.isNextWhole ? queue.content.take() : nil }

    mutating func unclaim() {
        isClaimed = false
    }

    // MARK: Pings and times

    /// Returns whether a ping may be sent, and then expects its pong.
    mutating func addPing(_ number: UInt64, at now: Duration) -> Bool {
        if queue.end != nil { return false }
        pings.append((number, now))
        return true
    }

    mutating func removePing(_ number: UInt64) {
        pings.removeAll { $0.number == number }
    }

    /// Returns what is to be done at that time; `nil` after the end.
    mutating func check(at now: Duration) -> KeepAlive.Action? { queue.end == nil ? keepAlive.next(at: now) : nil }

    // MARK: The end

    /// This side is about to send a close frame.
    ///
    /// - Returns: Whether it is the first one.
    mutating func markClosing() -> Bool {
        defer { isClosing = true }
        return !isClosing
    }

    /// This side begins the close handshake. Returns whether its close frame is to be sent, and the transport is to be read again.
    mutating func beginClosing() -> (sendsClose: Bool, resumesReading: Bool) {
        let sendsClose = queue.end == nil && markClosing()
        isClosing = true
        defer { queue.writer = .no }
        return (sendsClose, queue.writer != .no)
    }

    /// The WebSocket has ended, unless it had. A close frame of the peer takes precedence.
    ///
    /// - Returns: Whether it has ended now.
    @discardableResult mutating func finish(_ end: End) -> Bool {
        isOver = true
        return queue.finish(peerClose?.end ?? end)
    }

    /// What was received is invalid: nothing more is read.
    mutating func violate(_ error: WebSocketError) {
        queue.content.removeAll()
        queue.end = .failure(error)
        isOver = true
    }

    /// What the peer's close frame says, as soon as there is an end.
    var closeStatus: (code: WebSocketCloseCode, reason: String)? {
        queue.end == nil ? nil : peerClose.map { ($0.code, $0.reason) }
    }

    /// The error of a call after the end.
    var endError: WebSocketError {
        if case .failure(let error)? = queue.end ?? peerClose?.end { return error }
        return WebSocketError(.closed, "the WebSocket is closed", closeCode: peerClose?.code)
    }
}
