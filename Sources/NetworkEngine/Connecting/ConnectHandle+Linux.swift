#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    /// A libcurl handle that opens one connection after another: name lookup, TCP, proxies and TLS, but not HTTP.
    ///
    /// A connection with TLS stays with its handle, which encrypts and decrypts; a plain socket is detached from it.
    ///
    /// Used only while the lock of the event loop is held.
    final class ConnectHandle: EasyHandle, PoolMember, RequestCarrier {
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
        /// Which versions of HTTP the connection may speak.
        private(set) var versions = ConnectionKey.Versions.http1
        private(set) var proxy = ProxyDecision.direct
        /// Whether a connection without TLS goes through an HTTP proxy as a tunnel.
        private(set) var isTunneled = false
        /// Whether a socket was opened, which means that the name lookup is over.
        private var hasOpenedSocket = false
        /// Whether a lookup of the system's resolver would have to be awaited.
        private var waitsForLookup = !LibraryQuirks.current.abandonsLookups
        /// The set that opens, closes and watches sockets. It outlives the handle and also its connections.
        private let sockets: EpollSet
        /// The connector that the handle belongs to, which outlives its handles.
        unowned(unsafe) private let connector: Connector

        init?(_ trust: CurlTrust, _ connector: Connector) {
            self.connector = connector
            sockets = connector.context.sockets
            super.init(trust, handshakes: connector.handshakes, readsAhead: true)
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CCURLOPT_CONNECT_ONLY, 1)
            setHTTPVersion(CCURL_HTTP_VERSION_1_1)
            // What is offered is set by `offer(_:throughSecureProxy:)`, and nothing of libcurl's HTTP/2 is put in front of the connection.
            if LibraryQuirks.current.watchesHandshakes { set(CCURLOPT_SSL_ENABLE_ALPN, 0) }
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
            origin: String, isSecure: Bool, versions: ConnectionKey.Versions, route: Route, timeout: Duration,
            isTunneled: Bool = false
        ) -> Bool {
            reset()
            isWanted = true
            isTakenOver = false
            microsecondsBefore = 0
            begun = monotonicNanoseconds()
            self.origin = origin
            self.isSecure = isSecure
            self.versions = versions
            proxy = route.proxy
            // TLS inside of TLS: what the outer one has read ahead does not make the socket readable, and libcurl would wait for it.
            if route.proxy.server?.kind == .https { handshake.pointee.reads_ahead = 0 }
            self.isTunneled = isTunneled
            set(CCURLOPT_HTTPPROXYTUNNEL, isTunneled ? 1 : 0)
            hasOpenedSocket = false
            // The engine enforces the timeout itself. That of libcurl ends a little later; where it would wait for a name lookup,
            // it is as good as disabled.
            waitsForLookup = !LibraryQuirks.current.abandonsLookups && route.nameServer == nil
            setConnectTimeout(!waitsForLookup ? timeout + .seconds(5) : .seconds(1_000_000))
            offer(versions, throughSecureProxy: route.proxy.server?.kind == .https)
            return setText(CCURLOPT_URL, origin + "/") && setRoute(route)
        }

        /// Sets which versions of HTTP the handshake offers (RFC 7301). Without OpenSSL, libcurl offers HTTP/1.1.
        private func offer(_ versions: ConnectionKey.Versions, throughSecureProxy: Bool) {
            handshake.pointee.offer =
                (versions.includesHTTP1 ? CInt(COFFER_HTTP1) : 0) | (versions.includesHTTP2 ? CInt(COFFER_HTTP2) : 0)
            handshake.pointee.has_secure_proxy = throughSecureProxy ? 1 : 0
        }

        var loopGuard: LoopGuard { sockets.loopGuard }
        /// Whether ``LoopGuard`` has ended the connection.
        var wasEndedByGuard: Bool { loopGuard.hasEnded(localPort: long(CCURLINFO_LOCAL_PORT)) }

        var key: ConnectionKey { ConnectionKey(origin: origin, trust: trust.number, versions: versions) }

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

        // MARK: For the transfer that waits

        var stage: CarrierStage { .connecting }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase { phase }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            var timings = transfer.exchange.connectionTimings
            timings.connecting = self.timings
            return (timings, Int64(transfer.upload.offset))
        }

        func keepConnecting(without transfer: LoopTransfer) -> Bool {
            connector.keep(self, until: transfer.timeLimits.connect)
        }

        func abandon(_ transfer: LoopTransfer) {
            connector.giveUp(self)
        }
    }
#endif
