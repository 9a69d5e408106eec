#if os(Linux)
    import NetworkTransport
    import CCurl
    import NetworkSupport

    /// A libcurl easy handle, reused for several operations under one trust policy.
    ///
    /// Used only while the loop's lock is held. ``ConnectHandle`` opens connections, ``HTTP3Handle`` sends requests over
    /// HTTP/3.
    class EasyHandle {
        let pointer: UnsafeMutableRawPointer
        let trust: CurlTrust
        /// The observed state of the last TLS handshake.
        let handshake: UnsafeMutablePointer<ccurl_handshake>
        /// Whether a socket could not be opened because descriptors or memory ran out.
        private(set) var isOutOfDescriptors = false
        private let handshakes: HandshakeCells
        private let readsAhead: Bool
        private let errorText: UnsafeMutablePointer<CChar>
        /// Why no socket of this attempt could be used (``SocketOptions``); `nil` as soon as one was opened.
        private(set) var routeFailure: String?
        private var hasOpenedSocket = false
        private var resolveList: UnsafeMutableRawPointer?
        private var family = RouteOptions.Family.any
        private var nameServer: String?
        private var proxyTrust: CurlTrust?
        private var connectMilliseconds = -1
        private var httpVersion = 0

        /// Creates a handle; `nil` if memory ran out.
        ///
        /// - Parameter readsAhead: Whether TLS may take more bytes from the socket than libcurl has asked for. Only for connections that
        ///   are read until there are no more bytes.
        init?(_ trust: CurlTrust, handshakes: HandshakeCells, readsAhead: Bool) {
            guard let pointer = ccurl_easy_init() else { return nil }
            guard (try? trust.apply(to: pointer)) != nil else {
                ccurl_easy_cleanup(pointer)
                return nil
            }
            self.pointer = pointer
            self.trust = trust
            self.handshakes = handshakes
            self.readsAhead = readsAhead
            handshake = handshakes.take()
            errorText = .allocate(capacity: Int(CCURL_ERROR_SIZE))
            errorText.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
            set(CCURLOPT_NOSIGNAL, 1)
            set(CCURLOPT_PROTOCOLS, CCURLPROTO_HTTP | CCURLPROTO_HTTPS)
            set(CCURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            set(CCURLOPT_DISALLOW_USERNAME_IN_URL, 1)
            // Otherwise, removing a handle would block the loop until its name lookup ends.
            set(CCURLOPT_QUICK_EXIT, 1)
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_ERRORBUFFER), errorText)
            prepareHandshake()
            if LibraryQuirks.current.watchesHandshakes { ccurl_easy_watch_handshake(pointer, handshake) }
        }

        deinit {
            ccurl_easy_cleanup(pointer)
            ccurl_list_free(resolveList)
            errorText.deallocate()
            handshakes.put(handshake)
        }

        /// Whether it connects with QUIC, which is the case for HTTP/3 only.
        var isOverQUIC: Bool { httpVersion == Int(CCURL_HTTP_VERSION_3ONLY) }

        /// The error message of libcurl; empty if there is none.
        var message: String { String(cString: errorText) }

        /// Clears the state that the last use has left behind.
        func reset() {
            errorText[0] = 0
            isOutOfDescriptors = false
            routeFailure = nil
            hasOpenedSocket = false
            handshake.pointee = ccurl_handshake()
            prepareHandshake()
        }

        private func prepareHandshake() {
            handshake.pointee.owner = UnsafeRawPointer(pointer)
            handshake.pointee.checks_names = trust.isVerified || proxyTrust?.isVerified == true ? 1 : 0
            handshake.pointee.reads_ahead = readsAhead ? 1 : 0
        }

        /// Opens a socket for libcurl's callback.
        ///
        /// - Parameter origin: The origin of the request, if the socket is for HTTP/3.
        /// - Returns: -1 if the socket could not be opened.
        func openSocket(_ sockets: EpollSet, _ address: ccurl_address, isForStreams: Bool, origin: String = "") -> CInt {
            let socket = sockets.open(
                family: address.family, kind: address.kind, transport: address.transport, isForStreams: isForStreams,
                origin: origin)
            if socket < 0, [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) { isOutOfDescriptors = true }
            guard socket >= 0 else { return socket }
            if let reason = sockets.options?.apply(to: socket, family: address.family, kind: address.kind) {
                if !hasOpenedSocket { routeFailure = reason }
                _ = sockets.close(socket)
                return -1
            }
            hasOpenedSocket = true
            routeFailure = nil
            return socket
        }

        /// Sets the family of addresses, and the entries that replace the lookup of names.
        ///
        /// - Returns: `false` if memory ran out.
        func setLookup(_ route: Route) -> Bool {
            if route.family != family {
                family = route.family
                let value =
                    switch family.choice {
                    case .any: CCURL_IPRESOLVE_WHATEVER
                    case .ipv4: CCURL_IPRESOLVE_V4
                    case .ipv6: CCURL_IPRESOLVE_V6
                    }
                set(CCURLOPT_IPRESOLVE, value)
            }
            if route.nameServer != nameServer {
                nameServer = route.nameServer
                set(CCURLOPT_DOH_SSL_VERIFYPEER, 1)
                set(CCURLOPT_DOH_SSL_VERIFYHOST, 2)
                guard nameServer.map({ setText(CCURLOPT_DOH_URL, $0) }) ?? setString(CCURLOPT_DOH_URL, nil) else { return false }
            }
            guard !route.resolve.isEmpty || resolveList != nil else { return true }
            var list: UnsafeMutableRawPointer?
            for entry in route.resolve {
                guard let longer = entry.withCString({ ccurl_list_append(list, $0) }) else {
                    ccurl_list_free(list)
                    return false
                }
                list = longer
            }
            ccurl_easy_set_pointer(pointer, CInt(CCURLOPT_RESOLVE), list)
            ccurl_list_free(resolveList)
            resolveList = list
            return true
        }

        /// Sets the trust policy for an HTTPS proxy. A handle is used with one such policy only, so that no option of another one remains.
        func setProxyTrust(_ trust: CurlTrust?) -> Bool {
            guard let trust, trust != proxyTrust else { return true }
            guard proxyTrust == nil, (try? trust.apply(to: pointer, for: .proxy)) != nil else { return false }
            proxyTrust = trust
            prepareHandshake()
            return true
        }

        /// Sets the time limit for name lookup, TCP and TLS together.
        func setConnectTimeout(_ timeout: Duration) {
            let milliseconds = Int(timeout.boundedNanoseconds / 1_000_000)
            guard milliseconds != connectMilliseconds else { return }
            set(CCURLOPT_CONNECTTIMEOUT_MS, milliseconds)
            connectMilliseconds = milliseconds
        }

        /// Sets the versions of HTTP, one of `CCURL_HTTP_VERSION_…`.
        func setHTTPVersion(_ version: some BinaryInteger) {
            guard Int(version) != httpVersion else { return }
            set(CCURLOPT_HTTP_VERSION, version)
            httpVersion = Int(version)
        }

        func set<Option: BinaryInteger>(_ option: Option, _ value: some BinaryInteger) {
            ccurl_easy_set_long(pointer, CInt(option), CLong(value))
        }

        func setString<Option: BinaryInteger>(_ option: Option, _ value: UnsafePointer<CChar>?) -> Bool {
            ccurl_easy_set_string(pointer, CInt(option), value) == 0
        }

        func setText<Option: BinaryInteger>(_ option: Option, _ text: String) -> Bool {
            text.withCString { setString(option, $0) }
        }

        func long<Info: BinaryInteger>(_ info: Info) -> Int {
            var value: CLong = 0
            ccurl_easy_get_long(pointer, CInt(info), &value)
            return Int(value)
        }

        func offset<Info: BinaryInteger>(_ info: Info) -> Int64 {
            var value: Int64 = 0
            ccurl_easy_get_offset(pointer, CInt(info), &value)
            return value
        }

        func microseconds<Info: BinaryInteger>(_ info: Info) -> Int64 {
            offset(info)
        }
    }

    /// The memory in which the state of TLS handshakes is recorded.
    ///
    /// A connection may outlive its handle, and writes to its cell until it is closed. Therefore cells are reused, and freed with
    /// the engine, after all connections.
    final class HandshakeCells {
        private var free: [UnsafeMutablePointer<ccurl_handshake>] = []
        private var all: [UnsafeMutablePointer<ccurl_handshake>] = []

        deinit {
            for cell in all { cell.deallocate() }
        }

        func take() -> UnsafeMutablePointer<ccurl_handshake> {
            if let cell = free.popLast() { return cell }
            let cell = UnsafeMutablePointer<ccurl_handshake>.allocate(capacity: 1)
            cell.initialize(to: ccurl_handshake())
            all.append(cell)
            return cell
        }

        func put(_ cell: UnsafeMutablePointer<ccurl_handshake>) {
            free.append(cell)
        }
    }
#endif
