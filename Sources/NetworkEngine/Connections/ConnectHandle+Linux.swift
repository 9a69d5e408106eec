#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    /// A libcurl handle that opens one connection after another: name lookup, TCP, proxies and TLS, but not HTTP.
    ///
    /// A connection with TLS stays with its handle, which encrypts and decrypts; a plain socket is detached from it.
    final class ConnectHandle: EasyHandle, PoolMember {
        /// The transfer that waits for the connection. `nil` if none waits, or the connection is established.
        var transfer: LoopTransfer?
        /// Whether the connection will be used once it is established.
        var isWanted = true
        /// Whether the attempt was started for another transfer than the one that waits for it.
        private(set) var isTakenOver = false
        /// The time at which an attempt without a transfer is cancelled, in nanoseconds of the monotonic clock.
        var deadline = UInt64.max
        var heapIndex = -1
        private var begun: UInt64 = 0
        /// The number of microseconds that had passed when the attempt was taken over.
        private var microsecondsBefore: Int64 = 0
        /// The origin to connect to, such as `https://api.example.com:443`.
        private(set) var origin = ""
        private(set) var isSecure = false
        private(set) var offersHTTP2 = false
        private(set) var proxy = ProxyDecision.direct
        /// The form of the request target on the connection.
        private(set) var target = HTTP1RequestWriter.Target.origin
        /// Whether a socket was opened, which means that the name lookup is over.
        private var hasOpenedSocket = false
        /// Whether a lookup of the system's resolver would have to be awaited.
        private var waitsForLookup = !LibraryQuirks.current.abandonsLookups
        /// The set that opens, closes and watches sockets. It outlives the handle and also its connections.
        private let sockets: EpollSet

        init?(_ trust: CurlTrust, _ engine: CurlEngine) {
            sockets = engine.sockets
            super.init(trust, handshakes: engine.handshakes, readsAhead: true)
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CCURLOPT_CONNECT_ONLY, 1)
            // A maximum age has no meaning for a connection that libcurl does not use itself.
            set(CCURLOPT_MAXAGE_CONN, 1_000_000)
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_PRIVATE), context)
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_OPENSOCKETDATA), context)
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_CLOSESOCKETDATA), Unmanaged.passUnretained(sockets).toOpaque())
            ccurl_easy_set_open_callback(pointer) { context, _, address in
                guard let context, let address = address?.pointee else { return -1 }
                return Unmanaged<ConnectHandle>.fromOpaque(context).takeUnretainedValue()
                    .openSocket(address)
            }
            ccurl_easy_set_close_callback(pointer) { context, socket in
                guard let context else { return -1 }
                return Unmanaged<EpollSet>.fromOpaque(context).takeUnretainedValue().close(socket)
            }
        }

        /// Prepares the handle for a connection.
        ///
        /// - Parameters:
        ///   - origin: The origin, such as `https://api.example.com:443`.
        ///   - timeout: The time limit for the whole attempt.
        ///   - isTunneled: Whether a connection without TLS goes through an HTTP proxy as a tunnel (RFC 9110 §9.3.6), as one with TLS does.
        /// - Returns: `false` if memory ran out.
        func configure(
            origin: String, isSecure: Bool, offersHTTP2: Bool, route: Route, timeout: Duration, isTunneled: Bool = false
        ) -> Bool {
            reset()
            isWanted = true
            isTakenOver = false
            microsecondsBefore = 0
            begun = monotonicNanoseconds()
            self.origin = origin
            self.isSecure = isSecure
            self.offersHTTP2 = offersHTTP2
            proxy = route.proxy
            // TLS inside of TLS: what the outer one has read ahead does not make the socket readable, and libcurl would wait for it.
            if route.proxy.server?.kind == .https { handshake.pointee.reads_ahead = 0 }
            target = isSecure || isTunneled ? .origin : route.target
            set(CCURLOPT_HTTPPROXYTUNNEL, isTunneled ? 1 : 0)
            hasOpenedSocket = false
            // The engine enforces the timeout itself. That of libcurl ends a little later; where it would wait for a name lookup,
            // it is as good as disabled.
            waitsForLookup = !LibraryQuirks.current.abandonsLookups && route.nameServer == nil
            setConnectTimeout(!waitsForLookup ? timeout + .seconds(5) : .seconds(1_000_000))
            setOffersHTTP2(offersHTTP2)
            return setText(CCURLOPT_URL, origin + "/") && setRoute(route)
        }

        var loopGuard: LoopGuard { sockets.loopGuard }
        /// Whether ``LoopGuard`` has ended the connection.
        var wasEndedByGuard: Bool { loopGuard.hasEnded(localPort: long(CCURLINFO_LOCAL_PORT)) }

        var key: ConnectionKey { ConnectionKey(origin: origin, trust: trust.number, offersHTTP2: offersHTTP2) }

        /// Assigns the attempt to another transfer than the one for which it was started.
        func takeOver(for transfer: LoopTransfer, at now: UInt64) {
            self.transfer = transfer
            isTakenOver = true
            microsecondsBefore = Int64((now - min(begun, now)) / 1000)
        }

        /// The phase that the connection attempt has reached.
        var phase: TransportError.Phase {
            if !hasOpenedSocket { return .nameLookup }
            if handshake.pointee.has_begun != 0 {
                // TLS to an HTTPS proxy is ready, and the tunnel is not.
                let isOfProxy = isSecure && proxy.server?.kind == .https && handshake.pointee.is_done != 0
                return isOfProxy && !(200..<300).contains(long(CCURLINFO_HTTP_CONNECTCODE)) ? .connect : .tls
            }
            guard isSecure, !LibraryQuirks.current.watchesHandshakes else { return .connect }
            // Handshakes cannot be observed. TLS has begun when an HTTP proxy has accepted the tunnel, or else when there is a
            // local port, which is the case as soon as TCP is connected.
            if let kind = proxy.server?.kind, kind == .http || kind == .https {
                return (200..<300).contains(long(CCURLINFO_HTTP_CONNECTCODE)) ? .tls : .connect
            }
            if long(CCURLINFO_LOCAL_PORT) > 0 { return .tls }
            return .connect
        }

        /// Whether removing the handle now would block until its name lookup ends.
        var isStuckInLookup: Bool { !hasOpenedSocket && waitsForLookup }

        /// The times at which the phases ended, as far as the attempt has come. If it was taken over, they are measured from that
        /// moment.
        var timings: ConnectTimings {
            func microsecondsUntil(_ info: some BinaryInteger) -> Int64 { max(microseconds(info) - microsecondsBefore, 0) }
            return ConnectTimings(
                lookup: microsecondsUntil(CCURLINFO_NAMELOOKUP_TIME_T), connect: microsecondsUntil(CCURLINFO_CONNECT_TIME_T),
                tls: microsecondsUntil(CCURLINFO_APPCONNECT_TIME_T))
        }

        private func openSocket(_ address: ccurl_address) -> CInt {
            hasOpenedSocket = true
            guard isWanted else { return -1 }
            return openSocket(sockets, address, isForStreams: false)
        }
    }

    /// The times at which the phases of connecting ended, in microseconds from the start; 0 for a phase that did not take place.
    struct ConnectTimings {
        var lookup: Int64 = 0
        var connect: Int64 = 0
        var tls: Int64 = 0
    }

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

        /// Creates the route of a new connection. Reads the environment if the configuration refers to it.
        ///
        /// - Throws: ``TransportError/Code/invalidConfiguration`` if the proxy settings in the environment are invalid,
        ///   ``TransportError/Code/invalidRequest`` if the host is an address of a family that is excluded.
        init(_ loops: CurlLoops, for request: NetworkRequest) throws(TransportError) {
            let configuration = loops.configuration
            if let path = configuration.unixSocketPath {
                unixSocketPath = path
                return
            }
            let origin = OriginParts(request.origin)
            if !loops.overrides.isEmpty {
                resolve = Self.entries(loops.overrides, host: origin.host, port: origin.port)
            }
            family = AddressOverrides.family(of: configuration.route)
            if let url = configuration.route.nameServer.url {
                nameServer = url.absoluteString
                let server = OriginParts(ParsedURL(url).origin)
                if !loops.overrides.isEmpty {
                    resolve += Self.entries(loops.overrides, host: server.host, port: server.port)
                }
            }
            guard configuration.proxy.kind != .none else {
                try requireFamily(of: origin.host, request)
                return
            }
            do throws(TransportError) {
                proxy = try configuration.proxy.decision(
                    scheme: origin.scheme, host: origin.host, port: origin.port, environment: ProxyDecision.processEnvironment)
                if let server = proxy.server, server.kind == .https { proxyTrust = try loops.trust.policy(ofProxy: server.host) }
            } catch {
                throw TransportError(like: error, request: request)
            }
            guard let server = proxy.server else {
                try requireFamily(of: origin.host, request)
                return
            }
            if !loops.overrides.isEmpty { resolve += Self.entries(loops.overrides, host: server.host, port: server.port) }
            guard let address = IPAddress(server.host), !family.contains(address) else { return }
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

        /// Returns the entries for a host, as it is written and as libcurl converts it.
        private static func entries(_ overrides: AddressOverrides, host: String, port: Int) -> [String] {
            guard let name = HostName.canonical(host[...]) else { return [] }
            let names = host == name ? [name] : [name, host]
            return names.compactMap { overrides.entry(of: $0, port: port) }
        }

        /// Returns a text that differs if an origin may be another server because of the options of the route; empty for the defaults.
        static func name(of origin: String, _ loops: CurlLoops) -> String {
            let place = OriginParts(origin)
            let addresses = loops.overrides.addresses(of: place.host, port: place.port)
            let family = AddressOverrides.family(of: loops.configuration.route)
            let server = loops.configuration.route.nameServer.url.map { " by \($0)" } ?? ""
            return server + (addresses.map { " at \($0.joined(separator: ","))" } ?? "")
                + (family == .any ? "" : " over \(family.name)")
        }

        /// The form of the request target in requests without TLS (RFC 9112 §3.2).
        var target: HTTP1RequestWriter.Target {
            guard let server = proxy.server, server.takesAbsoluteForm else { return .origin }
            return .proxy(authorization: server.authorization)
        }
    }

    /// The parts of an origin such as `https://api.example.com:443`.
    struct OriginParts {
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
