import Endpoints
import NetworkLogging
import NetworkSupport
import NetworkTransport

/// The handshake with an HTTP proxy that opens a tunnel: the method CONNECT (RFC 9110 §9.3.6).
///
/// Credentials are sent at once, so that a proxy that needs them costs no second connection. The content of a refusal is not read, and the
/// connection cannot be used for another request.
struct ConnectTunnel: ProxyHandshake, Sendable {
    private enum State {
        case receiving
        case connected
        case failed(ProxyRefusal)
    }

    private let host: String
    private let port: Int
    @Secret private var authorization: String?
    private let userAgent: String?
    private var parser: HTTP1ResponseParser
    private var state = State.receiving

    /// Creates a handshake.
    ///
    /// - Parameters:
    ///   - host: The server as in the URL: a name, an IPv4 address, or an IPv6 address without brackets, whose zone is not sent.
    ///   - port: The port of the server, from 1 to 65535.
    ///   - authorization: The value of `Proxy-Authorization`; `nil` if there are no credentials.
    ///   - userAgent: The value of `User-Agent`. If it is `nil` or empty, the field is not sent.
    ///   - maximumHeaderBytes: The limit for the response's head and the interim responses together.
    ///   - maximumHeaderFields: The maximum number of field lines of each head.
    init(
        host: String, port: Int, authorization: String?, userAgent: String?, maximumHeaderBytes: Int, maximumHeaderFields: Int
    ) {
        self.host = host
        self.port = port
        self.authorization = authorization?.isEmpty == true ? nil : authorization
        self.userAgent = userAgent?.isEmpty == true ? nil : userAgent
        // With `expectsUpgrade`, status 101 is reported like other final statuses, and refused by them.
        parser = HTTP1ResponseParser(
            isHead: false, isConnect: true, expectsUpgrade: true, maximumHeaderBytes: maximumHeaderBytes,
            maximumHeaderFields: maximumHeaderFields)
    }

