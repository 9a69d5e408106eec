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

/// Checks the field lines of one section, head or trailers, one after another (RFC 9112 §5).
struct HTTP1FieldLines: Sendable {
    /// A line, apart.
    struct Line {
        /// Empty where the line continues the one before (RFC 9112 §5.2).
        let name: UnsafeRawBufferPointer
        /// Without white space around it.
        let value: UnsafeRawBufferPointer
    }

    /// Lines so far.
    private(set) var count = 0

    /// - Parameter line: Without its line end, and not empty.
    @inline(__always)
    mutating func check(_ line: UnsafeRawBufferPointer) throws(HTTP1Flaw) -> Line {
        count &+= 1
        var colon = 0
        while colon < line.count, HTTP1Bytes.isToken(line[colon]) { colon &+= 1 }
        if colon == 0 {
            guard HTTP1Bytes.isSpace(line[0]) else { throw nameFlaw(line) }
            // Go takes folded lines, too, but not as the first one, which brings libcurl down before 8.1.2.
            if count == 1 { throw .malformed("the first field line begins with white space, as if it continued another") }
        } else if colon == line.count || line[colon] != UInt8(ascii: ":") {
            // RFC 9112 §5.1: the colon is directly behind the name. With a space between them, one reader takes the field for framing
            // and another does not. Names that are no tokens, and lines without a colon, are refused by hyper and, but for spaces in a
            // name, by Go.
            throw nameFlaw(line)
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = HTTP1Bytes.trimmed(line, from: colon == 0 ? 0 : colon &+ 1)
        // RFC 9110 §5.5: NUL, bare CR and the other control characters are dangerous. Go and hyper refuse them, OkHttp does not.
        if HTTP1Bytes.holdControl(value) { throw controlFlaw(name) }
        return Line(name: name, value: value)
    }

    private func controlFlaw(_ name: UnsafeRawBufferPointer) -> HTTP1Flaw {
        if name.isEmpty { return .malformed("field line \(count), which continues the one before, has a control character") }
        return .malformed("the field \(HTTP1Bytes.shown(name)) has a control character")
    }

    private func nameFlaw(_ line: UnsafeRawBufferPointer) -> HTTP1Flaw {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return .malformed("field line \(count) has no colon") }
        if colon == 0 { return .malformed("field line \(count) has no name") }
        return .malformed("the field name \(HTTP1Bytes.shown(UnsafeRawBufferPointer(rebasing: line[..<colon]))) is not a token")
    }
}

/// The first line of a response: `HTTP/1.1 200 OK` (RFC 9112 §4).
struct HTTP1StatusLine: Equatable, Sendable {
    /// 0 or 1. A higher one is understood as 1 (RFC 9110 §2.5).
    let minorVersion: Int
    /// 100...999.
    let statusCode: Int

    /// What every status line begins with. The name is case-sensitive (RFC 9112 §2.3).
    private static let prefix: StaticString = "HTTP/1."

    /// Checks the first bytes of a line that may not have come as a whole, so that what is not HTTP is refused at once and not when a
    /// line ends, which may be never.
    ///
    /// An empty line before the status line is refused as well: Go and OkHttp do so, and what RFC 9112 §2.2 allows is for servers.
    static func checkPrefix(of bytes: UnsafeRawBufferPointer) throws(HTTP1Flaw) {
        for index in 0..<min(bytes.count, prefix.utf8CodeUnitCount) where bytes[index] != prefix.utf8Start[index] {
            throw .malformed("the response does not begin with HTTP/1.0 or HTTP/1.1")
        }
    }

    /// Reads a whole line, without its end, that ``checkPrefix(of:)`` has let pass.
    ///
    /// As in Go, OkHttp and hyper, the reason phrase may be missing, and with it the space before it.
    init(_ line: UnsafeRawBufferPointer) throws(HTTP1Flaw) {
        let digits = Self.prefix.utf8CodeUnitCount
        guard line.count >= digits + 5, HTTP1Bytes.isDigit(line[digits]), line[digits + 1] == HTTP1Bytes.space else {
            throw Self.flaw(line)
        }
        var status = 0
        for index in digits + 2..<digits + 5 {
            guard HTTP1Bytes.isDigit(line[index]) else { throw Self.flaw(line) }
            status = status * 10 + Int(line[index] - UInt8(ascii: "0"))
        }
        // RFC 9110 §15: a valid status code is at least 100; from 600 on, it is another server error.
        guard status >= 100, line.count == digits + 5 || line[digits + 5] == HTTP1Bytes.space else { throw Self.flaw(line) }
        // A bare CR or NUL is part of no line (RFC 9112 §2.2, §4); hyper refuses all control characters.
        guard !HTTP1Bytes.holdControl(line) else { throw .malformed("the status line has a control character") }
        minorVersion = line[digits] == UInt8(ascii: "0") ? 0 : 1
        statusCode = status
    }

    private static func flaw(_ line: UnsafeRawBufferPointer) -> HTTP1Flaw {
        .malformed("\(HTTP1Bytes.shown(line)) is not a status line of HTTP/1.0 or HTTP/1.1")
    }
}
