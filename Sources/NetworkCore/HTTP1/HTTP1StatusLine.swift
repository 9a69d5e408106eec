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
