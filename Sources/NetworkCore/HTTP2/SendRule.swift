/// Decides whether a request may be sent, or sent again, on a connection (RFC 9110 §9.2.2).
///
/// libcurl alone would send any request up to six times: each time a kept connection is closed before a byte of the response is received,
/// it uses the next connection. With this rule an idempotent request is sent at most twice, the second time on a new connection, and any
/// other request once. Requests that the server reports as not processed are exempt (RFC 9113 §8.7).
struct SendRule: Sendable {
    /// What to do with a request that libcurl is about to send.
    enum Decision {
        /// Send it on this connection.
        case send
        /// Do not send it on this connection; start again with a new one.
        case sendOnFreshConnection
        /// Do not send it: the request fails.
        case refuse
    }

    /// Whether the request was sent at least once.
    private(set) var wasSent = false
    /// Whether it was, or is about to be, sent again although the server may have processed it.
    private(set) var isRepeated = false
    /// Whether the last decision was ``Decision/sendOnFreshConnection``.
    private(set) var waitsForFreshConnection = false
    /// Whether that decision was made before a byte of the request was sent, because the connection was already lost.
    private(set) var isUnsent = false
    /// Whether it must be sent on a connection that was not used before.
    private(set) var needsFreshConnection = false
    /// Whether it was sent since ``begin()``.
    private(set) var wasSentInRun = false
    /// Whether libcurl was about to repeat the request since ``begin()``. libcurl counts repetitions for the life of a handle, and fails
    /// after five.
    private(set) var wasAskedAgain = false
    private var connections = 0

    /// Resets the counts when libcurl starts with the request.
    mutating func begin() {
        wasSentInRun = false
        wasAskedAgain = false
        connections = 0
    }

    /// Decides about a request that libcurl is about to send, when no byte of a response was received.
    ///
    /// - Parameters:
    ///   - connections: The number of connections that libcurl has made since ``begin()``.
    ///   - isIdempotent: Whether the request may be sent again although the server may have processed it.
    ///   - wasRefused: Whether the server is known not to have processed the request that was sent before.
    ///   - isLost: Whether the connection is known to be closed by the server.
    mutating func next(connections: Int, isIdempotent: Bool, wasRefused: Bool = false, isLost: Bool = false) -> Decision {
        if isLost, !wasSentInRun {
            isUnsent = true
            waitsForFreshConnection = true
            return .sendOnFreshConnection
        }
        let isKept = connections == self.connections
        wasAskedAgain = wasSentInRun
        // This applies to any connection: libcurl treats a new connection as a kept one as soon as another stream shares it.
        if wasSentInRun, !wasRefused {
            if isRepeated || !isIdempotent { return .refuse }
            isRepeated = true
            if isKept {
                waitsForFreshConnection = true
                return .sendOnFreshConnection
            }
        }
        self.connections = connections
        wasSent = true
        wasSentInRun = true
        return .send
    }

    /// Records that the request is about to be sent again, on a new connection.
    mutating func repeatOnFreshConnection() {
        if !isUnsent { isRepeated = true }
        isUnsent = false
        waitsForFreshConnection = false
        needsFreshConnection = true
    }

    /// Records that the request is sent over one of the engine's HTTP/1.1 connections.
    mutating func noteSent() {
        wasSent = true
    }

    /// Requires a new connection for a request of which no byte was sent.
    mutating func useFreshConnection() {
        needsFreshConnection = true
    }
}
