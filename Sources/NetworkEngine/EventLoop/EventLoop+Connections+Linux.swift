#if os(Linux)
    import CCurl
    import Endpoints
    import NetworkTransport

    // Which connection carries a request, and what becomes of it afterwards.
    extension EventLoop {
        /// Sends the transfer's current request on an idle connection, or opens a new connection.
        func launchHTTP1(_ transfer: LoopTransfer, _ trust: CurlTrust) {
            // Through an HTTP proxy, another protocol needs a tunnel, which a kept connection may not be.
            let needsTunnel = transfer.request.requestsUpgrade && context.configuration.proxy.kind != .none
            if !transfer.sending.needsFreshConnection, !needsTunnel {
                let key = key(of: transfer)
                while let connection = pool.take(key) {
                    if connection.isUsable { return exchanges.begin(transfer, on: connection, isReused: true) }
                    close(connection, .server)
                }
            }
            connect(transfer, trust, offersHTTP2: false)
        }

        private func key(of transfer: LoopTransfer) -> ConnectionKey {
            ConnectionKey(origin: transfer.origin, trust: transfer.trust?.number ?? 0)
        }

        // MARK: Connecting

        /// Opens a connection for a transfer, or takes over an attempt that was started for another transfer.
        func connect(_ transfer: LoopTransfer, _ trust: CurlTrust, offersHTTP2: Bool) {
            let isUpgrade = transfer.request.requestsUpgrade
            if offersHTTP2 || isUpgrade || !connector.takeOverAttempt(key(of: transfer), for: transfer) {
                makeRoom(isForStreams: false)
                do throws(TransportError) {
                    try connector.connect(
                        transfer, trust, over: try Route(session.context, for: transfer.request), offersHTTP2: offersHTTP2,
                        isTunneled: isUpgrade)
                } catch {
                    if offersHTTP2, transfer.carrier == nil { versions.settle(transfer.origin, nil) }
                    return end(transfer, .failure(error))
                }
            }
            schedule(transfer, at: transfer.timeLimits.connect)
        }

        /// Makes room for a new connection, within the limit of open ones.
        ///
        /// - Parameter isForStreams: Whether the new connection is for HTTP/2. libcurl then closes idle HTTP/2 connections by itself.
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
            let origin = handle.origin
            let offeredHTTP2 = handle.offersHTTP2
            var error = transfer.map { handle.error(code, for: $0) }
            // The time limit is not this transfer's, but that of the transfer for which the attempt was started.
            let isLateForOther = handle.isTakenOver && Int(code) == CCURLE_OPERATION_TIMEDOUT
            // RFC 7301 §3.2: the server speaks none of the offered protocols. It may have begun to speak HTTP/2 in the meantime.
            let speaksOther = !offeredHTTP2 && handle.isSecure && handle.handshake.pointee.alert == 120
            transfer?.exchange.connectionTimings.connecting = handle.timings
            connector.drop(handle)
            transfer?.carrier = nil
            if offeredHTTP2 { versions.settle(origin, nil) }
            guard let transfer else { return }
            if speaksOther, transfer.allowedVersions == .http1 {
                error = TransportError(
                    .httpVersionUnavailable, "the server does not speak HTTP/1.1, which httpVersion requires", phase: .tls,
                    request: transfer.request, engineCode: Int(code))
            } else if speaksOther, transfer.versionRule == .any, LibraryQuirks.current.speaksHTTP2 {
                transfer.versionRule = .http2
                if versions[origin] == .http1 { versions.settle(origin, nil) }
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
            let origin = handle.origin
            let isSettled = handle.offersHTTP2
            let speaksHTTP2 = isSettled && handle.handshake.pointee.protocol == CInt(CALPN_HTTP2)
            let agreesToHTTP1 = isSettled || handle.handshake.pointee.protocol == CInt(CALPN_HTTP1)
            if !agreesToHTTP1, versions[origin] == .http2, transfer?.versionRule != .http1, transfer?.allowedVersions != .http1 {
                // Only HTTP/1.1 was offered and the server did not agree to it, so it would speak HTTP/2 anyway.
                connector.drop(handle, isConnected: true)
                transfer?.versionRule = .http2
                if let transfer { launch(transfer) }
                return
            }
            guard !speaksHTTP2, let established = connector.establish(handle) else {
                connector.drop(handle, isConnected: true)
                if isSettled { versions.settle(origin, speaksHTTP2 ? .http2 : .http1) }
                if let transfer { launch(transfer) }
                return
            }
            let connection = HTTP1Connection(established, exchanges)
            context.sockets.adopt(connection)
            pool.add()
            context.events?.send(.opened, origin)
            if isSettled { versions.settle(origin, .http1) }
            if let transfer {
                exchanges.begin(transfer, on: connection, isReused: false)
            } else {
                keep(connection, serverSeconds: nil)
            }
        }

        func connectorDidGiveUp(onVersionOf origin: String) {
            versions.settle(origin, nil)
        }
    }

    extension EventLoop: HTTP1ExchangeOwner {
        func keep(_ connection: HTTP1Connection, serverSeconds seconds: Int?) {
            switch pool.keep(connection, uses: connection.uses, serverSeconds: seconds, at: now) {
            case .refused: close(connection, .limit)
            case .kept(let surplus):
                connection.wasIdle = true
                context.events?.send(.becameIdle, connection.key.origin)
                if let surplus { close(surplus, .limit) }
            }
        }

        func close(_ connection: HTTP1Connection, _ reason: ConnectionEvent.Reason) {
            guard connection.isOpen else { return }
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

    extension EventLoop: HTTP2StreamOwner {
        func widen(_ origin: String) {
            admit(session.widen(origin, loop: inbox.number))
        }

        func settle(_ origin: String, _ version: ProtocolRegistry.Version?) {
            versions.settle(origin, version)
        }

        func makeRoomForStreams() {
            makeRoom(isForStreams: true)
        }
    }
#endif
