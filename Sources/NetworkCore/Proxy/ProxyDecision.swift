import Endpoints

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Which way one new connection takes to its server.
enum ProxyDecision: Sendable, Hashable {
    /// To the server itself.
    case direct
    /// To a proxy, which passes on what is sent or opens a tunnel.
    case proxy(ProxyServer)

    /// The proxy, if there is one.
    var server: ProxyServer? {
        switch self {
        case .direct: nil
        case .proxy(let server): server
        }
    }

    /// Looks a variable up in the environment of this process.
    static func processEnvironment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

extension ProxyConfiguration {
    /// Decides for one new connection.
    ///
    /// Of the environment (libcurl-env(3)), the first of these variables that is set is used, and no other is looked at:
    /// `http_proxy` (in lower case only: a CGI server sets `HTTP_PROXY` from the client's `Proxy` field) for `http`,
    /// `https_proxy` and `HTTPS_PROXY` for `https`, then `all_proxy` and `ALL_PROXY`. An empty value means no proxy.
    /// `no_proxy`, or `NO_PROXY` if that is not set, lists the hosts that are excluded; see ``ProxyExclusions``. An explicit proxy
    /// has ``excludedHosts`` instead, and reads nothing from the environment.
    ///
    /// Performs no I/O. A Unix domain socket takes the place of the server: its connections are direct, and this is not asked.
    ///
    /// - Parameters:
    ///   - scheme: Of the URL, in lower case: `http` or `https`.
    ///   - host: Of the URL; an IPv6 address with or without brackets.
    ///   - port: The server's port, the default one spelled out.
    ///   - environment: Looks up a variable; `nil` where it is not set.
    /// - Throws: ``TransportError/Code/invalidConfiguration`` where a variable that applies holds no usable proxy. The message names
    ///   the variable and what is wrong with it, and holds nothing of its value, since that may be a password.
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
        // As a rule there is no proxy: no list is read then.
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
                .invalidConfiguration, "proxy: the environment variable \(name) holds no usable proxy: \(error)", phase: .connect)
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
