#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkTransport

    /// The route to a server: direct, through a proxy, or through a Unix domain socket.
    struct Route {
        /// The server that is connected to, or that a proxy is asked to connect to.
        let server: OriginParts
        /// The proxy; `nil` for a direct connection.
        var proxy: ProxyServer?
        /// The trust policy for an HTTPS proxy.
        var proxyPolicy: TLSPolicy?
        var unixSocketPath: String?
        var family = RouteOptions.Family.any

        /// Creates the route of a new connection. Reads the environment if the configuration refers to it.
        ///
        /// - Throws: ``TransportError/Code/invalidConfiguration`` if the proxy settings in the environment are invalid,
        ///   ``TransportError/Code/invalidRequest`` if the host is an address of a family that is excluded.
        init(_ session: SessionContext, for request: NetworkRequest) throws(TransportError) {
            server = OriginParts(request.origin)
            if let path = session.configuration.unixSocketPath {
                unixSocketPath = path
                return
            }
            family = AddressOverrides.family(of: session.configuration.route)
            do throws(TransportError) {
                proxy = try session.configuration.proxy.server(
                    scheme: server.scheme, host: server.host, port: server.port,
                    environment: ProxyConfiguration.processEnvironment)
                if let proxy, proxy.kind == .https {
                    proxyPolicy = try session.trust.policy(ofProxy: proxy.host)
                }
            } catch {
                throw TransportError(like: error, request: request)
            }
            guard let proxy else {
                try requireFamily(of: server.host, request)
                return
            }
            guard let address = IPAddress(proxy.host), !family.contains(address) else { return }
            throw TransportError(
                .invalidConfiguration,
                "proxy: its address does not belong to the family \(family.name) (route.family, route.localAddress)",
                phase: .connect, request: request)
        }

        private func requireFamily(of host: String, _ request: NetworkRequest) throws(TransportError) {
            guard family != .any, let address = IPAddress(host), !family.contains(address) else { return }
            throw TransportError(
                .invalidRequest,
                "the host is an IPv\(address.isIPv6 ? 6 : 4) address, and only \(family.name) is used (route.family, route.localAddress)",
                phase: .connect, request: request)
        }

        /// Returns a text that differs if an origin may be another server because of the options of the route; empty for the defaults.
        static func name(of origin: String, _ session: SessionContext) -> String {
            let place = OriginParts(origin)
            let addresses = session.overrides.addresses(of: place.host, port: place.port)
            let family = AddressOverrides.family(of: session.configuration.route)
            let server = session.configuration.route.nameServer.url.map { " by \($0)" } ?? ""
            return server + (addresses.map { " at \($0.joined(separator: ","))" } ?? "")
                + (family == .any ? "" : " over \(family.name)")
        }
    }
#endif
