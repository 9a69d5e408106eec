import Foundation
import NetworkLogging

/// An event of an event stream (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The value of the `event` field; `message` if there is no such field.
    public var type: String
    /// The values of the `data` fields, joined by line feeds.
    public var data: String
    /// The value of the latest `id` field in this event or an earlier one; empty if there was none.
    public var lastEventID: String
    /// The value of this event's `retry` field, the delay before a reconnection; `nil` without such a field.
    public var retry: Duration?

    /// Creates an event with the given field values.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }

    /// Returns the value of `data`, decoded as JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value. Default: the type that the context expects.
    ///   - decoder: The decoder to use. Default: a new ``NetworkJSON/TransferJSONDecoder``, as an event does not know the service
    ///     that received it.
    /// - Throws: The error of the decoder, usually a `DecodingError`.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: any JSONDataDecoder = TransferJSONDecoder()
    ) throws -> Value {
        let text = Data(data.utf8)
        return try decoder.inPlace?.decode(type, from: text) ?? decoder.decodeWithDetails(type, from: text)
    }
}

extension ServerSentEvent: RedactedStringConvertible {
    /// The type and the size of the data, without the data itself, which may contain secrets.
    public var description: String { "ServerSentEvent(\(type.printable), \(data.utf8.count) bytes of data)" }
}

