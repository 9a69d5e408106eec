import NetworkSupport

/// One connection over HTTP/3, as the client sees it (RFC 9114): a state machine over the bytes of QUIC streams, without
/// socket, clock and lock.
///
/// The caller has a QUIC connection. Streams that the server opens are passed to ``accept(_:)``. What arrives on any stream is
/// passed to ``next(_:at:isEnd:of:)``, one event at a time, so that the caller decides how much is done in one turn, or to
/// ``receiveReset(of:_:)`` and ``receiveStop(of:_:)``. After that, and after each call that writes, it performs the actions of
/// ``takeActions()``.
///
///     while true {
///         switch connection.next(input, at: &offset, isEnd: isEnd, of: number) {
///         case .needsMore: return            // receive more input
///         case .head(let stream, let status): …   // the lines are in connection.block
///         case .data(let stream, let range): …
///         …
///         }
///     }
///
/// Pushes are not permitted, and neither side has a dynamic table of fields.
struct HTTP3StateMachine: Sendable {
    /// What has happened.
    enum Event: Equatable, Sendable {
        /// All input was consumed.
        case needsMore
        /// Something that changes nothing for the caller.
        case frame
        /// An informational response, whose lines are in ``HTTP3StateMachine/block``.
        case interim(HTTP3StreamID, status: Int)
        /// The head of the final response, whose lines are in ``HTTP3StateMachine/block``.
        case head(HTTP3StreamID, status: Int)
        /// The input at these offsets is content.
        case data(HTTP3StreamID, Range<Int>)
        /// Trailers, whose lines are in ``HTTP3StateMachine/block``. The end of the stream follows.
        case trailers(HTTP3StreamID)
        /// The response is complete. The stream is closed if the request was sent completely.
        case end(HTTP3StreamID)
        /// The peer has reset the stream, which is closed. If it says that the request was not processed, no part of a response
        /// has arrived, and the request can be sent again (RFC 9114 §4.1.1).
        case reset(HTTP3StreamID, HTTP3ErrorCode, isUnprocessed: Bool)
        /// The peer does not read the rest of the request (RFC 9114 §4.1). The response, or a reset, still arrives.
        case stopped(HTTP3StreamID, HTTP3ErrorCode)
        /// The peer has violated the protocol on a stream, or exceeded a limit. The stream is closed.
        case failedStream(HTTP3StreamID, HTTP3Failure)
        /// The settings of the peer have arrived, which do not change.
        case settings
        /// The peer accepts no more requests (RFC 9114 §5.2). Those in ``HTTP3StateMachine/takeUnprocessed()`` were not
        /// processed.
        case goAway
        /// The peer has violated the protocol: the connection ends. All open streams end with it.
        case failed(HTTP3Failure)
    }

    /// What the caller is to do with the QUIC connection.
    enum Action: Equatable, Sendable {
        /// Something waits to be sent: call ``HTTP3StateMachine/offer(_:_:)`` until all is taken. A unidirectional stream is
        /// opened before its first bytes.
        case send(Destination)
        /// End a stream without the rest of what was to be sent (RESET_STREAM). The transport may have done so already if the
        /// peer has asked for it.
        case reset(UInt64, HTTP3ErrorCode)
        /// Read a stream no further (STOP_SENDING).
        case stopSending(UInt64, HTTP3ErrorCode)
        /// End the connection (CONNECTION_CLOSE with an application error), after what waits to be sent if there is no error.
        case close(HTTP3ErrorCode, String)
    }

    /// A stream on which this side sends.
    enum Destination: Hashable, Sendable {
        /// A unidirectional stream of this side, of which there is one for each kind of ``HTTP3StreamKind/critical``.
        case own(HTTP3StreamKind)
        case request(HTTP3StreamID)
    }

    let limits: HTTP3Limits
    /// The fields of the last event of a head or of trailers.
    var block: FieldBlock
    private var actions: [Action] = []

    // MARK: Receiving

    var decoder = QPACKDecoder()
    /// Why the connection has failed.
    private(set) var failure: HTTP3Failure?
    /// The number of frames without content that arrived, minus those that frames with content permit.
    private var emptyFrames: UInt64 = 0
    /// The number of bytes of encoded heads that have arrived in part.
    var heldBytes = 0

    // MARK: Streams

    var streams = StreamTable<HTTP3Stream>()
    /// The unidirectional streams of the peer whose type is not known yet, or that are critical.
    var peerStreams: [HTTP3PeerStream] = []
    private var own: [HTTP3StreamKind: HTTP3Outgoing] = [:]
    /// The lowest number of a stream that the peer does not process, after GOAWAY.
    var firstRefused: UInt64?

    // MARK: Settings

    /// Whether the peer's SETTINGS were received, with which its control stream begins (RFC 9114 §6.2.1).
    var hasSettings = false
    /// The largest head that the peer says it accepts (SETTINGS_MAX_FIELD_SECTION_SIZE, RFC 9114 §4.2.2).
    var peerHeaderBytes = UInt64.max
    /// Whether the peer accepts WebSockets over streams (RFC 9220).
    var permitsConnectProtocol = false
    /// Whether the peer accepts datagrams (RFC 9297).
    var permitsDatagrams = false
    var encoder = QPACKEncoder()

