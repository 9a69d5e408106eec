#if os(Linux)
    import CCurl
    import Endpoints
    import NetworkTransport

    // Which connection carries a request, and what becomes of it afterwards.
    extension EventLoop {
        /// Sends the transfer's current request over HTTP/1.1 on an idle connection, or opens a new connection.
        ///
        /// - Parameter versions: What a new connection may speak.
        func launchHTTP1(_ transfer: LoopTransfer, _ trust: CurlTrust, _ versions: ConnectionKey.Versions = .http1) {
            // Through an HTTP proxy, another protocol needs a tunnel, which a kept connection may not be.
            let needsTunnel = transfer.request.requestsUpgrade && context.configuration.proxy.kind != .none
            if !transfer.sending.needsFreshConnection, !needsTunnel {
                let key = ConnectionKey(origin: transfer.origin, trust: trust.number)
                while let connection = pool.take(key) as? HTTP1Connection {
                    if connection.isUsable { return exchanges.begin(transfer, on: connection, isReused: true) }
                    close(connection, .server)
                }
            }
            connect(transfer, trust, versions)
        }

        // MARK: Connecting

        /// Opens a connection for a transfer, or takes over an attempt that was started for another transfer.
        func connect(_ transfer: LoopTransfer, _ trust: CurlTrust, _ versions: ConnectionKey.Versions) {
            let isUpgrade = transfer.request.requestsUpgrade
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: versions)
            if isUpgrade || !connector.takeOverAttempt(key, for: transfer) {
                makeRoom(isForStreams: false)
                if versions.includesHTTP2 { http2.pool.beginAttempt(key.overHTTP2) }
                do throws(TransportError) {
                    try connector.connect(
                        transfer, trust, over: try Route(session.context, for: transfer.request), versions: versions,
                        isTunneled: isUpgrade)
                } catch {
                    // Otherwise, the attempt is given up with the transfer.
                    if transfer.carrier == nil { attemptDidEnd(key, speaks: nil) }
                    return end(transfer, .failure(error))
                }
            }
            schedule(transfer, at: transfer.timeLimits.connect)
        }

        /// Handles the end of an attempt to connect that might have led to HTTP/2.
        ///
        /// - Parameter version: What the connection speaks; `nil` if no connection was made.
        private func attemptDidEnd(_ key: ConnectionKey, speaks version: ProtocolRegistry.Version?) {
            guard key.versions.includesHTTP2 else { return }
            http2.pool.endAttempt(key.overHTTP2)
            http2.note(change: key.overHTTP2)
            if key.versions == .either, version != nil || versions[key.origin] == nil { versions.settle(key.origin, version) }
        }

        /// Makes room for a new connection, within the limit of open ones.
        ///
        /// - Parameter isForStreams: Whether the new connection is for HTTP/3. libcurl then closes idle HTTP/3 connections by itself.
        private func makeRoom(isForStreams: Bool) {
            while let eviction = pool.makeRoom(
                beside: connector.connecting + context.sockets.streamSockets, hasAttempts: connector.hasAttempts,
                mayCloseStreams: !isForStreams && streams.count == 0 && context.sockets.streamSockets > 0)
            {
                switch eviction {
                case .giveUpAttempt: connector.giveUpAttempt()
                case .close(let connection): close(connection, .limit)
                case .closeStreams:
                    // libcurl itself chooses when to close a single idle connection. On request, it closes all.
                    return streams.closeUnused()
                }
            }
        }

        private func fail(_ handle: ConnectHandle, _ transfer: LoopTransfer?, _ code: CInt) {
            let key = handle.key
            var error = transfer.map { handle.error(code, for: $0) }
            // The time limit is not this transfer's, but that of the transfer for which the attempt was started.
            let isLateForOther = handle.isTakenOver && Int(code) == CCURLE_OPERATION_TIMEDOUT
            // RFC 7301 §3.2: the server speaks none of the offered protocols.
            let speaksOther = handle.isSecure && handle.handshake.pointee.alert == 120
            transfer?.exchange.connectionTimings.connecting = handle.timings
            connector.drop(handle)
            transfer?.carrier = nil
            attemptDidEnd(key, speaks: nil)
            guard let transfer else { return }
            if speaksOther, key.versions == .http2 {
                error = .http2NotAgreed(transfer.request)
            } else if speaksOther, transfer.allowedVersions == .http1 {
                error = TransportError(
                    .httpVersionUnavailable, "the server does not speak HTTP/1.1, which httpVersion requires", phase: .tls,
                    request: transfer.request, engineCode: Int(code))
            } else if speaksOther, key.versions == .http1, transfer.versionRule == .any, LibraryQuirks.current.speaksHTTP2 {
                // It may have begun to speak HTTP/2 in the meantime.
                transfer.versionRule = .http2
                if versions[key.origin] == .http1 { versions.settle(key.origin, nil) }
                return launch(transfer)
            }
            if isLateForOther { return launch(transfer) }
            end(transfer, .failure(error ?? TransportError(.cannotConnect, "", request: transfer.request)))
        }

        // MARK: Closing connections

        func closeIdle() {
            while let first = pool.removeFirst() { close(first, .sessionClosed) }
        }

        /// Closes the idle connections whose time is over.
        func closeLate() {
            while let late = pool.removeLate(at: now) { close(late, .idleTimeout) }
        }

        /// Cancels the attempts to connect that no transfer waits for.
        func giveUpAttempts() {
            connector.giveUpAttempts()
            streams.giveUpAttempts()
        }

        /// Closes the connections and attempts that no request uses.
        func closeUnused() {
            closeIdle()
            giveUpAttempts()
            streams.closeUnused()
        }
    }

    extension EventLoop: ConnectorOwner {
        func connectorDidFinish(_ handle: ConnectHandle, for transfer: LoopTransfer?, _ code: CInt) {
            guard code == CInt(CCURLE_OK) else { return fail(handle, transfer, code) }
            let key = handle.key
            let agreed = handle.handshake.pointee.protocol
            // Without TLS, the two sides agree on nothing (RFC 9113 §3.3).
            let speaksHTTP2 = key.versions.includesHTTP2 && (agreed == CInt(CALPN_HTTP2) || !handle.isSecure)
            if !speaksHTTP2, key.versions == .http2 {
                connector.drop(handle, isConnected: true)
                attemptDidEnd(key, speaks: nil)
                if let transfer { end(transfer, .failure(.http2NotAgreed(transfer.request))) }
                return
            }
            if key.versions == .http1, agreed != CInt(CALPN_HTTP1), versions[key.origin] == .http2,
                transfer?.versionRule != .http1,
                transfer?.allowedVersions != .http1
            {
                // Only HTTP/1.1 was offered and the server did not agree to it, so it would speak HTTP/2 anyway.
                connector.drop(handle, isConnected: true)
                transfer?.versionRule = .http2
                if let transfer { launch(transfer) }
                return
            }
            guard let established = connector.establish(handle, speaksHTTP2: speaksHTTP2) else {
                connector.drop(handle, isConnected: true)
                attemptDidEnd(key, speaks: nil)
                if let transfer { launch(transfer) }
                return
            }
            transfer?.carrier = nil
            pool.add()
            context.events?.send(.opened, key.origin)
            if speaksHTTP2 {
                let connection = HTTP2Connection(established, http2, at: now)
                context.sockets.adopt(connection)
                http2.add(connection, for: transfer)
                attemptDidEnd(key, speaks: .http2)
                widen(key.origin)
                return
            }
            let connection = HTTP1Connection(established, exchanges)
            context.sockets.adopt(connection)
            if versions[key.origin] == .http2 { launchWaiting(insteadOfHTTP2: key) }
            attemptDidEnd(key, speaks: .http1)
            if let transfer {
                exchanges.begin(transfer, on: connection, isReused: false)
            } else {
                keep(connection, serverSeconds: nil)
            }
        }

        /// Admits the transfers anew that wait for a connection over HTTP/2 to an origin that does not speak it any more.
        private func launchWaiting(insteadOfHTTP2 key: ConnectionKey) {
            guard key.versions == .either else { return }
            versions.settle(key.origin, .http1)
            session.narrow(key.origin)
            for transfer in http2.pool.takeAllWaiting(key.overHTTP2) {
                transfer.carrier = nil
                sendAnew(transfer)
            }
        }

        func connectorDidGiveUp(_ key: ConnectionKey) {
            attemptDidEnd(key, speaks: nil)
        }
    }

    extension TransportError {
        fileprivate static func http2NotAgreed(_ request: NetworkRequest) -> TransportError {
            TransportError(
                .httpVersionUnavailable, "httpVersion requires HTTP/2, but the server does not agree to it", phase: .tls,
                request: request)
        }
    }

    extension EventLoop: HTTP1ExchangeOwner {
        func keep(_ connection: SocketConnection, serverSeconds seconds: Int?) {
            switch pool.keep(connection, uses: connection.uses, serverSeconds: seconds, at: now) {
            case .refused: close(connection, .limit)
            case .kept(let surplus):
                connection.wasIdle = true
                context.events?.send(.becameIdle, connection.key.origin)
                if let surplus { close(surplus, .limit) }
            }
        }

        func close(_ connection: SocketConnection, _ reason: ConnectionEvent.Reason) {
            guard connection.isOpen else { return }
            connection.willClose()
            connection.isOpen = false
            context.events?.send(.closed, connection.key.origin, reason)
            pool.subtract()
            context.sockets.release(connection, closes: connection.handle == nil)
            connector.close(connection.handle, connection.descriptor)
        }

        func closeIdle(_ connection: HTTP1Connection) {
            pool.remove(connection)
            close(connection, .server)
        }
    }

    extension EventLoop: HTTP2ExchangeOwner {
        func takeIdle(_ connection: SocketConnection) {
            pool.remove(connection)
        }
    }

    extension EventLoop: HTTP3StreamOwner {
        func widen(_ origin: String) {
            admit(session.widen(origin, loop: inbox.number))
        }

        func makeRoomForStreams() {
            makeRoom(isForStreams: true)
        }
    }
#endif
