import Endpoints
import Foundation

/// What the head of a request, as it was written, means for the rest of the exchange.
struct HTTP1SentHead: Equatable, Sendable {
    /// Whether the body goes out in chunks (``HTTP1Chunk``), since its length is not known.
    var isChunked = false
    /// The request says `Connection: close`: the connection takes no other (RFC 9112 §9.6).
    var closesConnection = false
    /// The request says `Expect: 100-continue`, and has content to wait with (RFC 9110 §10.1.1).
    var expectsContinue = false
    /// The request has an `Upgrade` field, so that a 101 is an answer to it (RFC 9110 §7.8).
    var expectsUpgrade = false
}

/// Writes the heads of HTTP/1.1 requests (RFC 9112 §3).
///
/// Host first, then the request's own fields in their order, then what it does not have itself, and the framing last. Requests are
/// validated before; even of one that is not, no line is made that the request did not mean: in a value, a control character
/// becomes a space (RFC 9110 §5.5), a field whose name is no token is left out, and a target is percent-encoded where it must be.
struct HTTP1RequestWriter: Sendable {
    /// Whom the request is sent to.
    enum Target: Sendable {
        /// The server, or a tunnel to it: a path and a query (RFC 9112 §3.2.1).
        case origin
        /// An HTTP proxy: the whole URL (RFC 9112 §3.2.2), and the value of `Proxy-Authorization`.
        case proxy(authorization: String?)
    }

    private let userAgent: String?
    private let acceptEncoding: String?

    /// - Parameters:
    ///   - userAgent: Sent unless a request has its own. Without text, none is sent.
    ///   - acceptEncoding: The content codings that can be decoded, in the same way.
    init(userAgent: String?, acceptEncoding: String?) {
        self.userAgent = userAgent?.isEmpty == true ? nil : userAgent
        self.acceptEncoding = acceptEncoding?.isEmpty == true ? nil : acceptEncoding
    }

    /// Appends the head, the empty line included.
    ///
    /// - Parameters:
    ///   - bodyLength: Of what is sent after the head; 0 without a body, `nil` if it is not known.
    ///   - cookie: The value of `Cookie`, from a store. Joined with the request's own, as there may be only one (RFC 6265 §5.4).
    @discardableResult
    func appendHead(
        of request: NetworkRequest, bodyLength: Int64?, target: Target = .origin, cookie: String? = nil, to buffer: inout [UInt8]
    ) -> HTTP1SentHead {
        let url = request.url.absoluteString
        let fields = request.headers.fields
        var ownHost: Int?
        // At most: each byte of the target and of the host may become three, and the host may be written twice.
        var capacity = request.method.rawValue.utf8.count + 6 * url.utf8.count + 256
        for index in fields.indices {
            capacity += fields[index].name.utf8.count + fields[index].value.utf8.count + 4
            if ownHost == nil, fields[index].name.isField("host") { ownHost = index }
        }
        capacity += (userAgent?.utf8.count ?? 0) + (acceptEncoding?.utf8.count ?? 0) + 2 * (cookie?.utf8.count ?? 0)
        if case .proxy(let authorization?) = target { capacity += authorization.utf8.count }

        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: capacity))
        var head = HTTP1SentHead()
        let count = buffer.withUnsafeMutableBytes { bytes in
            var bytes = HTTP1HeadBytes(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            bytes.writeStart(
                method: request.method.rawValue, url: url, target: target, host: ownHost.map { fields[$0].value })
            let hasContent = request.sendsBody && bodyLength != 0
            let own = bytes.write(fields, hasContent: hasContent, cookie: cookie, noting: &head)
            if case .proxy(let authorization) = target, !own.contains(.proxyAuthorization) {
                bytes.writeField("Proxy-Authorization: ", authorization)
            }
            if !own.contains(.userAgent) { bytes.writeField("User-Agent: ", userAgent) }
            if !own.contains(.accept) { bytes.write("Accept: */*\r\n") }
            // Parts of a coded representation could not be decoded (RFC 9110 §14.2).
            if own.isDisjoint(with: [.acceptEncoding, .range]) { bytes.writeField("Accept-Encoding: ", acceptEncoding) }
            if !own.contains(.cookie) { bytes.writeField("Cookie: ", cookie) }
            if request.sendsBody { head.isChunked = bytes.writeFraming(bodyLength) }
            bytes.write("\r\n")
            return bytes.count
        }
        buffer.removeLast(capacity - count)
        return head
    }

    /// What the writer adds as `Accept-Encoding`; `nil` where the request says itself what it accepts, or asks for a part.
    func acceptEncoding(for request: NetworkRequest) -> String? {
        request.headers.contains("Accept-Encoding") || request.headers.contains("Range") ? nil : acceptEncoding
    }
}

