import NetworkSupport

/// One connection over HTTP/2, as the client sees it (RFC 9113): a state machine over bytes, without socket, clock and lock.
///
/// Bytes that were received are passed to ``next(_:at:)``, one event at a time, so that the caller decides how much is done in
/// one turn. What is to be sent is in ``output``.
///
///     while true {
///         switch connection.next(input, at: &offset) {
///         case .needsMore: return            // receive more input
///         case .head(let stream, let status): …   // the lines are in connection.block
///         case .data(let stream, let range): …    // connection.take(range.count, of: stream) when the reader has them
///         …
///         }
///     }
struct HTTP2StateMachine: Sendable {
    /// What has happened.
    enum Event: Equatable, Sendable {
        /// All input was consumed.
        case needsMore
        /// A frame that changes nothing for the caller.
        case frame
        /// An informational response, whose lines are in ``HTTP2StateMachine/block``.
        case interim(HTTP2StreamID, status: Int)
        /// The head of the final response, whose lines are in ``HTTP2StateMachine/block``.
        case head(HTTP2StreamID, status: Int)
        /// The input at these offsets is content.
        case data(HTTP2StreamID, Range<Int>)
        /// Trailers, whose lines are in ``HTTP2StateMachine/block``. The end of the stream follows.
        case trailers(HTTP2StreamID)
        /// The response is complete. The stream is closed if the request was sent completely.
        case end(HTTP2StreamID)
        /// The peer has reset the stream, which is closed.
        case reset(HTTP2StreamID, HTTP2ErrorCode)
        /// The peer has violated the protocol on a stream, or exceeded a limit. The stream was reset, and is closed.
        case failedStream(HTTP2StreamID, HTTP2Failure)
        /// More can be sent on a stream; on each one if `nil`.
        case writable(HTTP2StreamID?)
        /// The settings of the peer have changed: ``HTTP2StateMachine/maximumStreams`` and others.
        case settings
        /// The reply to ``HTTP2StateMachine/ping()``.
        case pong
        /// The peer accepts no more streams (RFC 9113 §6.8). Those in ``HTTP2StateMachine/unprocessedStreams`` were not processed.
        case goAway(HTTP2ErrorCode)
        /// The peer has violated the protocol: the connection ends. All open streams end with it.
        case failed(HTTP2Failure)
    }

    /// What is read next.
    enum Reading: Sendable {
        case header
        /// The whole payload of a frame that has arrived in part.
        case payload(HTTP2FrameHeader)
        /// The length of the padding of a DATA frame.
        case paddingLength(HTTP2FrameHeader)
        /// Content of a stream; of none if the stream was closed.
        case data(HTTP2StreamID?, remaining: Int, padding: Int, isEnd: Bool)
        /// Bytes that are ignored.
        case skipped(Int)
    }

    let limits: HTTP2Limits
    /// What is to be sent.
    var output = OutputBuffer()
    /// The fields of the last event of a head or of trailers.
    var block: FieldBlock

    // MARK: Receiving

    var reading = Reading.header
    /// The part of a frame that has arrived.
    var carry: [UInt8] = []
    /// The header block that is being received, and its stream and flags; `nil` outside of one.
    var openBlock: (stream: UInt32, isEnd: Bool, frames: Int)?
    var blockBytes: [UInt8] = []
    var decoder = HPACKDecoder()
    /// A stream on which the last frame of the response was received, and whose end is the next event.
    var ended: HTTP2StreamID?
    /// Whether the peer's first SETTINGS were received, with which it begins (RFC 9113 §3.4).
    var hasSettings = false
    /// Why the connection has failed.
    private(set) var failure: HTTP2Failure?
    /// The number of frames without content that arrived, minus those that frames with content permit.
    var emptyFrames = 0
    /// The number of replies that were written since the output was empty.
    var owedReplies = 0

    // MARK: Streams

    var streams = StreamTable<HTTP2Stream>()
    var nextNumber: UInt32 = 1
    /// The highest number of a stream that the peer may process, after GOAWAY.
    var lastAccepted: UInt32?

    // MARK: Settings and windows

    /// The number of streams that the peer permits at the same time. 100 until its settings arrive, as RFC 9113 §6.5.2 recommends.
    var maximumStreams = 100
    var peerInitialWindow = 65_535
    var peerFrameBytes = HTTP2Limits.frameBytes
    /// The largest head that the peer says it accepts (SETTINGS_MAX_HEADER_LIST_SIZE).
    var peerHeaderBytes = Int.max
    /// Whether the peer accepts WebSockets over streams (RFC 8441).
    var permitsConnectProtocol = false
    var encoder = HPACKEncoder()
    var sendWindow = 65_535
    var receiveWindow: Int
    /// Whether a reply to ``ping()`` is awaited.
    var awaitsPong = false
    var pings: UInt64 = 0

    /// Creates a connection, and writes its preface (RFC 9113 §3.4).
    init(limits: HTTP2Limits = HTTP2Limits()) {
        self.limits = limits
        block = FieldBlock(.http2, limits: limits.fields)
        receiveWindow = limits.connectionWindow
        writePreface()
    }

    /// Processes input from `offset` on, up to the next event.
    mutating func next(_ input: UnsafeRawBufferPointer, at offset: inout Int) -> Event {
        if let failure { return .failed(failure) }
        if let stream = ended {
            ended = nil
            if let event = finishResponse(on: stream) { return event }
        }
        do throws(HTTP2Failure) {
            return try receive(input, &offset)
        } catch {
            fail(error)
            return .failed(error)
        }
    }

    /// Ends the connection: tells the peer why (RFC 9113 §5.4.1).
    private mutating func fail(_ failure: HTTP2Failure) {
        self.failure = failure
        writeGoAway(failure.code, failure.message)
    }
}

extension HTTP2StateMachine: StreamStateMachine {
    typealias StreamNumber = UInt32
    typealias HeadEncoder = HPACKEncoder
    typealias FailureCode = HTTP2ErrorCode
}