/// A parser of event streams, `text/event-stream` (WHATWG HTML §9.2.5 and §9.2.6).
///
/// Lines end with LF, CR or CRLF. A byte order mark at the start is skipped, and bytes that are not UTF-8 are replaced by U+FFFD. Comments,
/// unknown fields, an `id` that contains NUL and a `retry` that contains anything but digits are ignored. An event without data is not
/// returned, but its `id` and `retry` take effect. An event that is incomplete at the end of the stream is discarded.
package struct ServerSentEventParser: StreamParser {
    /// The last event ID as of the latest blank line, which is sent as `Last-Event-ID` after a reconnection.
    package private(set) var lastEventID: String
    /// The value of the latest `retry` field; `nil` without such a field.
    package private(set) var reconnectionTime: Duration?
    /// Whether a comment or an event has been received since the parser was created, which shows that the server is active.
    package private(set) var hasReceivedFields = false

    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var failure: StreamParsingError?
    private var index = 0
    private var isFirstLine = true
    private var linePosition = 0
    /// Whether the last byte read was a CR, so that an LF after it belongs to the same line ending.
    private var passesLineFeed = false

    // The event that is being received.
    private var data: [UInt8] = []
    private var type = ""
    private var identifier: String
    private var retry: Duration?
    private var eventBytes = 0

    /// Creates a parser for a new connection.
    ///
    /// - Parameters:
    ///   - lastEventID: The last event ID of an earlier stream from the same source. Default: empty.
    ///   - maximumEventBytes: The maximum total length of an event's lines without comments, and of a single line, in bytes. A longer event
    ///     is an error that ends the stream. Default: 1 MiB.
    package init(lastEventID: String = "", maximumEventBytes: Int = 1 << 20) {
        self.lastEventID = lastEventID
        identifier = lastEventID
        maximumBytes = max(0, maximumEventBytes)
    }

    /// Adds the next bytes of the stream.
    package mutating func receive(_ chunk: Data) { buffer.receive(chunk) }

    /// Marks the end of the stream: no bytes follow.
    package mutating func finish() { buffer.isFinished = true }

    /// Returns the next event, or `nil` if more bytes are needed or the stream has ended.
    ///
    /// - Throws: ``StreamParsingError`` for an event that exceeds the limit.
    package mutating func next() throws(StreamParsingError) -> ServerSentEvent? {
        if let failure { throw failure }
        // A copy of the reference, so that the parser can be mutated while the bytes are accessed.
        let chunk = buffer.chunk
        let result = chunk.withUnsafeBytes { bytes in
            Result { () throws(StreamParsingError) in try read(bytes) }
        }
        do throws(StreamParsingError) {
            return try result.get()
        } catch {
            failure = error
            buffer.drop()
            throw error
        }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) throws(StreamParsingError) -> ServerSentEvent? {
        let bytes = bytes.bindMemory(to: UInt8.self)
        while buffer.offset < bytes.count {
            if passesLineFeed {
                passesLineFeed = false
                if bytes[buffer.offset] == 0x0A {
                    buffer.offset += 1
                    continue
                }
            }
            let start = buffer.offset
            linePosition = buffer.position(ofElementFrom: start)
            guard let end = bytes.lineEnd(from: start) else {
                buffer.keep(from: start)
                guard buffer.kept.count <= maximumBytes else { throw tooLong() }
                return nil
            }
            passesLineFeed = bytes[end] == 0x0D
            buffer.offset = end + 1
            if let event = try endLine(bytes, start, end) { return event }
        }
        return nil
    }

    private mutating func endLine(
        _ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
    ) throws(StreamParsingError) -> ServerSentEvent? {
        if buffer.kept.isEmpty {
            return try interpret(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        }
        let line = buffer.take(from: start, to: end)
        let result = line.withUnsafeBytes { bytes in
            Result { () throws(StreamParsingError) in try interpret(bytes.bindMemory(to: UInt8.self)) }
        }
        return try result.get()
    }

    private mutating func interpret(_ line: UnsafeBufferPointer<UInt8>) throws(StreamParsingError) -> ServerSentEvent? {
        guard line.count <= maximumBytes else { throw tooLong() }
        var line = line
        if isFirstLine {
            isFirstLine = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line = UnsafeBufferPointer(rebasing: line.dropFirst(3)) }
        }
        guard let first = line.first else { return dispatch() }
        guard first != UInt8(ascii: ":") else {
            hasReceivedFields = true
            return nil
        }
        eventBytes += line.count + 1
        guard eventBytes - 1 <= maximumBytes else { throw tooLong() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var value = line.dropFirst(colon + 1)
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        take(UnsafeBufferPointer(rebasing: value), of: UnsafeBufferPointer(rebasing: line.prefix(colon)))
        return nil
    }

    private mutating func take(_ value: UnsafeBufferPointer<UInt8>, of field: UnsafeBufferPointer<UInt8>) {
        if field.isSame("data") {
            data.append(contentsOf: value)
            data.append(0x0A)
        } else if field.isSame("event") {
            type = String(decoding: value, as: UTF8.self)
        } else if field.isSame("id") {
            if !value.contains(0) { identifier = String(decoding: value, as: UTF8.self) }
        } else if field.isSame("retry") {
            guard !value.isEmpty, value.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return }
            // A value that does not fit is limited to the maximum.
            let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(min(milliseconds, 1_000_000_000_000))
            reconnectionTime = retry
        }
    }

    /// Ends the event at a blank line. Returns it if it has data.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data.removeAll(keepingCapacity: data.capacity <= 1 << 16)
            type = ""
            retry = nil
            eventBytes = 0
        }
        lastEventID = identifier
        guard !data.isEmpty else { return nil }
        hasReceivedFields = true
        index += 1
        let text = data.withUnsafeBufferPointer { bytes in
            String(decoding: UnsafeBufferPointer(rebasing: bytes.dropLast()), as: UTF8.self)
        }
        return ServerSentEvent(type: type.isEmpty ? "message" : type, data: text, lastEventID: lastEventID, retry: retry)
    }

    private func tooLong() -> StreamParsingError {
        StreamParsingError(
            .limitExceeded(.event, maximumBytes: maximumBytes), index: index, byteOffset: linePosition, record: buffer.kept)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the offset of the first LF or CR at or after `start`.
    ///
    /// Eight bytes are tested at a time: the subtraction sets the high bit of a byte that was equal to the byte it was xor-ed with. A borrow
    /// can change only bytes above the first match, which is the one returned.
    fileprivate func lineEnd(from start: Int) -> Int? {
        guard let base = baseAddress else { return nil }
        let ones: UInt64 = 0x0101_0101_0101_0101
        var offset = start
        while count - offset >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
            let feeds = word ^ ones &* 0x0A
            let returns = word ^ ones &* 0x0D
            let hits = ((feeds &- ones) & ~feeds | (returns &- ones) & ~returns) & (ones &* 0x80)
            if hits != 0 { return offset + hits.trailingZeroBitCount / 8 }
            offset += 8
        }
        while offset < count {
            if self[offset] == 0x0A || self[offset] == 0x0D { return offset }
            offset += 1
        }
        return nil
    }

    fileprivate func isSame(_ name: StaticString) -> Bool {
        count == name.utf8CodeUnitCount && baseAddress.map { memcmp($0, name.utf8Start, count) == 0 } == true
    }
}
