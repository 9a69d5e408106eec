import NetworkSupport

/// The fields of a response head or of trailers, as the lines that HTTP/1.1 would have, checked by the rules of RFC 9113 §8.2
/// and §8.3.
///
/// The lines of an HTTP/2 head are parsed outside the event loop, by the same code as those of HTTP/1.1.
struct HTTP2FieldBlock: Sendable {
    /// The status line, for a head, a line for each field, and an empty line.
    private(set) var lines: [UInt8] = []
    /// The status; 0 for trailers.
    private(set) var status = 0
    /// The length of the body that the head announces.
    private(set) var length: Int64?
    /// Whether the head has a `Content-Encoding`.
    private(set) var hasContentEncoding = false
    /// The first violation, if the fields are not valid.
    private(set) var failure: HTTP2Failure?
    private let isTrailers: Bool
    private let limits: HTTP2Limits
    /// The size of the fields so far, and of those that have arrived on the stream before.
    private(set) var size: Int
    private var count = 0
    private var hasRegularFields = false

    /// - Parameter size: The size of the heads that have arrived on the stream before.
    init(isTrailers: Bool, limits: HTTP2Limits, after size: Int = 0) {
        self.isTrailers = isTrailers
        self.size = size
        self.limits = limits
    }

    /// Receives a field. Fields after a violation are ignored.
    mutating func receive(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        size += name.count + value.count + 4
        count += 1
        // Counted here, because a few bytes of a header block can represent kilobytes.
        guard size <= limits.headerBytes else {
            return failure = HTTP2Failure(
                .cancel, "the response head is larger than \(limits.headerBytes) bytes (maximumHeaderBytes)", .limit)
        }
        guard count <= limits.headerFields else {
            return failure = HTTP2Failure(
                .cancel, "the response head has more than \(limits.headerFields) fields (maximumHeaderFields)", .limit)
        }
        if name.first == UInt8(ascii: ":") { return receiveStatus(name, value) }
        hasRegularFields = true
        guard Self.isName(name) else { return fail("a field name has characters that HTTP/2 does not permit (RFC 9113 §8.2.1)") }
        guard !HTTP1Bytes.holdControl(value), !(value.first?.isSpaceOrTab ?? false), !(value.last?.isSpaceOrTab ?? false) else {
            return fail("the value of \(Self.shown(name)) has a control character, or white space around it (RFC 9113 §8.2.1)")
        }
        guard !Self.isConnectionField(name) else {
            return fail("the field \(Self.shown(name)) is not permitted in HTTP/2 (RFC 9113 §8.2.2)")
        }
        if !isTrailers { note(name, value) }
        append(name, value)
    }

    /// Completes the block.
    mutating func finish() {
        if !isTrailers, status == 0 { fail("the response has no :status (RFC 9113 §8.3.2)") }
        lines.append(UInt8.carriageReturn)
        lines.append(UInt8.lineFeed)
    }

    private mutating func fail(_ message: String) {
        if failure == nil { failure = HTTP2Failure(.protocolError, message) }
    }

    private mutating func receiveStatus(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard !isTrailers, HTTP1Bytes.isSame(UnsafeRawBufferPointer(rebasing: name[1...]), "status") else {
            return fail(
                "\(isTrailers ? "the trailers have" : "the response has") the pseudo-field \(Self.shown(name)) (RFC 9113 §8.3)")
        }
        guard status == 0, !hasRegularFields else {
            return fail("the response has :status twice, or after other fields (RFC 9113 §8.3)")
        }
        guard value.count == 3, let number = value.decimal, number >= 100, number != 101 else {
            return fail("the status is not a number of three digits that HTTP/2 permits (RFC 9113 §8.3.2, §8.6)")
        }
        status = Int(number)
        lines.reserveCapacity(512)
        lines.append(contentsOf: "HTTP/2 ".utf8)
        lines.append(contentsOf: value)
        lines.append(UInt8.space)
        lines.append(UInt8.carriageReturn)
        lines.append(UInt8.lineFeed)
    }

    private mutating func note(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if name.count == 14, HTTP1Bytes.isSame(name, "content-length") {
            guard let number = value.decimal, number == length ?? number else {
                return fail("the Content-Length is not a number, or there are several that differ")
            }
            length = number
        } else if name.count == 16, HTTP1Bytes.isSame(name, "content-encoding") {
            hasContentEncoding = true
        }
    }

    private mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        lines.append(contentsOf: name)
        lines.append(UInt8(ascii: ":"))
        lines.append(UInt8.space)
        lines.append(contentsOf: value)
        lines.append(UInt8.carriageReturn)
        lines.append(UInt8.lineFeed)
    }

    /// Whether the bytes are a token without uppercase letters.
    private static func isName(_ name: UnsafeRawBufferPointer) -> Bool {
        if name.isEmpty { return false }
        for byte in name where !byte.isTokenByte || (0x41...0x5A).contains(byte) { return false }
        return true
    }

    /// Whether a field describes a connection of HTTP/1.1.
    private static func isConnectionField(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 7: HTTP1Bytes.isSame(name, "upgrade")
        case 10: HTTP1Bytes.isSame(name, "connection") || HTTP1Bytes.isSame(name, "keep-alive")
        case 16: HTTP1Bytes.isSame(name, "proxy-connection")
        case 17: HTTP1Bytes.isSame(name, "transfer-encoding")
        default: false
        }
    }

    private static func shown(_ name: UnsafeRawBufferPointer) -> String {
        "\"\(String(decoding: name.prefix(60), as: UTF8.self))\""
    }
}
