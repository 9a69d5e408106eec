import NetworkTransport

extension ProxyServer {
    /// Creates the handshake by which the proxy is asked to connect to a server.
    ///
    /// - Parameters:
    ///   - server: The origin of the server.
    ///   - address: The address of the server, for a proxy that is not given its name.
    func handshake(
        to server: OriginParts, at address: IPAddress?, _ configuration: SessionConfiguration
    ) -> any ProxyHandshake {
        let host = Self.withoutBrackets(server.host)
        let literal = address ?? IPAddress(host)
        let target: ProxyTarget = literal.map { .address($0.bytes) } ?? .name(host)
        let port = UInt16(clamping: server.port)
        switch kind {
        case .http, .https:
            return ConnectTunnel(
                host: host, port: server.port, authorization: authorization, userAgent: configuration.userAgent,
                maximumHeaderBytes: configuration.maximumHeaderBytes, maximumHeaderFields: configuration.maximumHeaderFields)
        case .socks4: return SOCKSHandshake(kind: .v4, target: target, port: port, username: username, password: password)
        case .socks4a: return SOCKSHandshake(kind: .v4a, target: target, port: port, username: username, password: password)
        case .socks5, .socks5h:
            return SOCKSHandshake(kind: .v5, target: target, port: port, username: username, password: password)
        }
    }
}
