import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// The route to the server: direct, or through a proxy.
///
/// ```swift
/// SessionConfiguration { $0.proxy = .http(host: "proxy.example", port: 3128) }
/// ```
///
/// It is for `SocketSessionManager`. `URLSessionManager` uses the proxy of its `URLSessionConfiguration`: ``environment`` and ``none`` have no
/// effect there, and any other fails each request (``TransportError/Code/invalidConfiguration``).
///
/// Descriptions show no user name and no password.
public struct ProxyConfiguration: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case environment
        case none
        case http
        case https
        case socks5(resolvesNamesThere: Bool)
    }

    package let kind: Kind
    package let host: String
    package let port: Int
    package let username: String?
    @Secret var password: String?
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
    /// - Parameters:
    ///   - host: The host name or address of the proxy.
    ///   - port: The port of the proxy.
    ///   - username: For Basic authentication with the proxy; it is never sent to a server.
    ///   - password: The password that belongs to `username`.
    ///   - excludedHosts: The hosts that are reached without the proxy, as in the property ``excludedHosts``. Default: none.
    public static func http(
        host: String, port: Int, username: String? = nil, password: String? = nil, excludedHosts: [String] = []
    ) -> ProxyConfiguration {
        ProxyConfiguration(
            kind: .http, host: host, port: port, username: username, password: password, excludedHosts: excludedHosts)
    }

    /// An HTTP proxy that is reached over TLS: `http` requests are sent to it, `https` ones through a tunnel, with TLS inside TLS.
    ///
    /// Its certificate is verified for `host` under the trust policy for that host: `SessionConfiguration.trustByHost`, else `trust`.
    ///
    /// - Parameters:
    ///   - host: The host name or address of the proxy.
    ///   - port: The port of the proxy.
    ///   - username: For Basic authentication with the proxy; it is never sent to a server.
    ///   - password: The password that belongs to `username`.
    ///   - excludedHosts: The hosts that are reached without the proxy, as in the property ``excludedHosts``. Default: none.
    public static func https(
        host: String, port: Int, username: String? = nil, password: String? = nil, excludedHosts: [String] = []
    ) -> ProxyConfiguration {
        ProxyConfiguration(
            kind: .https, host: host, port: port, username: username, password: password, excludedHosts: excludedHosts)
    }

    /// A SOCKS 5 proxy (RFC 1928).
    ///
    /// - Parameters:
    ///   - host: The host name or address of the proxy.
    ///   - port: The port of the proxy.
    ///   - username: The user name for RFC 1929.
    ///   - password: The password that belongs to `username`.
    ///   - resolvesNamesThere: Whether the proxy looks up names, so that this machine's resolver never sees them.
    ///     Default: `true`.
    ///   - excludedHosts: The hosts that are reached without the proxy, as in the property ``excludedHosts``. Default: none.
    public static func socks5(
        host: String, port: Int, username: String? = nil, password: String? = nil, resolvesNamesThere: Bool = true,
        excludedHosts: [String] = []
    ) -> ProxyConfiguration {
        ProxyConfiguration(
            kind: .socks5(resolvesNamesThere: resolvesNamesThere), host: host, port: port, username: username, password: password,
            excludedHosts: excludedHosts)
    }

    /// Whether this configuration names a proxy itself.
    package var isExplicit: Bool {
        switch kind {
        case .environment, .none: false
        case .http, .https, .socks5: true
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
        case .https: "HTTPS proxy \(host.printable):\(port)"
        case .socks5: "SOCKS 5 proxy \(host.printable):\(port)"
        }
    }
}

extension ProxyConfiguration {
    /// Returns the value of an environment variable of this process; `nil` if it is not set.
    package static func processEnvironment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Returns the proxy through which a new connection is made; `nil` for a connection to the server itself.
    ///
    /// From the environment (libcurl-env(3)), only the first of these variables that is set is used: `http_proxy` for `http` (in lower case
    /// only, because a CGI server sets `HTTP_PROXY` from the client's `Proxy` field), `https_proxy` and `HTTPS_PROXY` for `https`, then
    /// `all_proxy` and `ALL_PROXY`. An empty value means no proxy. `no_proxy`, or `NO_PROXY` if that is not set, lists the hosts that are
    /// excluded; see ``ProxyExclusions``. An explicit proxy uses ``excludedHosts`` instead, and reads nothing from the environment.
    ///
    /// Performs no I/O. Must not be called when a Unix domain socket is configured: such connections are always direct.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the URL, in lower case: `http` or `https`.
    ///   - host: The host of the URL; an IPv6 address with or without brackets.
    ///   - port: The port of the server, also if it is the default one.
    ///   - environment: Returns the value of a variable; `nil` if it is not set.
    /// - Throws: ``TransportError/Code/invalidConfiguration`` if the variable that applies contains no usable proxy. The message names the
    ///   variable and the problem, and contains no part of its value, which may include a password.
    package func server(
        scheme: String, host: String, port: Int, environment: (String) -> String?
    ) throws(TransportError) -> ProxyServer? {
        switch kind {
        case .none: return nil
        case .http: return explicitServer(.http, host: host, port: port)
        case .https: return explicitServer(.https, host: host, port: port)
        case .socks5(let resolvesNamesThere):
            return explicitServer(resolvesNamesThere ? .socks5h : .socks5, host: host, port: port)
        case .environment: break
        }
        // In most cases there is no proxy; the list of exclusions is not read then.
        guard let (name, value) = Self.variable(for: scheme, in: environment), !value.isEmpty else { return nil }
        if let list = environment("no_proxy") ?? environment("NO_PROXY"),
            ProxyExclusions(list: list).contain(host: host, port: port)
        {
            return nil
        }
        do {
            return try ProxyServer(parsing: value)
        } catch {
            throw TransportError(
                .invalidConfiguration, "proxy: the environment variable \(name) is not a usable proxy: \(error)", phase: .connect)
        }
    }

    private func explicitServer(_ kind: ProxyServer.Kind, host: String, port: Int) -> ProxyServer? {
        if ProxyExclusions(entries: excludedHosts).contain(host: host, port: port) { return nil }
        return ProxyServer(
            kind: kind, host: ProxyServer.withoutBrackets(self.host), port: self.port, username: username,
            password: username == nil ? nil : password ?? "")
    }

    private static let variablesForHTTP = ["http_proxy", "all_proxy", "ALL_PROXY"]
    private static let variablesForHTTPS = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    private static func variable(
        for scheme: String, in environment: (String) -> String?
    ) -> (name: String, value: String)? {
        for name in scheme == "https" ? variablesForHTTPS : variablesForHTTP {
            if let value = environment(name) { return (name, value) }
        }
        return nil
    }
}
