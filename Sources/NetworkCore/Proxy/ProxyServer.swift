import Foundation

/// A proxy: how it is spoken to, where it is, and the credentials for it.
///
/// Equal values are the same proxy with the same credentials, so that it can be part of the key of a connection pool.
/// Descriptions show no user name and no password.
struct ProxyServer: Sendable, Hashable {
    /// The protocols, as the schemes that libcurl has for them (CURLOPT_PROXY(3)).
    enum Kind: String, Sendable, Hashable {
        /// HTTP, without TLS to the proxy.
        case http
        /// HTTP, with TLS to the proxy.
        case https
        /// SOCKS 4: takes IPv4 addresses.
        case socks4
        /// SOCKS 4A: takes names.
        case socks4a
        /// SOCKS 5 (RFC 1928), names looked up on this side.
        case socks5
        /// SOCKS 5, names looked up by the proxy.
        case socks5h
    }

    var kind: Kind
    /// A name or an address, IPv6 without brackets. A zone follows its address after `%`.
    var host: String
    /// 1...65535.
    var port: Int
    /// `nil` together with ``password``: no credentials. Not percent-encoded, free of control characters.
    var username: String?
    var password: String?
    /// The Unix domain socket of a SOCKS proxy, as libcurl writes it: the path of `socks5h://localhost/path/to/socket`,
    /// percent-encoded as it came. libcurl connects to it from 7.84.0 on. Empty for TCP.
    var socketPath = ""

    init(kind: Kind, host: String, port: Int, username: String? = nil, password: String? = nil, socketPath: String = "") {
        self.kind = kind
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        self.socketPath = socketPath
    }

    /// Whether a request of an `http` URL is sent to the proxy itself, with its target in absolute-form (RFC 9112 §3.2.2) and
    /// with ``authorization``. Everything else goes through a tunnel, or a SOCKS proxy, as if there was no proxy.
    var takesAbsoluteForm: Bool {
        kind == .http || kind == .https
    }

    /// The value of `Proxy-Authorization` for Basic (RFC 7617 §2, in UTF-8); `nil` without credentials, and for SOCKS.
    var authorization: String? {
        guard takesAbsoluteForm, let username else { return nil }
        return "Basic " + Data("\(username):\(password ?? "")".utf8).base64EncodedString()
    }

    /// Host and port as in a URL: `proxy.example:3128`, `[::1]:3128`.
    var address: String {
        "\(host.contains(":") ? "[\(host.replacingOccurrences(of: "%", with: "%25"))]" : host):\(port)"
    }

    /// The whole proxy as the value of CURLOPT_PROXY, credentials included. No other option is needed.
    ///
    /// libcurl decodes the credentials of this URL exactly once. CURLOPT_PROXYUSERNAME and CURLOPT_PROXYPASSWORD are decoded too
    /// up to 8.7.1, and taken as they are from 8.8.0 on.
    var url: String {
        guard let username else { return "\(kind.rawValue)://\(address)\(socketPath)" }
        let credentials = "\(Self.encoded(username)):\(Self.encoded(password ?? ""))"
        return "\(kind.rawValue)://\(credentials)@\(address)\(socketPath)"
    }

    /// An IPv6 address without its brackets.
    static func withoutBrackets(_ host: String) -> String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// All but the unreserved characters of RFC 3986 §2.3 percent-encoded.
    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Kind, host and port.
    var description: String { "\(kind.rawValue)://\(address)\(socketPath)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// What is wrong with the text of a proxy. Holds nothing of the text.
struct ProxyFlaw: Error, Hashable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension ProxyServer {
    /// Reads a proxy as environment variables hold it: `[scheme://][user[:password]@]host[:port][/]`.
    ///
    /// As libcurl has it (CURLOPT_PROXY(3)): without a scheme it is an HTTP proxy; `socks` is SOCKS 4; user name and password are
    /// percent-decoded, and a `%` that encodes nothing stands for itself; without a port it is 1080, for `https` 443; path,
    /// query and fragment mean nothing, but for the socket path of a SOCKS proxy on `localhost`. Unlike libcurl, port 0 and a
    /// percent-encoded host are refused, user information may hold an `@`, and a colon without a port is no error.
    ///
    /// - Throws: What is wrong, without any part of `text`.
    init(parsing text: String) throws(ProxyFlaw) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw ProxyFlaw("a space or a control character in it")
        }
        var rest = text[...]
        var kind = Kind.http
        if let separator = rest.range(of: "://") {
            guard let known = Self.kind(of: rest[..<separator.lowerBound]) else {
                throw ProxyFlaw("its scheme is none of http, https, socks4, socks4a, socks5 and socks5h")
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

    private static func credentials(of text: Substring) throws(ProxyFlaw) -> (username: String, password: String) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
        let username = try decoded(text[..<colon])
        return (username, colon == text.endIndex ? "" : try decoded(text[text.utf8.index(after: colon)...]))
    }

    private static func decoded(_ text: Substring) throws(ProxyFlaw) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(truncatingIfNeeded: digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), let text = String(validating: bytes, as: UTF8.self) else {
            throw ProxyFlaw("a user name or password with a control character, or not in UTF-8")
        }
        return text
    }

    private static func hostAndPort(of text: Substring) throws(ProxyFlaw) -> (host: String, port: Int?) {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw ProxyFlaw("an address without its closing bracket")
            }
            host = text[text.utf8.index(after: text.startIndex)..<end]
            let after = text[text.utf8.index(after: end)...]
            guard after.isEmpty || after.hasPrefix(":") else { throw ProxyFlaw("something other than a port behind the address") }
            if !after.isEmpty { port = after.dropFirst() }
            return (try address(of: host), try port.flatMap { port throws(ProxyFlaw) in try number(of: port) })
        }
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            host = text[..<colon]
            port = text[text.utf8.index(after: colon)...]
        }
        guard !host.isEmpty, !host.utf8.contains(where: { "\\<>\"{}|^`%[]".utf8.contains($0) }) else {
            throw ProxyFlaw(host.isEmpty ? "its host is missing" : "its host is none")
        }
        return (String(host), try port.flatMap { port throws(ProxyFlaw) in try number(of: port) })
    }

    /// An IPv6 address, with `%25` before its zone made `%` (RFC 6874 §2).
    private static func address(of text: Substring) throws(ProxyFlaw) -> String {
        let digits = text.prefix { $0 != "%" }
        var zone = text[digits.endIndex...].dropFirst()
        if zone.hasPrefix("25"), zone.utf8.count > 2 { zone = zone.dropFirst(2) }
        guard IPAddress(digits)?.isIPv6 == true, zone.utf8.allSatisfy({ $0.isZoneByte }) else {
            throw ProxyFlaw("what is in brackets is no IPv6 address")
        }
        return zone.isEmpty ? String(digits) : "\(digits)%\(zone)"
    }

    /// `nil` where there is none behind the colon.
    private static func number(of text: Substring) throws(ProxyFlaw) -> Int? {
        if text.isEmpty { return nil }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let number = UInt16(text),
            number > 0
        else { throw ProxyFlaw("its port is not a number of 1...65535") }
        return Int(number)
    }
}

extension UInt8 {
    /// Unreserved in RFC 3986 §2.3, as RFC 6874 §2 has zones.
    fileprivate var isZoneByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
