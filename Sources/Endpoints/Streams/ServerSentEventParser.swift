import Foundation

/// An event of an event stream (WHATWG HTML §9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// What the `event` field says, `message` where there is none.
    public var type: String
    /// The values of the `data` fields, joined by line feeds.
    public var data: String
    /// The last event ID: what the `id` field of this event, or else of the latest one with such a field, says. Empty where none came.
    public var lastEventID: String
    /// What a `retry` field of this event says of the pause before a reconnection; `nil` without one.
    public var retry: Duration?

    /// An event of these parts.
    public init(type: String = "message", data: String, lastEventID: String = "", retry: Duration? = nil) {
        self.type = type
        self.data = data
        self.lastEventID = lastEventID
        self.retry = retry
    }

    /// The data, decoded as JSON.
    ///
    /// - Throws: What the decoder throws.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()) throws -> Value
    {
        try decoder.decode(type, from: Data(data.utf8))
    }
}

extension ServerSentEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type and the size of the data, which may hold secrets.
    public var description: String { "ServerSentEvent(\(type.printable), \(data.utf8.count) bytes of data)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The events of an event stream, `text/event-stream` (WHATWG HTML §9.2.5 and §9.2.6).
///
/// Lines end with LF, CR or CRLF; a byte order mark at the start is dropped, bytes that are not UTF-8 are replaced by U+FFFD. Comments, unknown
/// fields, an `id` with NUL and a `retry` of anything but digits are ignored. An event without data is not handed out, but its `id` and
/// `retry` count; one that the end of the stream cuts off is dropped.
public struct ServerSentEventParser: StreamParser {
    /// The last event ID, as of the latest blank line. It is what `Last-Event-ID` says after a reconnection.
    public private(set) var lastEventID: String
    /// What the latest `retry` field says; `nil` without one.
    public private(set) var reconnectionTime: Duration?
    /// Whether a comment or an event has come since this was made: the server is alive.
    package private(set) var hasHeardAnything = false

    private let maximumBytes: Int
    private var buffer = ChunkBuffer()
    private var failure: StreamParsingError?
    private var index = 0
    private var isFirstLine = true
    private var linePosition = 0
    /// After a CR: an LF belongs to it.
    private var passesLineFeed = false

    // The event that is arriving.
    private var data: [UInt8] = []
    private var type = ""
    private var identifier: String
    private var retry: Duration?
    private var eventBytes = 0

    /// - Parameters:
    ///   - lastEventID: From an earlier stream of the same source.
    ///   - maximumEventBytes: The most that the lines of an event may have together, comments not counted; also the longest line. More is an
    ///     error, and nothing follows it.
    public init(lastEventID: String = "", maximumEventBytes: Int = 1 << 20) {
        self.lastEventID = lastEventID
        identifier = lastEventID
        maximumBytes = max(0, maximumEventBytes)
    }

    /// Takes the next bytes.
    public mutating func receive(_ chunk: Data) { buffer.receive(chunk) }

    /// Says that nothing follows.
    public mutating func finish() { buffer.isFinished = true }

    /// The next event; `nil` when it takes more bytes, and at the end.
    ///
    /// - Throws: ``StreamParsingError`` for an event past the limit.
    public mutating func next() throws(StreamParsingError) -> ServerSentEvent? {
        if let failure { throw failure }
        // A copy of the reference, so that the parser can change while the bytes are looked at.
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
            hasHeardAnything = true
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
            // One that does not fit is bounded.
            let milliseconds = Int64(String(decoding: value, as: UTF8.self)) ?? .max
            retry = .milliseconds(min(milliseconds, 1_000_000_000_000))
            reconnectionTime = retry
        }
    }

    /// A blank line.
    private mutating func dispatch() -> ServerSentEvent? {
        defer {
            data.removeAll(keepingCapacity: data.capacity <= 1 << 16)
            type = ""
            retry = nil
            eventBytes = 0
        }
        lastEventID = identifier
        guard !data.isEmpty else { return nil }
        hasHeardAnything = true
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
    /// The first LF or CR at or behind `start`.
    ///
    /// Eight bytes at a time: a byte that was equal to what it has been xor-ed with borrows into its high bit. A borrow can spoil bytes
    /// only above the first hit, which is the one asked for.
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
