import Endpoints

/// What the field lines of one head say of the message's framing and of the connection (RFC 9112 §6, §9).
///
/// All else in them is read later, away from the event loop, by ``ResponseHead``.
struct HTTP1FieldNotes: Sendable {
    /// What `Transfer-Encoding` says (RFC 9112 §6.1).
    enum TransferCoding: Sendable {
        /// There is no such field.
        case none
        /// No coding after all (RFC 2616 §3.6; RFC 9112 no longer has it).
        case identity
        case chunked
    }

    private enum Continued {
        case framing, connection, other
    }

    private(set) var length = AnnouncedLength()
    private(set) var transferCoding = TransferCoding.none
    /// `Connection: close` (RFC 9112 §9.6).
    private(set) var closesConnection = false
    /// `Connection: keep-alive`, which HTTP/1.0 needs (RFC 9112 §9.3).
    private(set) var keepsConnection = false
    /// `Keep-Alive: timeout=5, max=100` (RFC 2068 §19.7.1.1); the least, where there are several.
    private(set) var keepAliveTimeoutSeconds: Int?
    private(set) var keepAliveMaximum: Int?
    private(set) var hasContentEncoding = false
    private(set) var hasLocation = false
    private(set) var hasSetCookie = false
    private var lines = HTTP1FieldLines()
    /// What a folded line would continue.
    private var last = Continued.other

    /// Takes a line without its line end. It is not empty.
    mutating func receive(_ line: UnsafeRawBufferPointer) throws(HTTP1Flaw) {
        let line = try lines.check(line)
        let (name, value) = (line.name, line.value)
        if name.isEmpty { return try noteFold() }
        last = .other
        switch name.count {
        case 8:
            if HTTP1Bytes.isSame(name, "location") { hasLocation = true }
        case 10:
            if HTTP1Bytes.isSame(name, "connection") {
                noteConnection(value)
            } else if HTTP1Bytes.isSame(name, "keep-alive") {
                noteKeepAlive(value)
            } else if HTTP1Bytes.isSame(name, "set-cookie") {
                hasSetCookie = true
            }
        case 14:
            if HTTP1Bytes.isSame(name, "content-length") { try noteLength(value) }
        case 16:
            if HTTP1Bytes.isSame(name, "content-encoding") { hasContentEncoding = true }
        case 17:
            if HTTP1Bytes.isSame(name, "transfer-encoding") { try noteTransferEncoding(value) }
        default: break
        }
    }

    /// RFC 9112 §5.2 would have the fold read as a space. OkHttp and hyper read it otherwise, so that a length or a coding that depends on it
    /// could be another one for somebody else.
    private mutating func noteFold() throws(HTTP1Flaw) {
        if last == .framing { throw .malformed("Content-Length or Transfer-Encoding is folded over two lines") }
        if last == .connection { closesConnection = true }
    }

    private mutating func noteLength(_ value: UnsafeRawBufferPointer) throws(HTTP1Flaw) {
        last = .framing
        length.receive(value: value)
        // RFC 9112 §6.3, point 5. Go refuses it also where the length decides on nothing, as in the answer to HEAD.
        if length.isContradictory { throw .malformed("the Content-Length is no number, or there are several that differ") }
    }

    /// Only `chunked` is understood, once and alone (RFC 9112 §6.1): no `TE` field offers others, and Go, too, reads no others.
    private mutating func noteTransferEncoding(_ value: UnsafeRawBufferPointer) throws(HTTP1Flaw) {
        last = .framing
        var coding = transferCoding
        var isEmpty = true
        try HTTP1Bytes.forEachElement(of: value) { (element) throws(HTTP1Flaw) in
            isEmpty = false
            guard coding != .chunked else { throw .malformed("Transfer-Encoding has a coding after chunked") }
            if HTTP1Bytes.isSame(element, "chunked") {
                coding = .chunked
            } else if HTTP1Bytes.isSame(element, "identity") {
                coding = .identity
            } else {
                throw .malformed("the Transfer-Encoding \(HTTP1Bytes.shown(element)) is not supported")
            }
        }
        if isEmpty { throw .malformed("the Transfer-Encoding is empty") }
        transferCoding = coding
    }

    private mutating func noteConnection(_ value: UnsafeRawBufferPointer) {
        last = .connection
        var (closes, keeps) = (closesConnection, keepsConnection)
        HTTP1Bytes.forEachElement(of: value) { element in
            if HTTP1Bytes.isSame(element, "close") { closes = true }
            if HTTP1Bytes.isSame(element, "keep-alive") { keeps = true }
        }
        (closesConnection, keepsConnection) = (closes, keeps)
    }

    private mutating func noteKeepAlive(_ value: UnsafeRawBufferPointer) {
        var (timeout, maximum) = (keepAliveTimeoutSeconds, keepAliveMaximum)
        HTTP1Bytes.forEachElement(of: value) { element in
            guard let equals = element.firstIndex(of: UInt8(ascii: "=")) else { return }
            let name = HTTP1Bytes.trimmed(UnsafeRawBufferPointer(rebasing: element[..<equals]))
            guard let number = Self.number(HTTP1Bytes.trimmed(element, from: equals + 1)) else { return }
            if HTTP1Bytes.isSame(name, "timeout") { timeout = min(timeout ?? number, number) }
            if HTTP1Bytes.isSame(name, "max") { maximum = min(maximum ?? number, number) }
        }
        (keepAliveTimeoutSeconds, keepAliveMaximum) = (timeout, maximum)
    }

    /// At most 10^9; `nil` for what is no number.
    private static func number(_ digits: UnsafeRawBufferPointer) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy(HTTP1Bytes.isDigit) else { return nil }
        return digits.reduce(0) { min($0 * 10 + Int($1 &- UInt8(ascii: "0")), 1_000_000_000) }
    }
}
