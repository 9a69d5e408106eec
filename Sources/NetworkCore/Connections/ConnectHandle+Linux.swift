#if os(Linux)
    import CCurl
    import Endpoints

    /// A libcurl handle that makes one connection after another: name lookup, TCP, proxies and TLS, and nothing of HTTP.
    ///
    /// A connection with TLS stays with its handle, which encrypts what it sends; a bare socket leaves it.
    final class ConnectHandle: EasyHandle, PoolMember {
        /// The transfer that the connection is for, until it is made; `nil` while no transfer waits for it.
        var transfer: CurlTransfer?
        /// Whether the connection is of use once it is made.
        var isWanted = true
        /// Whether it was begun for another transfer than the one that waits for it.
        private(set) var isTakenOver = false
        /// When an attempt without a transfer is given up.
        var deadline = UInt64.max
        var heapIndex = -1
        private var begun: UInt64 = 0
        /// Microseconds that had passed when it was taken over.
        private var microsecondsBefore: Int64 = 0
        /// What it connects to.
        private(set) var origin = ""
        private(set) var isSecure = false
        private(set) var offersHTTP2 = false
        private(set) var proxy = ProxyDecision.direct
        /// In which form requests name their target.
        private(set) var target = HTTP1RequestWriter.Target.origin
        /// Whether the lookup is over: a socket was opened.
        private var hasOpenedSocket = false
        /// Where sockets are opened, closed and watched. It outlives the connections, not only the handle.
        private let sockets: EpollSet

        init?(_ trust: CurlTrust, _ engine: CurlEngine) {
            sockets = engine.sockets
            super.init(trust, handshakes: engine.handshakes)
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CCURLOPT_CONNECT_ONLY, 1)
            // Of no meaning to a connection that libcurl does not use itself.
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

        /// - Parameters:
        ///   - origin: As `https://api.example.com:443`.
        ///   - timeout: For all of it.
        /// - Returns: Whether there was memory for it.
        func configure(
            origin: String, isSecure: Bool, offersHTTP2: Bool, route: Route, timeout: Duration
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
            target = isSecure ? .origin : route.target
            hasOpenedSocket = false
            // The engine has its own clock; libcurl's comes a little later, and waits for a lookup where the engine does not.
            setConnectTimeout(LibraryQuirks.current.letsGoOfLookups ? timeout + .seconds(5) : .seconds(1_000_000))
            setOffersHTTP2(offersHTTP2)
            return setText(CCURLOPT_URL, origin + "/") && setRoute(route)
        }

        var key: ConnectionKey { ConnectionKey(origin: origin, trust: trust.number, offersHTTP2: offersHTTP2) }

        /// Makes the attempt serve another transfer than the one that it was begun for.
        func takeOver(for transfer: CurlTransfer, at now: UInt64) {
            self.transfer = transfer
            isTakenOver = true
            microsecondsBefore = Int64((now - min(begun, now)) / 1000)
        }

        /// What the connection has come to.
        var phase: TransportError.Phase {
            if !hasOpenedSocket { return .nameLookup }
            if handshake.pointee.has_begun != 0 { return .tls }
            guard isSecure, !LibraryQuirks.current.watchesHandshakes else { return .connect }
            // Without a watched handshake: an HTTP proxy has said yes, or a local port is there, as from the moment TCP is connected.
            if let kind = proxy.server?.kind, kind == .http || kind == .https {
                return (200..<300).contains(long(CCURLINFO_HTTP_CONNECTCODE)) ? .tls : .connect
            }
            if long(CCURLINFO_LOCAL_PORT) > 0 { return .tls }
            return .connect
        }

        /// Whether removing it now would wait for its name lookup.
        var isStuckInLookup: Bool { !hasOpenedSocket && !LibraryQuirks.current.letsGoOfLookups }

        /// When each phase was complete, as far as the attempt has come. For a transfer that took it over, from that moment on.
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

    /// When a connection had come how far, in microseconds from its beginning; 0 for what did not happen.
    struct ConnectTimings {
        var lookup: Int64 = 0
        var connect: Int64 = 0
        var tls: Int64 = 0
    }

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
