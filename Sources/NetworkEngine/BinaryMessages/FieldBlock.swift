import NetworkSupport

/// The fields of a response head or of trailers over HTTP/2 or HTTP/3, as the lines that HTTP/1.1 would have, checked by the
/// rules of RFC 9113 §8.2 and §8.3, and of RFC 9114 §4.2 and §4.3.
///
/// The lines are parsed outside the event loop, by the same code as those of HTTP/1.1.
struct FieldBlock: Sendable {
    /// The status line, for a head, a line for each field, and an empty line.
    private(set) var lines: [UInt8] = []
    /// The status; 0 for trailers.
    private(set) var status = 0
    /// The length of the body that the head announces.
    private(set) var length: Int64?
    /// Whether the head has a `Content-Encoding`.
    private(set) var hasContentEncoding = false
    /// The first violation, if the fields are not valid.
    private(set) var failure: MessageFailure?
    private let version: MessageVersion
    private let isTrailers: Bool
    private let limits: FieldLimits
    /// The size of the fields so far, and of those that have arrived on the stream before.
    private(set) var size: Int
    private var count = 0
    private var hasRegularFields = false

    /// - Parameter size: The size of the heads that have arrived on the stream before.
    init(_ version: MessageVersion, isTrailers: Bool = false, limits: FieldLimits, after size: Int = 0) {
        self.version = version
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
        guard size <= limits.bytes else { return failure = limits.sizeFailure }
        guard count <= limits.count else {
            return failure = MessageFailure(
                "the response head has more than \(limits.count) fields (maximumHeaderFields)", .limit)
        }
        if name.first == UInt8(ascii: ":") { return receiveStatus(name, value) }
        hasRegularFields = true
        guard Self.isName(name) else {
            return fail("a field name has characters that \(version.name) does not permit (\(version.section(.fields)))")
        }
        guard !HTTP1Bytes.holdControl(value), !(value.first?.isSpaceOrTab ?? false), !(value.last?.isSpaceOrTab ?? false) else {
            return fail(
                "the value of \(Self.shown(name)) has a control character, or white space around it (\(version.section(.fields)))"
            )
        }
        guard !Self.isConnectionField(name) else {
            return fail(
                "the field \(Self.shown(name)) is not permitted in \(version.name) (\(version.section(.connectionFields)))")
        }
        if !isTrailers { note(name, value) }
        append(name, value)
    }

    /// Completes the block.
    mutating func finish() {
        if !isTrailers, status == 0 { fail("the response has no :status (\(version.section(.status)))") }
        lines.append(UInt8.carriageReturn)
        lines.append(UInt8.lineFeed)
    }

    private mutating func fail(_ message: String) {
        if failure == nil { failure = MessageFailure(message) }
    }

    private mutating func receiveStatus(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard !isTrailers, HTTP1Bytes.isSame(UnsafeRawBufferPointer(rebasing: name[1...]), "status") else {
            let part = isTrailers ? "the trailers have" : "the response has"
            return fail("\(part) the pseudo-field \(Self.shown(name)) (\(version.section(.pseudoFields)))")
        }
        guard status == 0, !hasRegularFields else {
            return fail("the response has :status twice, or after other fields (\(version.section(.pseudoFields)))")
        }
        guard value.count == 3, let number = value.decimal, number >= 100, number != 101 else {
            return fail("the status is not a number of three digits that \(version.name) permits (\(version.section(.status)))")
        }
        status = Int(number)
        lines.reserveCapacity(512)
        lines.append(contentsOf: version.name.utf8)
        lines.append(UInt8.space)
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
