/// How often one hop has been sent, and whether it may be once more (RFC 9110 §9.2.2).
///
/// libcurl would send any request up to six times: whenever a kept connection closes before a byte came back, on whichever
/// connection is next. Here an idempotent one is sent twice at most, the second time on a connection that is not kept, and the
/// others once; except for what the server itself said it had not processed (RFC 9113 §8.7).
struct SendRule: Sendable {
    enum Verdict {
        case send
        /// Stop, and come back with a fresh connection.
        case sendOnFreshConnection
        case refuse
    }

    private(set) var wasSent = false
    /// Whether it has been, or is about to be, sent again although it may have been processed.
    private(set) var isRepeated = false
    /// Whether the last verdict was to come back with a fresh connection.
    private(set) var waitsForFreshConnection = false
    private(set) var needsFreshConnection = false
    /// In this run of libcurl.
    private var wasSentInRun = false
    /// Whether libcurl has asked more than once in this run: it counts that for the life of a handle, and gives up after five.
    private(set) var wasAskedAgain = false
    private var connections = 0

    /// A run of libcurl begins.
    mutating func begin() {
        wasSentInRun = false
        wasAskedAgain = false
        connections = 0
    }

    /// libcurl is about to send, and no byte has come back.
    ///
    /// - Parameters:
    ///   - connections: How many it has made in this run.
    ///   - wasRefused: Whether the server is known not to have processed what was sent before.
    mutating func next(connections: Int, isIdempotent: Bool, wasRefused: Bool = false) -> Verdict {
        let isKept = connections == self.connections
        wasAskedAgain = wasSentInRun
        // On any connection: libcurl takes one that it has just made for a kept one as soon as another stream shares it.
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

    /// It is about to be sent again in a new run.
    mutating func repeatOnFreshConnection() {
        isRepeated = true
        waitsForFreshConnection = false
        needsFreshConnection = true
    }

    /// It goes out on a connection of ours.
    mutating func noteSent() {
        wasSent = true
    }

    /// Nothing has gone out: it is sent on a connection that was not used before.
    mutating func useFreshConnection() {
        needsFreshConnection = true
    }
}
