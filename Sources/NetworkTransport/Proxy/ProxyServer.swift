import Foundation
import NetworkLogging
import NetworkSupport

/// A proxy server: its protocol, its address, and the credentials for it.
///
/// Values are equal if proxy and credentials are the same, so that a value can be part of the key of a connection pool.
/// Descriptions contain no user name and no password.
package struct ProxyServer: Sendable, Hashable {
    /// The protocol of a proxy. The raw value is the scheme of its URL (CURLOPT_PROXY(3)).
    package enum Kind: String, Sendable, Hashable {
        /// HTTP, without TLS to the proxy.
        case http
        /// HTTP, with TLS to the proxy.
        case https
        /// SOCKS 4, with IPv4 addresses only.
        case socks4
        /// SOCKS 4A, with host names.
        case socks4a
        /// SOCKS 5 (RFC 1928), with host names looked up by the client.
        case socks5
        /// SOCKS 5, with host names looked up by the proxy.
        case socks5h
    }

    package var kind: Kind
    /// The name or the address of the proxy, IPv6 without brackets. A zone follows its address after `%`.
    package var host: String
    /// The port of the proxy, from 1 to 65535.
    package var port: Int
    /// The user name, not percent-encoded, without control characters; `nil` together with ``password`` if there are no credentials.
    package var username: String?
    @Secret package var password: String?
    /// The path of the Unix domain socket of a SOCKS proxy, from a URL such as `socks5h://localhost/path/to/socket`, still percent-encoded. Empty for
    /// TCP.
    package var socketPath = ""

    init(kind: Kind, host: String, port: Int, username: String? = nil, password: String? = nil, socketPath: String = "") {
        self.kind = kind
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.socketPath = socketPath
        rememberCredentials()
    }

    /// Adds the credentials to the secrets of the log, wherever they come from: a configuration or the environment.
    private func rememberCredentials() {
        guard let username else { return }
        SecretValues.insert(userInformation: "\(username):\(password ?? "")")
    }

    /// Whether a request for an `http` URL is sent to the proxy itself, with its target in absolute-form (RFC 9112 §3.2.2) and
    /// with ``authorization``. All other requests are sent as without a proxy, through a tunnel or a SOCKS proxy.
    package var takesAbsoluteForm: Bool {
        kind == .http || kind == .https
    }

    /// The value of `Proxy-Authorization` for Basic (RFC 7617 §2, in UTF-8); `nil` without credentials and for SOCKS.
    package var authorization: String? {
        guard takesAbsoluteForm, let username else { return nil }
        return "Basic " + Data("\(username):\(password ?? "")".utf8).base64EncodedString()
    }

    /// Whether the name of the server is looked up here, and its address is passed to the proxy.
    package var resolvesNamesHere: Bool { kind == .socks4 || kind == .socks5 }

    /// The path of the Unix domain socket.
    package var decodedSocketPath: String { String(decoding: Array(socketPath.utf8).percentDecodedOnce(), as: UTF8.self) }

    /// The host and the port as in a URL: `proxy.example:3128`, `[::1]:3128`.
    package var address: String {
        "\(host.contains(":") ? "[\(host.replacingOccurrences(of: "%", with: "%25"))]" : host):\(port)"
    }

    /// Returns a host without the brackets of an IPv6 address.
    package static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}

extension ProxyServer: RedactedStringConvertible {
    /// A textual representation with protocol, host and port, without credentials.
    package var description: String { "\(kind.rawValue)://\(address)\(socketPath)" }
}

