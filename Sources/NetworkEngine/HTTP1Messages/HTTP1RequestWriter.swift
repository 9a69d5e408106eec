import NetworkTransport
import Endpoints
import Foundation
import NetworkSupport

/// The properties of a written request head that affect the rest of the exchange.
struct HTTP1SentHead: Equatable, Sendable {
    /// Whether the body is sent chunked (``HTTP1Chunk``), because its length is unknown.
    var isChunked = false
    /// Whether the request has `Connection: close`, so that the connection is not reused (RFC 9112 §9.6).
    var closesConnection = false
    /// Whether the request has `Expect: 100-continue`, and content whose sending is delayed (RFC 9110 §10.1.1).
    var expectsContinue = false
    /// Whether the request has an `Upgrade` field, so that status 101 is a valid response (RFC 9110 §7.8).
    var expectsUpgrade = false
}

/// Writes the heads of HTTP/1.1 requests (RFC 9112 §3).
///
/// Writes `Host` first, then the request's own fields in their order, then default fields that the request lacks, and the framing
/// last. Requests are validated before. Even an invalid request cannot inject lines: control characters in a value become spaces
/// (RFC 9110 §5.5), a field whose name is not a token is left out, and the target is percent-encoded where necessary.
struct HTTP1RequestWriter: Sendable {
    /// The recipient of a request, which determines the form of the request target.
    enum Target: Sendable {
        /// The server, or a tunnel to it: a path and a query (RFC 9112 §3.2.1).
        case origin
        /// An HTTP proxy: the whole URL (RFC 9112 §3.2.2), and the value of `Proxy-Authorization`.
        case proxy(authorization: String?)
    }

    private let userAgent: String?
    private let acceptEncoding: String?

    /// Creates a writer with default values for two fields.
    ///
    /// - Parameters:
    ///   - userAgent: The `User-Agent` of requests without their own. If it is `nil` or empty, none is sent.
    ///   - acceptEncoding: The content codings that can be decoded, for requests without their own `Accept-Encoding`. If it is
    ///     `nil` or empty, none is sent.
    init(userAgent: String?, acceptEncoding: String?) {
        self.userAgent = userAgent?.isEmpty == true ? nil : userAgent
        self.acceptEncoding = acceptEncoding?.isEmpty == true ? nil : acceptEncoding
    }

    /// Appends a request head, including the empty line, to a buffer.
    ///
    /// - Parameters:
    ///   - bodyLength: The length of the body in bytes; 0 without a body, `nil` if it is unknown.
    ///   - cookie: The stored cookies, as a value of `Cookie`. Joined with the request's own, since only one field is allowed
    ///     (RFC 6265 §5.4).
    @discardableResult
    func appendHead(
        of request: NetworkRequest, bodyLength: Int64?, target: Target = .origin, cookie: String? = nil, to buffer: inout [UInt8]
    ) -> HTTP1SentHead {
        let url = request.urlText
        let fields = request.headers.fields
        var ownHost: Int?
        // An upper bound: each byte of the target and of the host may become three, and the host may be written twice.
        var capacity = request.method.rawValue.utf8.count + 6 * url.utf8.count + 256
        for index in fields.indices {
            capacity += fields[index].name.utf8.count + fields[index].value.utf8.count + 4
            if ownHost == nil, fields[index].name.isField("host") { ownHost = index }
        }
        capacity += (userAgent?.utf8.count ?? 0) + (acceptEncoding?.utf8.count ?? 0) + 2 * (cookie?.utf8.count ?? 0)
        if case .proxy(let authorization?) = target { capacity += authorization.utf8.count }
        let announced = announcedTrailers(of: request)
        capacity += announced.map { $0.utf8.count + 16 } ?? 0

        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: capacity))
        var head = HTTP1SentHead()
        let count = buffer.withUnsafeMutableBytes { bytes in
            var bytes = HTTP1HeadBytes(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            bytes.writeStart(
                method: request.method.rawValue, url: url, request.parsedURL, target: target,
                host: ownHost.map { fields[$0].value })
            let sendsBody = request.sendsBody
            let hasContent = sendsBody && bodyLength != 0
            let own = bytes.write(fields, target: target, hasContent: hasContent, cookie: cookie, noting: &head)
            if case .proxy(let authorization) = target, !own.contains(.proxyAuthorization) {
                bytes.writeField("Proxy-Authorization: ", authorization)
            }
            if !own.contains(.userAgent) { bytes.writeField("User-Agent: ", userAgent) }
            if !own.contains(.accept) { bytes.write("Accept: */*\r\n") }
            // A part of an encoded representation could not be decoded (RFC 9110 §14.2).
            if own.isDisjoint(with: [.acceptEncoding, .range]) { bytes.writeField("Accept-Encoding: ", acceptEncoding) }
            if !own.contains(.cookie) { bytes.writeField("Cookie: ", cookie) }
            if sendsBody { head.isChunked = bytes.writeFraming(bodyLength) }
            if !own.contains(.trailer) { bytes.writeField("Trailer: ", announced) }
            bytes.write("\r\n")
            return bytes.count
        }
        buffer.removeLast(capacity - count)
        return head
    }

    /// Appends the last chunk and the trailer section of a chunked body (RFC 9112 §7.1.2) to a buffer.
    ///
    /// - Parameter trailers: Validated fields.
    static func appendEnd(_ trailers: HeaderFields, to buffer: inout [UInt8]) {
        let capacity = trailers.fields.reduce(5) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: capacity))
        let count = buffer.withUnsafeMutableBytes { bytes in
            var bytes = HTTP1HeadBytes(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            bytes.write("0\r\n")
            for field in trailers.fields where field.name.isToken { bytes.write(field) }
            bytes.write("\r\n")
            return bytes.count
        }
        buffer.removeLast(capacity - count)
    }

    /// The value of the `Trailer` field for the trailers of the body; `nil` if none are announced.
    private func announcedTrailers(of request: NetworkRequest) -> String? {
        guard request.hasBody, let names = request.body?.trailers?.names, !names.isEmpty else { return nil }
        return names.joined(separator: ", ")
    }

    /// Returns the `Accept-Encoding` value that the writer adds to a request; `nil` if the request has its own, or a `Range`
    /// field.
    func acceptEncoding(for request: NetworkRequest) -> String? {
        request.headers.contains("Accept-Encoding") || request.headers.contains("Range") ? nil : acceptEncoding
    }
}

