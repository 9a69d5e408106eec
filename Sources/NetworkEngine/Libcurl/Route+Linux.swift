#if os(Linux)
    import CCurl
    import NetworkTransport

    /// The route to a server: direct, through a proxy, or through a Unix domain socket.
    struct Route: Equatable {
        var proxy = ProxyDecision.direct
        /// The trust policy for an HTTPS proxy.
        var proxyTrust: CurlTrust?
        var unixSocketPath: String?
        /// The entries that replace the lookup of names, as for CURLOPT_RESOLVE(3).
        var resolve: [String] = []
        var family = RouteOptions.Family.any
        /// The server that is asked for names over HTTPS; `nil` for the system's resolver.
        var nameServer: String?

        /// Creates a direct route.
        init() {}

        /// Whether neither a proxy nor a Unix domain socket is between.
        var isDirect: Bool { proxy.server == nil && unixSocketPath == nil }

        /// Returns the route with the same addresses at another port of an origin, at which it offers HTTP/3 (RFC 7838).
        func replacing(_ port: Int?, of origin: String) -> Route {
            guard let port, !resolve.isEmpty else { return self }
            let own = OriginParts(origin).port
            var route = self
            for entry in resolve {
                let parts = entry.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 2)
                guard port != own, parts.count == 3, Int(Substring(parts[1])) == own else { continue }
                route.resolve.append("\(Substring(parts[0])):\(port):\(Substring(parts[2]))")
            }
            return route
        }
    }

    extension EasyHandle {
        /// Sets the Unix domain socket or the proxy through which to connect.
        ///
        /// - Returns: `false` if memory ran out.
        func setRoute(_ route: Route) -> Bool {
            let path = route.unixSocketPath
            guard path.map({ setText(CCURLOPT_UNIX_SOCKET_PATH, $0) }) ?? setString(CCURLOPT_UNIX_SOCKET_PATH, nil) else {
                return false
            }
            guard setLookup(route), setProxyTrust(route.proxyTrust) else { return false }
            set(CCURLOPT_PROXYAUTH, CCURLAUTH_BASIC)
            // Which hosts are reached without the proxy was decided before.
            return setText(CCURLOPT_NOPROXY, "") && setText(CCURLOPT_PROXY, route.proxy.server?.url ?? "")
        }
    }
#endif
