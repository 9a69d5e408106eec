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