    /// Creates a connection, and writes the beginning of its unidirectional streams (RFC 9114 §6.2.1, RFC 9204 §4.2).
    init(limits: HTTP3Limits = HTTP3Limits()) {
        self.limits = limits
        block = FieldBlock(.http3, limits: limits.fields)
        writePrefaces()
    }

    // MARK: Input

    /// Processes what arrives on a stream from `offset` on, up to the next event.
    ///
    /// Bytes of a stream that was closed on this side are dropped.
    ///
    /// - Parameters:
    ///   - isEnd: Whether the stream ends after the input.
    ///   - number: The number of the stream (RFC 9000 §2.1).
    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int, isEnd: Bool, of number: UInt64) -> Event {
        if let failure { return .failed(failure) }
        do throws(HTTP3Failure) {
            if let slot = streams.slot(of: number) { return try receive(input, &offset, isEnd: isEnd, slot) }
            if let index = peerStreams.firstIndex(where: { $0.number == number }) {
                return try receive(input, &offset, isEnd: isEnd, peer: index)
            }
            offset = input.count
            return .needsMore
        } catch {
            return fail(error)
        }
    }

    /// Notes that the peer has opened a stream. To be called before what arrives on it is passed.
    mutating func accept(_ number: UInt64) -> Event {
        if let failure { return .failed(failure) }
        do throws(HTTP3Failure) {
            return try open(peer: number)
        } catch {
            return fail(error)
        }
    }

    /// Notes that the peer has reset a stream (RESET_STREAM).
    mutating func receiveReset(of number: UInt64, _ code: HTTP3ErrorCode) -> Event {
        if let failure { return .failed(failure) }
        if let slot = streams.slot(of: number), let stream = streams[slot] { return receiveReset(of: stream, code) }
        guard let index = peerStreams.firstIndex(where: { $0.number == number }) else { return .frame }
        // One whose type is not known may end (RFC 9114 §6.2).
        guard let kind = peerStreams.remove(at: index).criticalKind else { return .frame }
        return fail(Self.closed(kind, "the server has reset its"))
    }

    /// Notes that the peer reads no further what this side sends on a stream (STOP_SENDING).
    mutating func receiveStop(of destination: Destination, _ code: HTTP3ErrorCode) -> Event {
        if let failure { return .failed(failure) }
        switch destination {
        case .own(let kind): return fail(Self.closed(kind, "the server does not read the client's"))
        case .request(let id): return receiveStop(of: id, code)
        }
    }

    static func closed(_ kind: HTTP3StreamKind, _ what: String) -> HTTP3Failure {
        let section = kind == .control ? "RFC 9114 §6.2.1" : "RFC 9204 §4.2"
        return HTTP3Failure(.closedCriticalStream, "\(what) \(kind.name) (\(section))")
    }

    /// Ends the connection, and tells the peer why (RFC 9114 §8).
    private mutating func fail(_ failure: HTTP3Failure) -> Event {
        self.failure = failure
        perform(.close(failure.code, failure.message))
        return .failed(failure)
    }

    // MARK: Output

    /// Removes and returns what is to be done, in its order.
    mutating func takeActions() -> [Action] {
        var taken: [Action] = []
        swap(&taken, &actions)
        return taken
    }

    mutating func perform(_ action: Action) {
        actions.append(action)
    }

    /// Offers the bytes that are first to be sent on a stream. They stay at their address until they were taken.
    ///
    /// - Parameter send: Receives the bytes, and whether they are the last ones of the stream. Returns a result, and how many
    ///   bytes were taken; `nil` if the transport takes none, also no end of the stream.
    /// - Returns: `nil` if nothing waits, or the stream was closed.
    mutating func offer<Result>(
        _ destination: Destination, _ send: (UnsafeRawBufferPointer, _ isEnd: Bool) -> (Result, taken: Int?)
    ) -> Result? {
        switch destination {
        case .own(let kind): return own[kind]?.offer(send)
        case .request(let id):
            guard streams[id] != nil else { return nil }
            let result = streams[id.slot]?.outgoing.offer(send)
            closeIfComplete(id)
            return result
        }
    }

    /// Writes on a stream of this side.
    mutating func write(to kind: HTTP3StreamKind, _ body: (inout [UInt8]) -> Void) {
        if own[kind, default: HTTP3Outgoing()].write(body) { perform(.send(.own(kind))) }
    }

    // MARK: Bounds

    /// Counts a frame that carries nothing. A peer could send them without end.
    ///
    /// - Parameter unknownBytes: The number of its bytes, which are ignored. Default: 0.
    mutating func countEmptyFrame(unknownBytes: UInt64 = 0) throws(HTTP3Failure) {
        emptyFrames += 1 + unknownBytes / UInt64(HTTP3Limits.unknownBytes)
        guard emptyFrames <= HTTP3Limits.emptyFrames else {
            throw HTTP3Failure(
                .excessiveLoad, "the server has sent more than \(HTTP3Limits.emptyFrames) frames without content")
        }
    }

    /// Counts a frame with content, which permits some without.
    mutating func countContent() {
        emptyFrames = emptyFrames < 16 ? 0 : emptyFrames - 16
    }
}

extension HTTP3StateMachine: StreamStateMachine {
    typealias StreamNumber = UInt64
    typealias HeadEncoder = QPACKEncoder
    typealias FailureCode = HTTP3ErrorCode
}