/// The fields that a request sets itself, of those that a writer would add.
struct OwnFields: OptionSet {
    let rawValue: UInt8

    static let userAgent = OwnFields(rawValue: 1)
    static let accept = OwnFields(rawValue: 2)
    static let acceptEncoding = OwnFields(rawValue: 4)
    static let cookie = OwnFields(rawValue: 8)
    static let proxyAuthorization = OwnFields(rawValue: 16)
    static let range = OwnFields(rawValue: 32)
    static let trailer = OwnFields(rawValue: 64)
}

extension HTTP1HeadBytes {
    /// Writes the request line and the `Host` field (RFC 9112 §3).
    ///
    /// - Parameter host: The request's own `Host`; `nil` to use the URL's host, without the scheme's default port (RFC 9110
    ///   §7.2).
    fileprivate mutating func writeStart(
        method: String, url: String, _ parts: ParsedURL, target: HTTP1RequestWriter.Target, host: String?
    ) {
        write(token: method)
        write(" ")
        url.withRawUTF8 { url in
            if case .proxy = target {
                write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.scheme]))
                write("://")
                write(hostOf: url, parts)
            }
            let pathAndQuery = UnsafeRawBufferPointer(rebasing: url[parts.pathAndQuery])
            // RFC 9112 §3.2.1: an empty path is sent as a slash.
            if pathAndQuery.first != UInt8(ascii: "/") { write("/") }
            write(urlPart: pathAndQuery)
            write(" HTTP/1.1\r\nHost: ")
            if let host { write(value: host) } else { write(hostOf: url, parts) }
            write("\r\n")
        }
    }

    mutating func write(hostOf url: UnsafeRawBufferPointer, _ parts: ParsedURL) {
        write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.host]))
        if parts.lacksBracket { write("]") }
        if !parts.port.isEmpty {
            write(":")
            write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.port]))
        }
    }

    /// Writes the request's own fields in their order, except those that only the writer may set.
    fileprivate mutating func write(
        _ fields: [HeaderFields.Field], target: HTTP1RequestWriter.Target, hasContent: Bool, cookie: String?,
        noting head: inout HTTP1SentHead
    ) -> OwnFields {
        var own: OwnFields = []
        for field in fields {
            guard field.name.isToken else { continue }
            var added: String?
            switch field.name.utf8.count {
            case 4 where field.name.isField("host"): continue
            case 5 where field.name.isField("range"): own.insert(.range)
            case 6 where field.name.isField("accept"): own.insert(.accept)
            case 6 where field.name.isField("cookie"):
                if !own.contains(.cookie) { added = cookie }
                own.insert(.cookie)
            case 6 where field.name.isField("expect"):
                guard field.value.lists("100-continue") else { break }
                // RFC 9110 §10.1.1: the expectation is not sent without content.
                if !hasContent { continue }
                head.expectsContinue = true
            case 7 where field.name.isField("upgrade"): head.expectsUpgrade = true
            case 7 where field.name.isField("trailer"): own.insert(.trailer)
            case 10 where field.name.isField("user-agent"): own.insert(.userAgent)
            case 10 where field.name.isField("connection"):
                if field.value.lists("close") { head.closesConnection = true }
            // Validation rejects these: with two framings, a server could use the wrong one (RFC 9112 §11.2).
            case 14 where field.name.isField("content-length"): continue
            case 17 where field.name.isField("transfer-encoding"): continue
            case 15 where field.name.isField("accept-encoding"): own.insert(.acceptEncoding)
            case 19 where field.name.isField("proxy-authorization"):
                // It is meant for a proxy that receives the request, and for no server (RFC 9110 §11.7.2).
                if case .origin = target { continue }
                own.insert(.proxyAuthorization)
            default: break
            }
            write(field, added: added)
        }
        return own
    }

    /// Writes a field line.
    ///
    /// - Parameter added: A value that is joined to that of the field.
    fileprivate mutating func write(_ field: HeaderFields.Field, added: String? = nil) {
        field.name.withRawUTF8 { write($0) }
        write(field.value.isEmpty && added == nil ? ":" : ": ")
        if field.isLatin1, let value = field.latin1Bytes {
            value.withUnsafeBytes { write(value: $0) }
        } else {
            write(value: field.value)
        }
        if let added {
            if !field.value.isEmpty { write("; ") }
            write(value: added)
        }
        write("\r\n")
    }

    /// Writes the field that frames the body.
    ///
    /// - Returns: Whether the body is sent chunked (RFC 9112 §6.1).
    fileprivate mutating func writeFraming(_ bodyLength: Int64?) -> Bool {
        guard let bodyLength else {
            write("Transfer-Encoding: chunked\r\n")
            return true
        }
        write("Content-Length: ")
        write(decimal: max(bodyLength, 0))
        write("\r\n")
        return false
    }
}

