#if os(Linux)
    import CCurl
    import Endpoints

    /// The way to a server: straight, through a proxy, or to a socket in the file system.
    struct Route: Equatable {
        var proxy = ProxyDecision.direct
        var unixSocketPath: String?

        /// Straight.
        init() {}

        /// Decides the way of a new connection. Reads the environment where the configuration leaves it to that.
        ///
        /// - Throws: ``TransportError/Code/invalidConfiguration`` where what the environment says of a proxy makes no sense.
        init(_ configuration: SessionConfiguration, for request: NetworkRequest) throws(TransportError) {
            if let path = configuration.unixSocketPath {
                unixSocketPath = path
                return
            }
            if case .none = configuration.proxy.kind { return }
            let origin = Origin(request.origin)
            do throws(TransportError) {
                proxy = try configuration.proxy.decision(
                    scheme: origin.scheme, host: origin.host, port: origin.port, environment: ProxyDecision.processEnvironment)
            } catch {
                throw TransportError(like: error, request: request)
            }
        }

        /// Whether bytes for a server without TLS go through TLS all the same, to the proxy.
        var isEncrypted: Bool { proxy.server?.kind == .https }

        /// In which form requests without TLS name their target (RFC 9112 §3.2).
        var target: HTTP1RequestWriter.Target {
            guard let server = proxy.server, server.takesAbsoluteForm else { return .origin }
            return .proxy(authorization: server.authorization)
        }
    }

    /// The parts of an origin such as `https://api.example.com:443`.
    private struct Origin {
        var scheme = ""
        var host = ""
        var port = 0

        init(_ text: String) {
            guard let colon = text.firstIndex(of: ":"), let last = text.lastIndex(of: ":"), last > colon else { return }
            scheme = String(text[..<colon])
            host = String(text[text.index(colon, offsetBy: 3, limitedBy: last).map { $0..<last } ?? last..<last])
            port = Int(text[text.index(after: last)...]) ?? 0
        }
    }

    extension EasyHandle {
        /// - Returns: Whether there was memory for it.
        func setRoute(_ route: Route) -> Bool {
            let path = route.unixSocketPath
            guard path.map({ setText(CCURLOPT_UNIX_SOCKET_PATH, $0) }) ?? setString(CCURLOPT_UNIX_SOCKET_PATH, nil) else {
                return false
            }
            set(CCURLOPT_PROXYAUTH, CCURLAUTH_BASIC)
            // Which hosts are reached without the proxy has been decided already.
            return setText(CCURLOPT_NOPROXY, "") && setText(CCURLOPT_PROXY, route.proxy.server?.url ?? "")
        }
    }
#endif
