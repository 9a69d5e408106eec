import Endpoints
import Foundation
import NetworkLogging

/// The route to the server: direct, or through a proxy.
///
/// ```swift
/// SessionConfiguration { $0.proxy = .http(host: "proxy.example", port: 3128, username: "u", password: "p") }
/// ```
///
/// Descriptions show no user name and no password.
public struct ProxyConfiguration: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case environment
        case none
        case http
        case socks5(resolvesNamesThere: Bool)
    }

    let kind: Kind
    let host: String
    let port: Int
    let username: String?
    let password: String?
    /// The hosts that are reached without the proxy: names, which include their subdomains, IP addresses, and networks such as
    /// `10.0.0.0/8`, each optionally with a port (`host:8080`). `*` matches all hosts. It has no effect for ``environment`` and
    /// ``none``.
    public var excludedHosts: [String]

    private init(
        kind: Kind, host: String = "", port: Int = 0, username: String? = nil, password: String? = nil,
        excludedHosts: [String] = []
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.username = username
        self.password = password
        if let password { SecretValues.insert(password) }
        self.excludedHosts = excludedHosts
    }

    /// The proxy settings of the environment: `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, read for each new
    /// connection. The default.
    ///
    /// `http_proxy` is read in lower case only, since a CGI server sets `HTTP_PROXY` from a header field.
    public static let environment = ProxyConfiguration(kind: .environment)

    /// A direct connection to the server, regardless of the environment.
    public static let none = ProxyConfiguration(kind: .none)

    /// An HTTP proxy: `http` requests are sent to it (RFC 9112 §3.2.2), `https` ones through a tunnel (RFC 9110 §9.3.6).
    ///
    /// - Parameter username: For Basic authentication with the proxy; it is never sent to a server.
    public static func http(
        host: String, port: Int, username: String? = nil, password: String? = nil, excludedHosts: [String] = []
    ) -> ProxyConfiguration {
        ProxyConfiguration(
            kind: .http, host: host, port: port, username: username, password: password, excludedHosts: excludedHosts)
    }

    /// A SOCKS 5 proxy (RFC 1928).
    ///
    /// - Parameters:
    ///   - username: The user name for RFC 1929.
    ///   - resolvesNamesThere: Whether the proxy looks up names, so that this machine's resolver never sees them.
    ///     Default: `true`.
    public static func socks5(
        host: String, port: Int, username: String? = nil, password: String? = nil, resolvesNamesThere: Bool = true,
        excludedHosts: [String] = []
    ) -> ProxyConfiguration {
        ProxyConfiguration(
            kind: .socks5(resolvesNamesThere: resolvesNamesThere), host: host, port: port, username: username, password: password,
            excludedHosts: excludedHosts)
    }

    /// Whether this configuration names a proxy itself.
    var isExplicit: Bool {
        switch kind {
        case .environment, .none: false
        case .http, .socks5: true
        }
    }

    func validate() throws(TransportError) {
        guard isExplicit else { return }
        let isHost = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"/@?#\\".utf8.contains($0) }
        guard isHost else {
            throw TransportError(.invalidConfiguration, "proxy: \"\(host.printable)\" is not a host")
        }
        guard (1...65535).contains(port) else {
            throw TransportError(.invalidConfiguration, "proxy: the port \(port) is outside 1...65535")
        }
        for text in [username, password].compactMap(\.self) + excludedHosts
        where text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw TransportError(.invalidConfiguration, "proxy: a control character in a name or password")
        }
        if username == nil, password != nil {
            throw TransportError(.invalidConfiguration, "proxy: a password without a user name")
        }
        if excludedHosts.contains(where: { $0.isEmpty || $0.contains(",") || $0.contains(" ") }) {
            throw TransportError(.invalidConfiguration, "proxy: an excluded host is empty or contains a comma or a space")
        }
    }
}

extension ProxyConfiguration: RedactedStringConvertible {
    /// A textual representation with the proxy's kind, host and port.
    public var description: String {
        switch kind {
        case .environment: "the environment's proxy"
        case .none: "no proxy"
        case .http: "HTTP proxy \(host.printable):\(port)"
        case .socks5: "SOCKS 5 proxy \(host.printable):\(port)"
        }
    }
}