/// Fields that a request may have itself.
private struct OwnFields: OptionSet {
    let rawValue: UInt8

    static let userAgent = OwnFields(rawValue: 1)
    static let accept = OwnFields(rawValue: 2)
    static let acceptEncoding = OwnFields(rawValue: 4)
    static let cookie = OwnFields(rawValue: 8)
    static let proxyAuthorization = OwnFields(rawValue: 16)
    static let range = OwnFields(rawValue: 32)
}

extension HTTP1HeadBytes {
    /// The request line and the `Host` field (RFC 9112 §3).
    ///
    /// - Parameter host: The request's own; `nil` for that of the URL, which does not name the scheme's default port (RFC 9110 §7.2).
    fileprivate mutating func writeStart(method: String, url: String, target: HTTP1RequestWriter.Target, host: String?) {
        write(token: method)
        write(" ")
        url.withRawUTF8 { url in
            let parts = HTTP1RequestTarget(url)
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

    private mutating func write(hostOf url: UnsafeRawBufferPointer, _ parts: HTTP1RequestTarget) {
        write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.host]))
        if parts.lacksBracket { write("]") }
        if !parts.port.isEmpty {
            write(":")
            write(urlPart: UnsafeRawBufferPointer(rebasing: url[parts.port]))
        }
    }

    /// The request's own fields in their order, but for those that are not its to set.
    fileprivate mutating func write(
        _ fields: [HTTPHeaders.Field], hasContent: Bool, cookie: String?, noting head: inout HTTP1SentHead
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
                // RFC 9110 §10.1.1: not without content.
                if !hasContent { continue }
                head.expectsContinue = true
            case 7 where field.name.isField("upgrade"): head.expectsUpgrade = true
            case 10 where field.name.isField("user-agent"): own.insert(.userAgent)
            case 10 where field.name.isField("connection"):
                if field.value.lists("close") { head.closesConnection = true }
            // Refused by validation: of two framings, a server could believe the other (RFC 9112 §11.2).
            case 14 where field.name.isField("content-length"): continue
            case 17 where field.name.isField("transfer-encoding"): continue
            case 15 where field.name.isField("accept-encoding"): own.insert(.acceptEncoding)
            case 19 where field.name.isField("proxy-authorization"): own.insert(.proxyAuthorization)
            default: break
            }
            write(token: field.name)
            write(field.value.isEmpty && added == nil ? ":" : ": ")
            write(value: field.value)
            if let added {
                if !field.value.isEmpty { write("; ") }
                write(value: added)
            }
            write("\r\n")
        }
        return own
    }

    /// - Returns: Whether the body goes out in chunks (RFC 9112 §6.1).
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
    /// Whether the text is that name, compared without case.
    fileprivate func isField(_ lowercasedName: StaticString) -> Bool {
        utf8.count == lowercasedName.utf8CodeUnitCount && withRawUTF8 { HTTP1Bytes.isSame($0, lowercasedName) }
    }

    /// Whether the text is a list with that element in it, compared without case.
    fileprivate func lists(_ lowercased: StaticString) -> Bool {
        withRawUTF8 { list in
            var isFound = false
            HTTP1Bytes.forEachElement(of: list) { if HTTP1Bytes.isSame($0, lowercased) { isFound = true } }
            return isFound
        }
    }
}

extension NetworkRequest {
    /// Whether a length is announced even if it is 0 (RFC 9110 §8.6): the method expects content.
    var sendsBody: Bool {
        if let body, !body.isEmpty { return true }
        return method == .post || method == .put || method == .patch
    }
}
