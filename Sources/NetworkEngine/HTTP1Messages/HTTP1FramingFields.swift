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
    private var lines: HTTP1FieldLines
    private let isConnect: Bool
    /// What the last line was, which a folded line would continue.
    private var last = Continued.other

    /// - Parameters:
    ///   - maximumLines: The maximum number of field lines.
    ///   - isConnect: Whether this is a response to CONNECT, in which the fields that frame a body are ignored (RFC 9110 §9.3.6).
    init(maximumLines: Int, isConnect: Bool = false) {
        lines = HTTP1FieldLines(maximum: maximumLines)
        self.isConnect = isConnect
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
        case 10:
            if HTTP1Bytes.isSame(name, "connection") {
                readConnection(value)
            } else if HTTP1Bytes.isSame(name, "keep-alive") {
                readKeepAlive(value)
            }
        case 14:
            if !isConnect, HTTP1Bytes.isSame(name, "content-length") { try readLength(value) }
        case 16:
            if HTTP1Bytes.isSame(name, "content-encoding") { hasContentEncoding = true }
        case 17:
            if !isConnect, HTTP1Bytes.isSame(name, "transfer-encoding") { try readTransferEncoding(value) }
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

extension HTTP1Bytes {
    /// Returns a name in quotation marks for use in messages: at most 60 characters.
    static func shown(_ name: UnsafeRawBufferPointer) -> String {
        "\"\(String(decoding: name.prefix(240), as: UTF8.self).printable)\""
    }
}
