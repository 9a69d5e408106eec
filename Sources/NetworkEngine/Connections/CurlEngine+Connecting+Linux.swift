#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints

    // Opening, keeping and closing connections, and finding out which version of HTTP an origin speaks.
    extension CurlEngine {
        // MARK: Which version of HTTP an origin speaks

        /// Returns the version of HTTP that the transfer's origin speaks, or how to find it out.
        func version(of transfer: LoopTransfer) -> ProtocolRegistry.Lookup {
            let origin = transfer.origin
            if let version = versions[origin] { return .known(version) }
            let lookup = ProtocolRegistry.shared.ask(registryName(of: origin)) { [weak loop] in
                loop?.send(.versionSettled(origin))
            }
            if case .known(let version) = lookup { remember(version, of: origin) }
            return lookup
        }

        /// Records which version an origin speaks, and resumes the transfers that wait for it.
        ///
        /// - Parameter version: `nil` if the version could not be found out.
        func settle(_ origin: String, _ version: ProtocolRegistry.Version?) {
            remember(version, of: origin)
            ProtocolRegistry.shared.settle(registryName(of: origin), version)
        }

        /// Launches the transfers that wait for the version of an origin: it is known, or has to be found out by one of them.
        func goOn(to origin: String) {
            guard let waiting = awaitingVersion.removeValue(forKey: origin) else { return }
            // A launched transfer may have to wait again.
            for transfer in waiting where transfer.isHere { launch(transfer) }
        }

        private func remember(_ version: ProtocolRegistry.Version?, of origin: String) {
            if versions.count >= 4096 { versions.removeAll() }
            versions[origin] = version
        }

        /// Returns the key of an origin in the registry. It contains the route, since the same origin may be another server over
        /// another route.
        private func registryName(of origin: String) -> String {
            let configuration = loop.configuration
            if let path = configuration.unixSocketPath { return "\(origin) by \(path)" }
            let origin = origin + Route.name(of: origin, loops)
            switch configuration.proxy.kind {
            case .none: return origin
            case .environment: return "\(origin) by the environment"
            case .http, .https, .socks5: return "\(origin) by \(configuration.proxy.host):\(configuration.proxy.port)"
            }
        }

        // MARK: Connecting

        /// Opens a connection for a transfer, or takes over an attempt that was started for another transfer.
        func connect(_ transfer: LoopTransfer, _ trust: CurlTrust, offersHTTP2: Bool) {
            let isUpgrade = transfer.request.requestsUpgrade
            if !offersHTTP2, !isUpgrade, let handle = attempts.take(key(of: transfer)) {
                handle.takeOver(for: transfer, at: now)
                transfer.carrier = .connecting(handle)
                return schedule(transfer, at: transfer.timeLimits.connect)
            }
            makeRoom()
            let isSecure = transfer.request.parsedURL.isSecure
            let timeout = transfer.request.timeouts.connect ?? loop.configuration.connectTimeout
            let route: Route
            do throws(TransportError) {
                route = try Route(loops, for: transfer.request)
            } catch {
                if offersHTTP2 { settle(transfer.origin, nil) }
                return end(transfer, .failure(error))
            }
            guard let handle = connectHandles.take(for: trust) ?? ConnectHandle(trust, self),
                handle.configure(
                    origin: transfer.origin, isSecure: isSecure, offersHTTP2: offersHTTP2, route: route, timeout: timeout,
                    isTunneled: isUpgrade)
            else {
                if offersHTTP2 { settle(transfer.origin, nil) }
                return end(
                    transfer,
                    .failure(
                        TransportError(.outOfResources, "no memory for a connection", phase: .connect, request: transfer.request))
                )
            }
            handle.transfer = transfer
            transfer.carrier = .connecting(handle)
            connecting += 1
            openConnections += 1
            let result = connector.add(handle)
            guard result == 0 else {
                let reason = String(cString: ccurl_multi_strerror(result))
                return end(
                    transfer,
                    .failure(TransportError(.other, reason, phase: .connect, request: transfer.request, engineCode: Int(result))))
            }
            schedule(transfer, at: transfer.timeLimits.connect)
        }

        /// Handles the end of a connection attempt, successful or not.
        func finishConnecting(_ handle: ConnectHandle, _ code: CInt) {
            let origin = handle.origin
            let transfer = handle.transfer
            handle.transfer = nil
            attempts.remove(handle)
            unwanted[ObjectIdentifier(handle)] = nil
            guard code == CInt(CCURLE_OK) else { return fail(handle, transfer, code) }
            let speaksHTTP2 = handle.offersHTTP2 && handle.handshake.pointee.protocol == CInt(CALPN_HTTP2)
            let isSettled = handle.offersHTTP2
            let agreesToHTTP1 = handle.offersHTTP2 || handle.handshake.pointee.protocol == CInt(CALPN_HTTP1)
            if !agreesToHTTP1, versions[origin] == .http2, transfer?.versionRule != .http1, transfer?.allowedVersions != .http1 {
                // Only HTTP/1.1 was offered and the server did not agree to it, so it would speak HTTP/2 anyway.
                drop(handle, isConnected: true)
                transfer?.versionRule = .http2
                if let transfer { launch(transfer) }
                return
            }
            guard handle.isWanted, !speaksHTTP2, let connection = connection(of: handle) else {
                drop(handle, isConnected: true)
                if isSettled { settle(origin, speaksHTTP2 ? .http2 : .http1) }
                if let transfer { launch(transfer) }
                return
            }
            connecting -= 1
            events?.send(.opened, origin)
            if isSettled { settle(origin, .http1) }
            if let transfer { begin(transfer, on: connection, isReused: false) } else { keep(connection, serverSeconds: nil) }
        }

        private func fail(_ handle: ConnectHandle, _ transfer: LoopTransfer?, _ code: CInt) {
            let origin = handle.origin
            let offeredHTTP2 = handle.offersHTTP2
            var error = transfer.map { handle.error(code, for: $0) }
            // The time limit is not this transfer's, but that of the transfer for which the attempt was started.
            let isLateForOther = handle.isTakenOver && Int(code) == CCURLE_OPERATION_TIMEDOUT
            // RFC 7301 §3.2: the server speaks none of the offered protocols. It may have begun to speak HTTP/2 in the meantime.
            let speaksOther = !offeredHTTP2 && handle.isSecure && handle.handshake.pointee.alert == 120
            transfer?.exchange.connectionTimings.connecting = handle.timings
            drop(handle)
            transfer?.carrier = .none
            if offeredHTTP2 { settle(origin, nil) }
            guard let transfer else { return }
            if speaksOther, transfer.allowedVersions == .http1 {
                error = TransportError(
                    .httpVersionUnavailable, "the server does not speak HTTP/1.1, which httpVersion requires", phase: .tls,
                    request: transfer.request, engineCode: Int(code))
            } else if speaksOther, transfer.versionRule == .any, LibraryQuirks.current.speaksHTTP2 {
                transfer.versionRule = .http2
                if versions[origin] == .http1 { settle(origin, nil) }
                return launch(transfer)
            }
            if isLateForOther { return launch(transfer) }
            end(transfer, .failure(error ?? TransportError(.cannotConnect, "", request: transfer.request)))
        }

        /// Detaches a transfer that is about to end from its connection attempt, and keeps the attempt for the next transfer to
        /// the origin.
        ///
        /// Otherwise requests that are cancelled before their handshake is complete would make the server begin one handshake
        /// after another, and none of them would succeed.
        func keepConnecting(_ transfer: LoopTransfer) {
            switch transfer.carrier {
            case .connecting(let handle):
                guard maximumIdle > 0, idleLifetime > 0 else { return }
                handle.transfer = nil
                handle.deadline = transfer.timeLimits.connect
                attempts.put(handle)
            case .http2(let easy):
                guard easy.isConnecting else { return }
                easy.transfer = nil
                streamAttempts[ObjectIdentifier(easy)] = easy
            case .none, .awaitingVersion, .http1: return
            }
            transfer.carrier = .none
        }

        /// Cancels a connection attempt.
        func giveUp(_ handle: ConnectHandle) {
            let origin = handle.origin
            let offeredHTTP2 = handle.offersHTTP2
            handle.transfer = nil
            handle.isWanted = false
            attempts.remove(handle)
            // The lookup ends by itself: only the end of the loop's thread waits for it.
            if handle.isStuckInLookup { unwanted[ObjectIdentifier(handle)] = handle } else { drop(handle) }
            if offeredHTTP2 { settle(origin, nil) }
        }

        /// Cancels the connection attempts that no transfer waits for.
        func giveUpAttempts() {
            while let attempt = attempts.first { giveUp(attempt) }
            for easy in streamAttempts.values { release(easy) }
        }

        /// Removes a handle from libcurl together with its connection.
        ///
        /// - Parameter isConnected: Whether libcurl has established the connection.
        private func drop(_ handle: ConnectHandle, isConnected: Bool = false) {
            connecting -= 1
            openConnections -= 1
            let socket = isConnected ? ccurl_easy_get_socket(handle.pointer) : -1
            remove(handle, socket)
        }

        private func remove(_ handle: ConnectHandle, _ socket: CInt) {
            connector.remove(handle)
            if socket >= 0, !LibraryQuirks.current.closesRemovedConnections {
                sockets.linger(socket)
                sweepAt = now &+ 1_100_000_000
            }
            recycle(handle)
        }

        /// Makes libcurl close the connections that it should have closed already: it checks them when a connection is opened, at
        /// most once a second.
        func sweep() {
            sweepAt = .max
            guard sockets.lingering > 0, let trust = loops.trust.standard,
                let handle = connectHandles.take(for: trust) ?? ConnectHandle(trust, self),
                handle.configure(
                    origin: "http://127.0.0.1:9", isSecure: false, offersHTTP2: false, route: Route(), timeout: .seconds(1))
            else { return }
            // The attempt gets no socket, and fails at once.
            handle.isWanted = false
            connecting += 1
            openConnections += 1
            guard connector.add(handle) == 0 else { return drop(handle) }
            unwanted[ObjectIdentifier(handle)] = handle
        }

        private func recycle(_ handle: ConnectHandle) {
            if keepsProxy(handle.proxy.server) { connectHandles.put(handle) }
        }

        /// Whether a handle that has used a proxy may be used again. libcurl keeps a proxy's credentials and trust policy until they are replaced,
        /// and the environment may name another proxy.
        func keepsProxy(_ server: ProxyServer?) -> Bool {
            guard loop.configuration.proxy.kind == .environment, let server else { return true }
            return server.username == nil && server.kind != .https
        }

        /// Creates an ``HTTP1Connection`` from a connection that libcurl has established.
        ///
        /// - Returns: `nil` if libcurl does not hand out its socket.
        private func connection(of handle: ConnectHandle) -> HTTP1Connection? {
            let socket = ccurl_easy_get_socket(handle.pointer)
            guard socket >= 0 else { return nil }
            let timings = handle.timings
            let isBare = !handle.isSecure && handle.proxy.server?.kind != .https
            if isBare {
                sockets.take(socket)
                connector.remove(handle)
                recycle(handle)
            }
            let connection = HTTP1Connection(
                descriptor: socket, key: ConnectionKey(origin: handle.origin, trust: handle.trust.number),
                handle: isBare ? nil : handle, isSecure: handle.isSecure,
                target: handle.target, timings: timings)
            sockets.adopt(connection)
            return connection
        }

        func key(of transfer: LoopTransfer) -> ConnectionKey {
            ConnectionKey(origin: transfer.origin, trust: transfer.trust?.number ?? 0)
        }

        // MARK: Idle connections

        /// Keeps a connection for the next request, or closes it.
        ///
        /// - Parameter seconds: How long the server keeps the connection open (`Keep-Alive: timeout`); `nil` if it does not say.
        func keep(_ connection: HTTP1Connection, serverSeconds seconds: Int?) {
            var lifetime = idleLifetime
            if let seconds {
                // The server's timeout began earlier.
                lifetime = min(
                    lifetime,
                    seconds < 2 ? UInt64(max(seconds, 0)) * 500_000_000 : UInt64(min(seconds, 1_000_000) - 1) * 1_000_000_000)
            }
            let isSpent = loop.configuration.maximumUsesPerConnection.map { connection.uses >= $0 } ?? false
            guard maximumIdle > 0, lifetime > 0, !isSpent else { return close(connection, .limit) }
            connection.deadline = now &+ lifetime
            connection.wasIdle = true
            pool.put(connection)
            events?.send(.becameIdle, connection.key.origin)
            while pool.count > maximumIdle, let first = pool.first {
                pool.remove(first)
                close(first, .limit)
            }
        }

        func close(_ connection: HTTP1Connection, _ reason: ConnectionEvent.Reason) {
            guard connection.isOpen else { return }
            connection.isOpen = false
            events?.send(.closed, connection.key.origin, reason)
            openConnections -= 1
            sockets.release(connection, closes: connection.handle == nil)
            if let handle = connection.handle {
                remove(handle, connection.descriptor)
            } else if sockets.lingering > 0 {
                sweepAt = now &+ 1_100_000_000
            }
        }

        func closeIdle() {
            while let first = pool.first {
                pool.remove(first)
                close(first, .sessionClosed)
            }
        }

        /// Closes connections that no transfer uses or waits for, until a new connection is within ``maximumOpen``.
        ///
        /// - Parameter isForStreams: Whether the new connection is for HTTP/2. libcurl then closes idle HTTP/2 connections by
        ///   itself.
        func makeRoom(isForStreams: Bool = false) {
            while openConnections + sockets.streamSockets >= maximumOpen {
                if let attempt = attempts.first {
                    giveUp(attempt)
                } else if let first = pool.first {
                    pool.remove(first)
                    close(first, .limit)
                } else if !isForStreams, streaming == 0, sockets.streamSockets > 0 {
                    // libcurl itself chooses when to close a single idle connection. On request, it closes all.
                    streams?.close()
                    streams = nil
                    return
                } else {
                    return
                }
            }
        }
    }
#endif