extension String {
    /// Whether the text equals a field name, ignoring case.
    func isField(_ lowercasedName: StaticString) -> Bool {
        utf8.count == lowercasedName.utf8CodeUnitCount && withRawUTF8 { HTTP1Bytes.isSame($0, lowercasedName) }
    }

    /// Whether the text is a comma-separated list that contains an element, ignoring case.
    func lists(_ lowercased: StaticString) -> Bool {
        withRawUTF8 { list in
            var isFound = false
            HTTP1Bytes.forEachElement(of: list) { if HTTP1Bytes.isSame($0, lowercased) { isFound = true } }
            return isFound
        }
    }
}

extension NetworkRequest {
    /// Whether the request has a body or its method expects one, so that a length is sent even if it is 0 (RFC 9110 §8.6).
    var sendsBody: Bool {
        if hasBody, let body, !body.isEmpty { return true }
        // Most requests; the other comparisons are of texts that differ, which take longer.
        if method == .get { return false }
        return method == .post || method == .put || method == .patch || method == .query
    }
}

/// Writes the parts of a request head into memory that the caller has made large enough.
///
/// Prevents injected lines: names, values and targets are written without line ends, whatever they contain.
struct HTTP1HeadBytes: ~Copyable {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
        self.bytes = bytes
    }

    /// What was written.
    var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[..<count]) }

    mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func write(_ part: UnsafeRawBufferPointer) {
        guard let start = part.baseAddress, !part.isEmpty else { return }
        precondition(part.count <= bytes.count &- count)
        memcpy(bytes.baseAddress! + count, start, part.count)
        count &+= part.count
    }

    private mutating func write(_ byte: UInt8) {
        bytes[count] = byte
        count &+= 1
    }

    /// Writes a field line. Does nothing if the value is `nil`.
    mutating func writeField(_ nameAndColon: StaticString, _ value: String?) {
        guard let value else { return }
        write(nameAndColon)
        write(value: value)
        write("\r\n")
    }

    /// Writes a token unchanged. Other characters, which validation rejects beforehand, are left out.
    mutating func write(token: String) {
        token.withRawUTF8 { token in
            for byte in token where byte.isTokenByte { write(byte) }
        }
    }

    /// Writes a field value unchanged. Control characters, which validation rejects beforehand, become spaces (RFC 9110 §5.5).
    mutating func write(value: String) {
        value.withRawUTF8 { write(value: $0) }
    }

    /// The same for bytes.
    mutating func write(value: UnsafeRawBufferPointer) {
        guard HTTP1Bytes.holdControl(value) else { return write(value) }
        for byte in value { write(HTTP1Bytes.isControl(byte) ? UInt8.space : byte) }
    }

    mutating func write(decimal number: Int64) {
        var digits = 1
        var power: Int64 = 10
        while digits < 19, number >= power {
            digits &+= 1
            power = digits < 19 ? power &* 10 : Int64.max
        }
        var rest = number
        for index in stride(from: count + digits - 1, through: count, by: -1) {
            bytes[index] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count &+= digits
    }

    /// Writes a part of a URL unchanged. Bytes that a URL must not contain, such as spaces and line ends, are percent-encoded
    /// (RFC 3986 §2.1).
    mutating func write(urlPart part: UnsafeRawBufferPointer) {
        var isPlain = true
        for byte in part { isPlain = isPlain && byte &- 0x21 < 0x5E }
        if isPlain { return write(part) }
        for byte in part {
            if byte &- 0x21 < 0x5E {
                write(byte)
            } else {
                write(UInt8(ascii: "%"))
                write(Self.digit(byte >> 4))
                write(Self.digit(byte & 15))
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &- 10 &+ value
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of this text, which is copied only if it is not stored as UTF-8.
    @inline(__always)
    func withRawUTF8<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }
}
