import NetworkTransport
import Endpoints
import NetworkSupport

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
    /// An empty line is rejected too, as in Go and OkHttp. The parser skips one before the first status line.
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
