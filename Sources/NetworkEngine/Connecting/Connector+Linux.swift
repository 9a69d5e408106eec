#if os(Linux)
    import CCurl
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    /// What a ``Connector`` asks of its event loop.
    protocol ConnectorOwner: AnyObject {
        /// Handles the end of an attempt to connect, successful or not.
        ///
        /// - Parameters:
        ///   - transfer: The transfer that has waited for the connection; `nil` if none has.
        ///   - code: libcurl's result code.
        func connectorDidFinish(_ handle: ConnectHandle, for transfer: LoopTransfer?, _ code: CInt)
        /// Handles the end of an attempt that was given up.
        func connectorDidGiveUp(_ key: ConnectionKey)
    }

    /// A connection that was made, as the protocol that is spoken on it takes it over.
    struct EstablishedConnection {
        var descriptor: CInt
        var key: ConnectionKey
        /// The libcurl handle that encrypts and decrypts; `nil` for a plain socket.
        var handle: ConnectHandle?
        var isSecure: Bool
        /// The HTTP proxy that receives the requests; `nil` if they are for the server, or go through a tunnel.
        var forwarder: ProxyServer?
        var timings: ConnectTimings
    }

    /// Makes the connections of an event loop: name lookup, TCP, proxies and TLS, all by libcurl.
    ///
    /// An attempt whose transfer was cancelled goes on, for the next transfer to the same origin. Used only while the lock of the loop is held.
    final class Connector {
        let context: LoopContext
        let handshakes = HandshakeCells()
        /// The event loop, which owns the connector.
        unowned(unsafe) var owner: (any ConnectorOwner)?
        private let library: CurlMulti
        /// Whether attempts that no transfer waits for go on.
        private let keepsAttempts: Bool
        private var handles = HandlePool<ConnectHandle>()
        /// Attempts that no transfer waits for. The next transfer to the same origin takes over such an attempt.
        @exclusivity(unchecked) private var attempts = KeyedPool<ConnectHandle>()
        /// Handles whose connection is no longer needed, kept until libcurl has finished with them.
        private var unwanted: [ObjectIdentifier: ConnectHandle] = [:]
        /// When libcurl is next made to check its connections (see `sweep()`).
        private var sweepAt = UInt64.max
        /// The number of connections that are being made, whether a transfer waits for them or not.
        private(set) var connecting = 0

        init(_ context: LoopContext, _ library: CurlMulti, keepsAttempts: Bool) {
            self.context = context
            self.library = library
            self.keepsAttempts = keepsAttempts
            // Only this engine closes these connections, never libcurl.
            library.set(CCURLMOPT_MAXCONNECTS, 1_000_000)
        }

        // MARK: Attempts

        /// Begins to make a connection for a transfer.
        ///
        /// - Parameter isTunneled: Whether the connection goes through an HTTP proxy as a tunnel although it has no TLS.
        /// - Throws: An error if libcurl cannot begin. If ``LoopTransfer/carrier`` is set, the attempt has to be abandoned.
        func connect(
            _ transfer: LoopTransfer, _ trust: CurlTrust, over route: Route, versions: ConnectionKey.Versions, isTunneled: Bool
        ) throws(TransportError) {
            let timeout = transfer.request.timeouts.connect ?? context.configuration.connectTimeout
            guard let handle = handles.take(for: trust) ?? ConnectHandle(trust, self),
                handle.configure(
                    origin: transfer.origin, isSecure: transfer.request.parsedURL.isSecure, versions: versions,
                    route: route,
                    timeout: timeout, isTunneled: isTunneled)
            else {
                throw TransportError(.outOfResources, "no memory for a connection", phase: .connect, request: transfer.request)
            }
            handle.transfer = transfer
            transfer.carrier = handle
            connecting += 1
            let result = library.add(handle)
            guard result != 0 else { return }
            let reason = String(cString: ccurl_multi_strerror(result))
            throw TransportError(.other, reason, phase: .connect, request: transfer.request, engineCode: Int(result))
        }

        /// Assigns an attempt with these properties to a transfer.
        ///
        /// - Returns: `false` if no such attempt has lost its transfer.
        func takeOverAttempt(_ key: ConnectionKey, for transfer: LoopTransfer) -> Bool {
            guard let handle = attempts.take(key) else { return false }
            handle.takeOver(for: transfer, at: context.now)
            transfer.carrier = handle
            return true
        }

        /// Keeps an attempt whose transfer is about to end, until a deadline.
        ///
        /// Otherwise requests that are cancelled before their handshake is complete would make the server begin one handshake
        /// after another, and none of them would succeed.
        ///
        /// - Returns: `false` if attempts are not kept.
        func keep(_ handle: ConnectHandle, until deadline: UInt64) -> Bool {
            guard keepsAttempts else { return false }
            handle.transfer = nil
            handle.deadline = deadline
            attempts.put(handle)
            return true
        }

        /// Cancels an attempt.
        func giveUp(_ handle: ConnectHandle) {
            let key = handle.key
            handle.transfer = nil
            handle.isWanted = false
            attempts.remove(handle)
            // The lookup ends by itself: only the end of the loop's thread waits for it.
            if handle.isStuckInLookup { unwanted[ObjectIdentifier(handle)] = handle } else { drop(handle) }
            owner?.connectorDidGiveUp(key)
        }

        /// Whether there are attempts that no transfer waits for.
        var hasAttempts: Bool { attempts.first != nil }

        /// Cancels the attempt that has the least time left, of those that no transfer waits for.
        func giveUpAttempt() {
            if let attempt = attempts.first { giveUp(attempt) }
        }

        /// Cancels the attempts that no transfer waits for.
        func giveUpAttempts() {
            while let attempt = attempts.first { giveUp(attempt) }
        }

        /// Cancels the attempts whose time is over, of those that no transfer waits for, and makes libcurl close what it should have closed.
        func endLate() {
            while let attempt = attempts.first, attempt.deadline <= context.now { giveUp(attempt) }
            if sweepAt <= context.now { sweep() }
        }

        // MARK: Results

        /// Reports the attempts that libcurl has finished.
        func finishDone() {
            while let done = library.nextDone() {
                let handle = Unmanaged<ConnectHandle>.fromOpaque(done.handle).takeUnretainedValue()
                let transfer = handle.transfer
                handle.transfer = nil
                attempts.remove(handle)
                unwanted[ObjectIdentifier(handle)] = nil
                owner?.connectorDidFinish(handle, for: transfer, done.code)
            }
        }

        /// Takes an established connection from its handle.
        ///
        /// - Returns: `nil` if the connection is not wanted any more, or if libcurl does not hand out its socket.
        func establish(_ handle: ConnectHandle, speaksHTTP2: Bool) -> EstablishedConnection? {
            let socket = ccurl_easy_get_socket(handle.pointer)
            guard handle.isWanted, socket >= 0 else { return nil }
            let server = handle.proxy.server
            let isBare = !handle.isSecure && server?.kind != .https
            let established = EstablishedConnection(
                descriptor: socket,
                key: ConnectionKey(origin: handle.origin, trust: handle.trust.number, versions: speaksHTTP2 ? .http2 : .http1),
                handle: isBare ? nil : handle, isSecure: handle.isSecure,
                forwarder: !handle.isSecure && !handle.isTunneled && server?.takesAbsoluteForm == true ? server : nil,
                timings: handle.timings)
            if isBare {
                context.sockets.take(socket)
                library.remove(handle)
                recycle(handle)
            }
            connecting -= 1
            return established
        }

        /// Removes a handle whose attempt has ended from libcurl, together with its connection.
        ///
        /// - Parameter isConnected: Whether libcurl has established the connection.
        func drop(_ handle: ConnectHandle, isConnected: Bool = false) {
            connecting -= 1
            let socket = isConnected ? ccurl_easy_get_socket(handle.pointer) : -1
            remove(handle, socket)
        }

        /// Closes an established connection, which its protocol has released.
        func close(_ handle: ConnectHandle?, _ socket: CInt) {
            if let handle {
                remove(handle, socket)
            } else if context.sockets.lingering > 0 {
                sweepAt = context.now &+ 1_100_000_000
            }
        }

        private func remove(_ handle: ConnectHandle, _ socket: CInt) {
            library.remove(handle)
            if socket >= 0, !LibraryQuirks.current.closesRemovedConnections {
                context.sockets.linger(socket)
                sweepAt = context.now &+ 1_100_000_000
            }
            recycle(handle)
        }

        private func recycle(_ handle: ConnectHandle) {
            if handle.proxy.server.isReusable(context.configuration) { handles.put(handle) }
        }

        /// Makes libcurl close the connections that it should have closed already: it checks them when a connection is opened, at
        /// most once a second.
        private func sweep() {
            sweepAt = .max
            guard context.sockets.lingering > 0, let trust = context.session.trust.standard,
                let handle = handles.take(for: trust) ?? ConnectHandle(trust, self),
                handle.configure(
                    origin: "http://127.0.0.1:9", isSecure: false, versions: .http1, route: Route(), timeout: .seconds(1))
            else { return }
            // The attempt gets no socket, and fails at once.
            handle.isWanted = false
            connecting += 1
            guard library.add(handle) == 0 else { return drop(handle) }
            unwanted[ObjectIdentifier(handle)] = handle
        }

        // MARK: For the loop

        /// The time at which the connector has to act even without an event.
        var deadline: UInt64 { min(library.deadline, min(attempts.first?.deadline ?? .max, sweepAt)) }

        /// Makes libcurl process its timers if one of them has expired.
        ///
        /// - Returns: Whether one had.
        func runTimers() -> Bool {
            guard library.deadline <= context.now else { return false }
            library.runTimers()
            return true
        }

        /// Adds the attempts that no transfer waits for, by origin.
        func forEachAttempt(_ body: (_ origin: String) -> Void) {
            for attempt in attempts.all { body(attempt.origin) }
        }

        /// The number of attempts that are not wanted any more.
        var unwantedCount: Int { unwanted.count }

        /// Frees what libcurl has, at the end of the loop.
        func close() {
            handles.removeAll()
            library.close()
        }
    }

    extension ProxyServer? {
        /// Whether a handle that has used this proxy may be used again. libcurl keeps a proxy's credentials and trust policy until they are
        /// replaced, and the environment may name another proxy.
        func isReusable(_ configuration: SessionConfiguration) -> Bool {
            guard configuration.proxy.kind == .environment, let self else { return true }
            return self.username == nil && self.kind != .https
        }
    }
#endif
