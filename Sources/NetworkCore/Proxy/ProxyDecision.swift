import Endpoints

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The decision whether a new connection is made through a proxy.
enum ProxyDecision: Sendable, Hashable {
    /// Connect to the server itself.
    case direct
    /// Connect to a proxy, which forwards requests or opens a tunnel.
    case proxy(ProxyServer)

    /// The proxy; `nil` for a direct connection.
    var server: ProxyServer? {
        switch self {
        case .direct: nil
        case .proxy(let server): server
        }
    }

    /// Returns the value of an environment variable of this process; `nil` if it is not set.
    static func processEnvironment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

extension ProxyConfiguration {
    /// Decides whether a new connection is made through a proxy.
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
    func decision(
        scheme: String, host: String, port: Int, environment: (String) -> String?
    ) throws(TransportError) -> ProxyDecision {
        switch kind {
        case .none: return .direct
        case .http: return explicitDecision(.http, host: host, port: port)
        case .socks5(let resolvesNamesThere):
            return explicitDecision(resolvesNamesThere ? .socks5h : .socks5, host: host, port: port)
        case .environment: break
        }
        // In most cases there is no proxy; the list of exclusions is not read then.
        guard let (name, value) = Self.variable(for: scheme, in: environment), !value.isEmpty else { return .direct }
        if let list = environment("no_proxy") ?? environment("NO_PROXY"),
            ProxyExclusions(list: list).contain(host: host, port: port)
        {
            return .direct
        }
        do {
            return .proxy(try ProxyServer(parsing: value))
        } catch {
            throw TransportError(
                .invalidConfiguration, "proxy: the environment variable \(name) is not a usable proxy: \(error)", phase: .connect)
        }
    }

    private func explicitDecision(_ kind: ProxyServer.Kind, host: String, port: Int) -> ProxyDecision {
        if ProxyExclusions(entries: excludedHosts).contain(host: host, port: port) { return .direct }
        let server = ProxyServer(
            kind: kind, host: ProxyServer.withoutBrackets(self.host), port: self.port, username: username,
            password: username == nil ? nil : password ?? "")
        return .proxy(server)
    }

    private static func variable(
        for scheme: String, in environment: (String) -> String?
    ) -> (name: String, value: String)? {
        let names = (scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        for name in names {
            if let value = environment(name) { return (name, value) }
        }
        return nil
    }
}
