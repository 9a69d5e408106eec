#if os(Linux)
    import Endpoints
    import NetworkTransport

    // Which connection carries a request, and what becomes of it afterwards.
    extension EventLoop {
        /// Sends the transfer's current request over HTTP/1.1 on an idle connection, or opens a new connection.
        ///
        /// - Parameter versions: What a new connection may speak.
        func launchHTTP1(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions = .http1) {
            // Through an HTTP proxy, another protocol needs a tunnel, which a kept connection may not be.
            let needsTunnel = transfer.request.requestsUpgrade && context.configuration.proxy.kind != .none
            if !transfer.sending.needsFreshConnection, !needsTunnel {
                let key = ConnectionKey(origin: transfer.origin, trust: trust.number)
                while let connection = pool.take(key) as? HTTP1Connection {
                    if mayAssumeOpen(connection, for: transfer) || connection.isUsable {
                        return exchanges.begin(transfer, on: connection, isReused: true)
                    }
                    close(connection, .server)
                }
            }
            connect(transfer, trust, versions)
        }

        /// Whether an idle connection is reused without a look at its socket, which is one of three system calls of a small request: when the loop
        /// last waited for events, after the request was submitted, the server had neither closed it nor sent anything. If the server has closed
        /// it since, the request is sent again, so this is only for requests that may be.
        private func mayAssumeOpen(_ connection: HTTP1Connection, for transfer: LoopTransfer) -> Bool {
            context.sockets.areAllEventsHandled && connection.isIdleAndWatched
                && transfer.mayRepeat(after: .unknown, wasReused: true)
        }

        // MARK: Connecting

        /// Opens a connection for a transfer, or takes over an attempt that was started for another transfer.
        func connect(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions) {
            let isUpgrade = transfer.request.requestsUpgrade
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: versions)
            if isUpgrade || !connector.takeOverAttempt(key, for: transfer) {
                makeRoom()
                if versions.includesHTTP2 { http2.pool.beginAttempt(key.overHTTP2) }
                if versions == .http3 { http3.pool.beginAttempt(key) }
                do throws(TransportError) {
                    let route = try Route(session.context, for: transfer.request)
                    connector.connect(transfer, trust, over: route, versions: versions, isTunneled: isUpgrade)
                } catch {
                    attemptDidEnd(key, speaks: nil)
                    return end(transfer, .failure(error))
                }
            }
            // It may have been connected already, or have failed.
            if transfer.isHere, transfer.carrier is ConnectAttempt { schedule(transfer, at: transfer.timeLimits.connect) }
        }

        /// Handles the end of an attempt to connect that might have led to HTTP/2.
        ///
        /// - Parameter version: What the connection speaks; `nil` if no connection was made.
        private func attemptDidEnd(_ key: ConnectionKey, speaks version: ProtocolRegistry.Version?) {
            if key.versions == .http3 { return http3AttemptDidEnd(key) }
            guard key.versions.includesHTTP2 else { return }
            http2.pool.endAttempt(key.overHTTP2)
            http2.note(change: key.overHTTP2)
            if key.versions == .either, version != nil || versions[key.origin] == nil { versions.settle(key.origin, version) }
        }

        /// Makes room for a new connection, within the limit of open ones.
        private func makeRoom() {
            while let eviction = pool.makeRoom(beside: connector.connecting, hasAttempts: connector.hasAttempts) {
                switch eviction {
                case .giveUpAttempt: connector.giveUpAttempt()
                case .close(let connection): close(connection, .limit)
                }
            }
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
        }

        /// Closes the connections and attempts that no request uses.
        func closeUnused() {
            closeIdle()
            giveUpAttempts()
        }
    }

    extension EventLoop: ConnectorOwner {
        func connectorDidConnect(
            _ attempt: ConnectAttempt, for transfer: LoopTransfer?, _ established: EstablishedConnection, _ socket: ConnectSocket
        ) {
            let key = attempt.key
            let speaksHTTP2 = established.key.versions == .http2
            transfer?.carrier = nil
            if let quic = established.quic { return http3DidConnect(transfer, established, quic, socket) }
            if !speaksHTTP2, key.versions == .http2 {
                socket.close()
                attemptDidEnd(key, speaks: nil)
                if let transfer { end(transfer, .failure(.http2NotAgreed(transfer.request))) }
                return
            }
            if key.versions == .http1, established.tls?.agreedProtocol != .http1, versions[key.origin] == .http2,
                transfer?.versionRule != .http1, transfer?.allowedVersions != .http1
            {
                // Only HTTP/1.1 was offered and the server did not agree to it, so it would speak HTTP/2 anyway.
                socket.close()
                transfer?.versionRule = .http2
                if let transfer { launch(transfer) }
                return
            }
            pool.add()
            context.events?.send(.opened, key.origin)
            if speaksHTTP2 {
                let connection = HTTP2Connection(established, http2, at: now)
                context.sockets.hand(socket, to: connection)
                http2.add(connection, for: transfer)
                attemptDidEnd(key, speaks: .http2)
                widen(key.origin)
                return
            }
            let connection = HTTP1Connection(established, exchanges)
            context.sockets.hand(socket, to: connection)
            if versions[key.origin] == .http2 { launchWaiting(insteadOfHTTP2: key) }
            attemptDidEnd(key, speaks: .http1)
            if let transfer {
                exchanges.begin(transfer, on: connection, isReused: false)
            } else {
                keep(connection, serverSeconds: nil)
            }
        }

        func connectorDidFail(
            _ attempt: ConnectAttempt, for transfer: LoopTransfer?, _ failure: ConnectFailure, _ timings: ConnectTimings
        ) {
            let key = attempt.key
            let speaksOther = failure.alert == ConnectFailure.noCommonProtocol
            transfer?.exchange.connectionTimings.connecting = timings
            transfer?.carrier = nil
            attemptDidEnd(key, speaks: nil)
            if key.versions == .http3 { return http3DidFail(transfer, key, failure) }
            guard let transfer else { return }
            var error = failure.error(for: transfer.request)
            if speaksOther, key.versions == .http2 {
                error = .http2NotAgreed(transfer.request)
            } else if speaksOther, transfer.allowedVersions == .http1 {
                error = TransportError(
                    .httpVersionUnavailable, "the server does not speak HTTP/1.1, which httpVersion requires", phase: .tls,
                    request: transfer.request)
            } else if speaksOther, key.versions == .http1, transfer.versionRule == .any {
                // It may have begun to speak HTTP/2 in the meantime.
                transfer.versionRule = .http2
                if versions[key.origin] == .http1 { versions.settle(key.origin, nil) }
                return launch(transfer)
            }
            end(transfer, .failure(error))
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
            connection.tls?.close()
            context.sockets.release(connection)
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

        func widen(_ origin: String) {
            admit(session.widen(origin, loop: inbox.number))
        }
    }
#endif
