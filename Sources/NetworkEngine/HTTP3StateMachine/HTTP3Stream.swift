import NetworkSupport

/// Identifies an open stream of HTTP/3 that carries a request.
typealias HTTP3StreamID = StreamID<UInt64>

/// The state of a stream that carries a request (RFC 9114 §4.1), and is open in at least one direction.
struct HTTP3Stream: StreamState {
    typealias Method = ResponseReception.Method

    let id: HTTP3StreamID
    /// What of the response has arrived.
    var response: ResponseReception
    var reader = HTTP3FrameReader()
    /// The request.
    var outgoing = HTTP3Outgoing()
}

/// A unidirectional stream that the peer has opened.
struct HTTP3PeerStream: Sendable {
    /// What is read from the stream.
    enum ReadingStage: Sendable {
        /// The type, of which these bytes have arrived.
        case type([UInt8])
        case control
        case instructions(QPACKInstructions)
    }

    let number: UInt64
    var content = ReadingStage.type([])
    /// The frames of the control stream.
    var reader = HTTP3FrameReader()

    init(_ number: UInt64) {
        self.number = number
    }

    /// The type of the stream, if it is one that must not end.
    var criticalKind: HTTP3StreamKind? {
        switch content {
        case .type: nil
        case .control: .control
        case .instructions(let instructions): instructions.sender == .encoder ? .qpackEncoder : .qpackDecoder
        }
    }
}

/// What is to be sent on a stream.
struct HTTP3Outgoing: Sendable {
    private var buffer = OutputBuffer()
    /// Whether nothing more will be written.
    private(set) var isFinished = false
    /// Whether the transport has taken everything, or takes no more.
    private(set) var isSent = false
    /// Whether something was written that ``offer(_:)`` has not passed on.
    private(set) var isWaiting = false

    /// The number of bytes that wait.
    var count: Int { buffer.count }

    /// Writes bytes.
    ///
    /// - Returns: Whether nothing was waiting before.
    mutating func write(_ body: (inout [UInt8]) -> Void) -> Bool {
        let count = buffer.pending.count
        body(&buffer.pending)
        return buffer.pending.count > count && wait()
    }

    /// Ends the stream after what was written.
    ///
    /// - Returns: Whether nothing was waiting before.
    mutating func finish() -> Bool {
        isFinished = true
        return wait()
    }

    private mutating func wait() -> Bool {
        defer { isWaiting = true }
        return !isWaiting
    }

    /// Drops what was written: the stream was reset in this direction.
    mutating func abandon() {
        buffer = OutputBuffer()
        (isFinished, isSent, isWaiting) = (true, true, false)
    }

    /// Offers the bytes that are first to be sent. They stay at their address until they were taken.
    ///
    /// - Parameter send: Receives the bytes, and whether they are the last ones of the stream. Returns a result, and how many
    ///   bytes were taken; `nil` if the transport takes none, also no end of the stream.
    /// - Returns: `nil` if nothing waits.
    mutating func offer<Result>(_ send: (UnsafeRawBufferPointer, _ isEnd: Bool) -> (Result, taken: Int?)) -> Result? {
        guard isWaiting else { return nil }
        let isFinished = isFinished
        var isTaken = false
        let result = buffer.offer { bytes, isLast in
            let (result, taken) = send(bytes, isLast && isFinished)
            isTaken = isLast && taken == bytes.count
            return (result, taken ?? 0)
        }
        if isTaken {
            isWaiting = false
            isSent = isFinished
        }
        return result
    }
}