    mutating func begin() throws(ProxyRefusal) -> [UInt8] {
        do throws(ProxyRefusal) {
            return try request()
        } catch {
            state = .failed(error)
            throw error
        }
    }

    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(ProxyRefusal) -> ProxyStep {
        do throws(ProxyRefusal) {
            return try step(bytes)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func step(_ bytes: UnsafeRawBufferPointer) throws(ProxyRefusal) -> ProxyStep {
        switch state {
        case .failed(let refusal): throw refusal
        case .connected:
            guard bytes.isEmpty else { throw .surplus(bytes.count) }
            return .connected
        case .receiving: break
        }
        var offset = 0
        while true {
            switch try next(bytes, at: &offset) {
            case .needsMore: return .receive
            case .interim: continue
            // Nothing is read after the head.
            case .head, .body, .end:
                guard (200..<300).contains(parser.statusCode) else { throw refusalByStatus }
                guard offset == bytes.count else { throw .surplus(bytes.count - offset) }
                state = .connected
                return .connected
            }
        }
    }

    private mutating func next(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int
    ) throws(ProxyRefusal) -> HTTP1ResponseParser.Step {
        do throws(HTTP1Error) {
            return try parser.next(bytes, at: &offset)
        } catch {
            let problem = error.kind == .headersTooLarge ? "too large" : "malformed"
            let details = withoutCredentials(error.message).map { ": \($0)" } ?? ""
            throw ProxyRefusal("the proxy's response to CONNECT is \(problem)\(details)")
        }
    }

    mutating func receiveEnd() -> ProxyRefusal {
        if case .failed(let refusal) = state { return refusal }
        let place =
            parser.isHeadComplete
            ? "after its response to CONNECT"
            : parser.hasReceivedBytes
                ? "before the end of its response to CONNECT" : "without a response to CONNECT"
        let refusal = ProxyRefusal("the proxy has closed the connection \(place)", isTemporary: true)
        state = .failed(refusal)
        return refusal
    }
}

// MARK: The request

extension ConnectTunnel {
    /// The request: its target has the authority-form (RFC 9112 §3.2.3), and `Host` is the same (RFC 9110 §7.2).
    private func request() throws(ProxyRefusal) -> [UInt8] {
        let authority = try authority()
        var fields = [("Host", authority)]
        if let authorization { fields.append(("Proxy-Authorization", authorization)) }
        if let userAgent { fields.append(("User-Agent", userAgent)) }
        var text = "CONNECT \(authority) HTTP/1.1\r\n"
        for (name, value) in fields {
            // RFC 9110 §5.5: a line end in a value would add a line.
            guard !value.utf8.contains(where: HTTP1Bytes.isControl) else {
                throw ProxyRefusal("the value of \(name) for the proxy contains a control character")
            }
            text += "\(name): \(value)\r\n"
        }
        return Array((text + "\r\n").utf8)
    }

    private func authority() throws(ProxyRefusal) -> String {
        guard (1...65535).contains(port) else { throw ProxyRefusal("the port \(port) is not a number from 1 to 65535") }
        let isIPv6 = host.utf8.contains(.colon)
        // A zone has a meaning on the client's machine only (RFC 6874 §1).
        let name = isIPv6 ? host.prefix { $0 != "%" } : host[...]
        guard !name.isEmpty, name.utf8.allSatisfy({ isIPv6 ? $0.isAddressByte : $0.isRegisteredNameByte }) else {
            throw ProxyRefusal("the host \"\(host.printable)\" is not one of a URL (RFC 3986 §3.2.2)")
        }
        return isIPv6 ? "[\(name)]:\(port)" : "\(name):\(port)"
    }
}

extension UInt8 {
    /// Whether the byte may occur in an IPv6 address without zone (RFC 3986 §3.2.2).
    fileprivate var isAddressByte: Bool { hexValue != nil || self == .colon || self == .dot }

    /// Whether the byte may occur in a host name or an IPv4 address: unreserved, percent-encoded or a delimiter (RFC 3986 §3.2.2).
    fileprivate var isRegisteredNameByte: Bool { isAlphanumeric || "-._~%!$&'()*+,;=".utf8.contains(self) }
}

// MARK: Refusals

extension ConnectTunnel {
    /// The statuses after which the same request may pass later. tinyproxy responds with 500 if it cannot connect to the server.
    private static let temporaryStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The maximum number of authentication schemes in a message.
    private static let maximumSchemes = 8

    private var refusalByStatus: ProxyRefusal {
        let status = parser.statusCode
        if status == 407 { return ProxyRefusal(messageAboutCredentials) }
        let reason = withoutCredentials(reason) ?? ""
        return ProxyRefusal(
            "the proxy has responded to CONNECT with \(status)" + (reason.isEmpty ? "" : " (\(reason))"),
            isTemporary: Self.temporaryStatuses.contains(status))
    }

    private var messageAboutCredentials: String {
        let message =
            authorization == nil ? "the proxy requires credentials (407)" : "the proxy does not accept the credentials (407)"
        let schemes = schemes
        guard !schemes.isEmpty, !schemes.contains(where: { $0.lowercased() == "basic" }),
            let names = withoutCredentials(schemes.prefix(Self.maximumSchemes).map(\.printable).joined(separator: ", "))
        else { return message }
        return "\(message); it names the schemes \(names), but not Basic"
    }

    /// The reason phrase, at most 100 characters (RFC 9112 §4).
    private var reason: String {
        let line = parser.head.lines.prefix(400).prefix { $0 != .lineFeed && $0 != .carriageReturn }
        return String(decoding: line.dropFirst("HTTP/1.1 200".utf8.count).trimmed, as: UTF8.self).printable(limit: 100)
    }

    /// The schemes that `Proxy-Authenticate` names (RFC 9110 §11.7.1).
    private var schemes: [String] {
        var scanner = FieldScanner((parser.head.value(for: "proxy-authenticate") ?? "")[...])
        var schemes: [String] = []
        // The comma separates challenges and also their parameters, which have an equals sign after their name.
        while let part = scanner.takePart(endingAt: ",") {
            var part = FieldScanner(part)
            let name = part.take(while: \.isTokenByte)
            guard !name.isEmpty, part.isAtEnd || part.next?.isSpaceOrTab == true else { continue }
            part.takeSpace()
            if part.next != .equals { schemes.append(String(name)) }
        }
        return schemes
    }

    /// Returns a text that the proxy has sent; `nil` if it contains the credentials, or their beginning: a proxy may send back the request.
    private func withoutCredentials(_ text: String) -> String? {
        guard let authorization else { return text }
        // RFC 9110 §11.4: they follow the scheme.
        let secret = authorization.split(separator: " ", maxSplits: 1).last?.prefix(8) ?? ""
        return secret.isEmpty || !text.contains(secret) ? text : nil
    }
}