/// The reason why the text of a proxy is invalid. It contains no part of the text, which may include a password.
struct ProxySyntaxError: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ProxyServer {
    /// Parses a proxy as in environment variables: `[scheme://][user[:password]@]host[:port][/]`.
    ///
    /// The rules are those of libcurl (CURLOPT_PROXY(3)): the default scheme is `http`; `socks` means SOCKS 4; user name and password are
    /// percent-decoded, and a `%` without two hexadecimal digits is kept; the default port is 1080, and 443 for `https`; path, query and
    /// fragment are ignored, except the socket path of a SOCKS proxy on `localhost`. Unlike libcurl, port 0 and a percent-encoded host are
    /// refused, user information may contain an `@`, and a colon without a port is accepted.
    ///
    /// - Throws: ``ProxySyntaxError``, which contains no part of `text`.
    init(parsing text: String) throws(ProxySyntaxError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw ProxySyntaxError("it contains a space or a control character")
        }
        var rest = text[...]
        var kind = Kind.http
        if let separator = rest.range(of: "://") {
            guard let known = Self.kind(of: rest[..<separator.lowerBound]) else {
                throw ProxySyntaxError("its scheme is not one of http, https, socks4, socks4a, socks5 and socks5h")
            }
            kind = known
            rest = rest[separator.upperBound...]
        }
        let authorityEnd = rest.utf8.firstIndex { "/?#".utf8.contains($0) } ?? rest.endIndex
        let path = rest[authorityEnd...].prefix { $0 != "?" && $0 != "#" }
        rest = rest[..<authorityEnd]
        var credentials: (username: String, password: String)?
        if let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) {
            credentials = try Self.credentials(of: rest[..<at])
            rest = rest[rest.utf8.index(after: at)...]
        }
        let (host, port) = try Self.hostAndPort(of: rest)
        self.init(
            kind: kind, host: host, port: port ?? (kind == .https ? 443 : 1080), username: credentials?.username,
            password: credentials?.password)
        if !takesAbsoluteForm, host.lowercased() == "localhost", path != "/" { socketPath = String(path) }
    }

    private static func kind(of scheme: Substring) -> Kind? {
        let scheme = scheme.lowercased()
        return scheme == "socks" ? .socks4 : Kind(rawValue: scheme)
    }

    private static func credentials(of text: Substring) throws(ProxySyntaxError) -> (username: String, password: String) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let username = try decoded(text[..<colon])
        return (username, colon == text.endIndex ? "" : try decoded(text[text.utf8.index(after: colon)...]))
    }

    private static func decoded(_ text: Substring) throws(ProxySyntaxError) -> String {
        let bytes = Array(text.utf8).percentDecodedOnce()
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let text = String(valid: bytes) else {
            throw ProxySyntaxError("its user name or password contains a control character or is not UTF-8")
        }
        return text
    }

    private static func hostAndPort(of text: Substring) throws(ProxySyntaxError) -> (host: String, port: Int?) {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw ProxySyntaxError("its address has no closing bracket")
            }
            host = text[text.utf8.index(after: text.startIndex)..<end]
            let after = text[text.utf8.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else {
                throw ProxySyntaxError("its address is followed by something other than a port")
            }
            if !after.isEmpty { port = after.dropFirst() }
            return (try address(of: host), try port.flatMap { port throws(ProxySyntaxError) in try number(of: port) })
        }
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            host = text[..<colon]
            port = text[text.utf8.index(after: colon)...]
        }
        guard !host.isEmpty, !host.utf8.contains(where: { "\\<>\"{}|^`%[]".utf8.contains($0) }) else {
            throw ProxySyntaxError(host.isEmpty ? "its host is missing" : "its host is not valid")
        }
        return (String(host), try port.flatMap { port throws(ProxySyntaxError) in try number(of: port) })
    }

    /// Parses an IPv6 address. A `%25` before its zone becomes `%` (RFC 6874 §2).
    private static func address(of text: Substring) throws(ProxySyntaxError) -> String {
        let digits = text.prefix { $0 != "%" }
        var zone = text[digits.endIndex...].dropFirst()
        if zone.hasPrefix("25"), zone.utf8.count > 2 { zone = zone.dropFirst(2) }
        guard IPAddress(digits)?.isIPv6 == true, zone.utf8.allSatisfy({ $0.isZoneByte }) else {
            throw ProxySyntaxError("its address in brackets is not an IPv6 address")
        }
        return zone.isEmpty ? String(digits) : "\(digits)%\(zone)"
    }

    /// Parses a port; `nil` if there is no text after the colon.
    private static func number(of text: Substring) throws(ProxySyntaxError) -> Int? {
        if text.isEmpty { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt16(text),
            number > 0
        else { throw ProxySyntaxError("its port is not a number from 1 to 65535") }
        return Int(number)
    }
}

extension UInt8 {
    /// Whether the byte may occur in a zone (RFC 6874 §2): it is unreserved (RFC 3986 §2.3).
    fileprivate var isZoneByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
