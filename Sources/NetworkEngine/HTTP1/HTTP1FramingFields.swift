import NetworkTransport
import Endpoints
import NetworkSupport

/// The fields of one head that concern the framing of the message and the connection (RFC 9112 §6, §9).
///
/// ``ResponseHead`` reads the other fields later, outside of the event loop.
struct HTTP1FramingFields: Sendable {
    /// The value of `Transfer-Encoding` (RFC 9112 §6.1).
    enum TransferCoding: Sendable {
        /// The field is absent.
        case none
        /// The coding `identity`, which means no coding (RFC 2616 §3.6; no longer in RFC 9112).
        case identity
        case chunked
    }

    private enum Continued {
        case framing, connection, other
    }

    private(set) var length = AnnouncedLength()
    private(set) var transferCoding = TransferCoding.none
    /// Whether the head has `Connection: close` (RFC 9112 §9.6).
    private(set) var closesConnection = false
    /// Whether the head has `Connection: keep-alive`, which HTTP/1.0 requires to keep the connection open (RFC 9112 §9.3).
    private(set) var keepsConnection = false
    /// The `timeout` of `Keep-Alive: timeout=5, max=100` (RFC 2068 §19.7.1.1); the lowest one if there are several.
    private(set) var keepAliveTimeoutSeconds: Int?
    /// The `max` of `Keep-Alive`; the lowest one if there are several.
    private(set) var keepAliveMaximum: Int?
    private(set) var hasContentEncoding = false
    private(set) var hasLocation = false
    private(set) var hasSetCookie = false
    private var lines: HTTP1FieldLines
    /// What the last line was, which a folded line would continue.
    private var last = Continued.other

    /// - Parameter maximumLines: The maximum number of field lines.
    init(maximumLines: Int) {
        lines = HTTP1FieldLines(maximum: maximumLines)
    }

    /// Checks and reads a field line.
    ///
    /// - Parameter line: Not empty, and without its line end.
    mutating func receive(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) {
        let line = try lines.check(line)
        let (name, value) = (line.name, line.value)
        if name.isEmpty { return try receiveFold() }
        last = .other
        switch name.count {
        case 8:
            if HTTP1Bytes.isSame(name, "location") { hasLocation = true }
        case 10:
            if HTTP1Bytes.isSame(name, "connection") {
                readConnection(value)
            } else if HTTP1Bytes.isSame(name, "keep-alive") {
                readKeepAlive(value)
            } else if HTTP1Bytes.isSame(name, "set-cookie") {
                hasSetCookie = true
            }
        case 14:
            if HTTP1Bytes.isSame(name, "content-length") { try readLength(value) }
        case 16:
            if HTTP1Bytes.isSame(name, "content-encoding") { hasContentEncoding = true }
        case 17:
            if HTTP1Bytes.isSame(name, "transfer-encoding") { try readTransferEncoding(value) }
        default: break
        }
    }

    /// Rejects a folded line that continues a length or a coding. After a folded `Connection`, the connection is not reused.
    ///
    /// RFC 9112 §5.2 replaces the fold with a space. OkHttp and hyper do not, so another recipient could read a different length
    /// or coding.
    private mutating func receiveFold() throws(HTTP1Error) {
        if last == .framing { throw .malformed("Content-Length or Transfer-Encoding is folded over two lines") }
        if last == .connection { closesConnection = true }
    }

    private mutating func readLength(_ value: UnsafeRawBufferPointer) throws(HTTP1Error) {
        last = .framing
        length.receive(value: value)
        // RFC 9112 §6.3, point 5. Like Go, rejects it also where the length has no effect, as in the response to HEAD.
        if length.isContradictory { throw .malformed("the Content-Length is not a number, or there are several different ones") }
    }

