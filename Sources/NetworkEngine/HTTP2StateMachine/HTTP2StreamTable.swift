/// Identifies an open stream: its number, and its place in tables of streams.
struct HTTP2StreamID: Hashable, Sendable {
    /// The number of the stream on its connection (RFC 9113 §5.1.1).
    let number: UInt32
    /// The place, which later streams use again.
    let slot: Int
}

/// The state of a stream that is open in at least one direction (RFC 9113 §5.1).
struct HTTP2Stream: Sendable {
    /// What of the response has arrived.
    enum Reception: Sendable {
        case awaitingHead
        case receivingBody
        case complete
    }

    /// What the method of a request says about its response.
    enum Method: Sendable {
        /// The response has no body, whatever its fields say.
        case head
        /// A successful response makes the stream a tunnel (RFC 9113 §8.5, RFC 8441).
        case connect
        case other
    }

    let id: HTTP2StreamID
    let method: Method
    /// Whether the stream carries bytes of another protocol in both directions.
    var isTunnel = false
    var reception = Reception.awaitingHead
    /// Whether the last frame of the request was written.
    var isSent: Bool
    /// The number of bytes that may still be sent. Negative after the peer has reduced its initial window (RFC 9113 §6.9.2).
    var sendWindow: Int
    /// The number of bytes that the peer may still send.
    var receiveWindow: Int
    /// The window to which the stream is opened again.
    var targetWindow: Int
    /// The number of bytes that the reader has taken since the window was last opened.
    var taken = 0
    /// Whether the reader has not kept up since the window was last opened.
    var wasPaused = false
    /// The length of the body that the head announces.
    var announcedLength: Int64?
    /// The number of bytes of the body that have arrived.
    var receivedBytes: Int64 = 0
    var interimResponses = 0
    /// The size of all heads and trailers that have arrived.
    var headerBytes = 0
}

/// The open streams of a connection, by number and by place.
struct HTTP2StreamTable: Sendable {
    private var streams: [HTTP2Stream?] = []
    private var free: [Int] = []
    private var slots: [UInt32: Int] = [:]

    /// The number of open streams.
    var count: Int { slots.count }

    /// Adds a stream.
    mutating func open(
        _ number: UInt32, _ method: HTTP2Stream.Method, isSent: Bool, sendWindow: Int, receiveWindow: Int
    ) -> HTTP2StreamID {
        let slot = free.popLast() ?? streams.count
        if slot == streams.count { streams.append(nil) }
        let id = HTTP2StreamID(number: number, slot: slot)
        streams[slot] = HTTP2Stream(
            id: id, method: method, isSent: isSent, sendWindow: sendWindow, receiveWindow: receiveWindow,
            targetWindow: receiveWindow)
        slots[number] = slot
        return id
    }

    /// Removes a stream, if it is open.
    mutating func close(_ id: HTTP2StreamID) {
        guard slots.removeValue(forKey: id.number) != nil else { return }
        streams[id.slot] = nil
        free.append(id.slot)
    }

    /// Returns the place of an open stream.
    func slot(of number: UInt32) -> Int? { slots[number] }

    /// The stream at a place; `nil` if it was closed.
    subscript(slot: Int) -> HTTP2Stream? {
        _read { yield streams[slot] }
        _modify { yield &streams[slot] }
    }

    /// The stream, if it is open.
    subscript(id: HTTP2StreamID) -> HTTP2Stream? {
        get {
            guard id.slot < streams.count, let stream = streams[id.slot], stream.id == id else { return nil }
            return stream
        }
    }

    /// The open streams whose numbers are above one, in their order.
    func above(_ number: UInt32) -> [HTTP2StreamID] {
        slots.filter { $0.key > number }.map { HTTP2StreamID(number: $0.key, slot: $0.value) }.sorted { $0.number < $1.number }
    }

    /// The places of all open streams.
    var openSlots: Dictionary<UInt32, Int>.Values { slots.values }
}