    /// Accepts `identity` and a single `chunked` only (RFC 9112 §6.1): requests do not offer other codings in `TE`, and Go does
    /// not support others either.
    private mutating func readTransferEncoding(_ value: UnsafeRawBufferPointer) throws(HTTP1Error) {
        last = .framing
        var coding = transferCoding
        var isEmpty = true
        try HTTP1Bytes.forEachElement(of: value) { (element) throws(HTTP1Error) in
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

    private mutating func readConnection(_ value: UnsafeRawBufferPointer) {
        last = .connection
        var (closes, keeps) = (closesConnection, keepsConnection)
        HTTP1Bytes.forEachElement(of: value) { element in
            if HTTP1Bytes.isSame(element, "close") { closes = true }
            if HTTP1Bytes.isSame(element, "keep-alive") { keeps = true }
        }
        (closesConnection, keepsConnection) = (closes, keeps)
    }

    private mutating func readKeepAlive(_ value: UnsafeRawBufferPointer) {
        var (timeout, maximum) = (keepAliveTimeoutSeconds, keepAliveMaximum)
        HTTP1Bytes.forEachElement(of: value) { element in
            guard let equals = element.firstIndex(of: UInt8(ascii: "=")) else { return }
            let name = HTTP1Bytes.trimmed(UnsafeRawBufferPointer(rebasing: element[..<equals]))
            // Larger numbers are as good as no limit.
            guard let large = HTTP1Bytes.trimmed(element, from: equals + 1).decimal(clampedTo: 1_000_000_000) else { return }
            let number = Int(large)
            if HTTP1Bytes.isSame(name, "timeout") { timeout = min(timeout ?? number, number) }
            if HTTP1Bytes.isSame(name, "max") { maximum = min(maximum ?? number, number) }
        }
        (keepAliveTimeoutSeconds, keepAliveMaximum) = (timeout, maximum)
    }
}

/// Checks the field lines of one section, head or trailers (RFC 9112 §5).
struct HTTP1FieldLines: Sendable {
    /// A field line, split into name and value.
    struct Line {
        /// Empty if the line continues the previous one (RFC 9112 §5.2).
        let name: UnsafeRawBufferPointer
        /// The value without surrounding white space.
        let value: UnsafeRawBufferPointer
    }

    /// The maximum number of lines.
    let maximum: Int
    /// The number of lines that were checked so far.
    private(set) var count = 0

    init(maximum: Int) {
        self.maximum = maximum
    }

    /// Checks a field line and splits it.
    ///
    /// - Parameter line: Not empty, and without its line end.
    @inline(__always)
    mutating func check(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) -> Line {
        count &+= 1
        guard count <= maximum else { throw .tooManyFields(maximum) }
        var colon = 0
        while colon < line.count, line[colon].isTokenByte { colon &+= 1 }
        if colon == 0 {
            guard line[0].isSpaceOrTab else { throw nameError(line) }
            // Go also accepts folded lines, but not as the first line, which crashes libcurl before 8.1.2.
            if count == 1 { throw .malformed("the first field line begins with white space, as if it continued another") }
        } else if colon == line.count || line[colon] != UInt8(ascii: ":") {
            // RFC 9112 §5.1: the colon follows the name directly. With a space between them, one recipient may use the field for
            // framing and another may not. hyper also rejects names that are not tokens, and lines without a colon; so does Go,
            // which however accepts spaces in a name.
            throw nameError(line)
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = HTTP1Bytes.trimmed(line, from: colon == 0 ? 0 : colon &+ 1)
        // RFC 9110 §5.5: NUL, bare CR and the other control characters are dangerous. Go and hyper reject them, OkHttp does not.
        if HTTP1Bytes.holdControl(value) { throw controlError(name) }
        return Line(name: name, value: value)
    }

    private func controlError(_ name: UnsafeRawBufferPointer) -> HTTP1Error {
        if name.isEmpty { return .malformed("field line \(count), which continues the previous one, has a control character") }
        return .malformed("the field \(HTTP1Bytes.shown(name)) has a control character")
    }

    private func nameError(_ line: UnsafeRawBufferPointer) -> HTTP1Error {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return .malformed("field line \(count) has no colon") }
        if colon == 0 { return .malformed("field line \(count) has no name") }
        return .malformed("the field name \(HTTP1Bytes.shown(UnsafeRawBufferPointer(rebasing: line[..<colon]))) is not a token")
    }
}

/// The first line of a response: `HTTP/1.1 200 OK` (RFC 9112 §4).
struct HTTP1StatusLine: Equatable, Sendable {
    /// The minor version, 0 or 1. A higher one is treated as 1 (RFC 9110 §2.5).
    let minorVersion: Int
    /// The status code, from 100 to 999.
    let statusCode: Int

    /// The beginning of every status line. The protocol name is case-sensitive (RFC 9112 §2.3).
    private static let prefix: StaticString = "HTTP/1."

    /// Checks the first bytes of a line that may be incomplete, so that a response that is not HTTP is rejected at once and not
    /// at the end of the line, which may never arrive.
    ///
    /// An empty line before the status line is rejected too, as in Go and OkHttp: RFC 9112 §2.2 allows it only for servers.
    static func checkPrefix(of bytes: UnsafeRawBufferPointer) throws(HTTP1Error) {
        for index in 0..<min(bytes.count, prefix.utf8CodeUnitCount) where bytes[index] != prefix.utf8Start[index] {
            throw .malformed("the response does not begin with HTTP/1.0 or HTTP/1.1")
        }
    }

    /// Creates a status line from a complete line, without its line end, that has passed ``checkPrefix(of:)``.
    ///
    /// As in Go, OkHttp and hyper, the reason phrase may be missing, and with it the space before it.
    init(_ line: UnsafeRawBufferPointer) throws(HTTP1Error) {
        let digits = Self.prefix.utf8CodeUnitCount
        guard line.count >= digits + 5, line[digits].isDigit, line[digits + 1] == UInt8.space else {
            throw Self.invalidLine(line)
        }
        var status = 0
        for index in digits + 2..<digits + 5 {
            guard line[index].isDigit else { throw Self.invalidLine(line) }
            status = status * 10 + Int(line[index] - UInt8(ascii: "0"))
        }
        // RFC 9110 §15: a valid status code is at least 100; a code of 600 or more is treated as a server error.
        guard status >= 100, line.count == digits + 5 || line[digits + 5] == UInt8.space else {
            throw Self.invalidLine(line)
        }
        // A line must not contain a bare CR or NUL (RFC 9112 §2.2, §4); hyper rejects all control characters.
        guard !HTTP1Bytes.holdControl(line) else { throw .malformed("the status line has a control character") }
        minorVersion = line[digits] == UInt8(ascii: "0") ? 0 : 1
        statusCode = status
    }

    private static func invalidLine(_ line: UnsafeRawBufferPointer) -> HTTP1Error {
        .malformed("\(HTTP1Bytes.shown(line)) is not a status line of HTTP/1.0 or HTTP/1.1")
    }
}

extension HTTP1Bytes {
    /// Returns a name in quotation marks for use in messages: at most 60 characters.
    static func shown(_ name: UnsafeRawBufferPointer) -> String {
        "\"\(String(decoding: name.prefix(240), as: UTF8.self).printable)\""
    }
}
