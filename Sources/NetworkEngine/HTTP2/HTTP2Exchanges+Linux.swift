#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import NetworkSupport

    /// What HTTP/2 exchanges ask of their event loop.
    protocol HTTP2ExchangeOwner: StreamExchangeOwner {
        /// Ends a transfer whose stream has become a tunnel.
        func upgrade(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer)
    }

    /// Performs the exchanges of an event loop over HTTP/2 (RFC 9113). The protocol itself is in ``HTTP2StateMachine``.
    final class HTTP2Exchanges: StreamExchanges {
        static let version = ConnectionKey.Versions.http2
        static let names = (token: "h2", display: "HTTP/2")

        let context: LoopContext
        let limits: HTTP2Limits
        @exclusivity(unchecked) var pool: StreamPool<HTTP2Connection, LoopTransfer>
        @exclusivity(unchecked) var requestWriter: RequestFieldWriter<HPACKEncoder>
        @exclusivity(unchecked) var agenda = StreamAgenda<HTTP2Connection>()
        /// The connections in use, by when they are checked for silence.
        @exclusivity(unchecked) var checks = DeadlineHeap<HTTP2Connection>()
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any HTTP2ExchangeOwner)?
        var streamOwner: (any StreamExchangeOwner)? { owner }
        /// The number of bytes by which windows of streams were opened beyond their first size, on all connections.
        @exclusivity(unchecked) var grownBytes = 0
        let maximumUses: Int

        init(_ context: LoopContext, _ requestWriter: RequestFieldWriter<HPACKEncoder>, maximumUses: Int?) {
            self.context = context
            self.requestWriter = requestWriter
            self.maximumUses = maximumUses ?? .max
            let configuration = context.configuration
            var limits = HTTP2Limits()
            limits.headerBytes = configuration.maximumHeaderBytes
            limits.headerFields = configuration.maximumHeaderFields
            self.limits = limits
            pool = StreamPool(maximum: max(configuration.maximumConnectionsPerHost / configuration.eventLoops, 1))
        }

        // MARK: Connections

        /// Sends a request for a WebSocket on a connection whose server opens them, if there is one with room (RFC 8441).
        func launchTunnel(_ transfer: LoopTransfer, _ trust: TLSPolicy) -> Bool {
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: .http2)
            let connection = pool.connection(key) { connection in
                connection.machine.permitsConnectProtocol && isSuitable(connection, for: transfer)
            }
            guard let connection, !connection.isIdle || prepare(connection), connection.hasRoom else { return false }
            begin(transfer, on: connection)
            return true
        }

        /// Takes over a new connection, and sends its first request.
        func add(_ connection: HTTP2Connection, for transfer: LoopTransfer?) {
            adopt(connection, for: transfer)
            // The server may have sent its settings already, and OpenSSL has read them.
            connection.mayRead = true
            react(connection)
        }

        func use(_ connection: HTTP2Connection, for transfer: LoopTransfer) {
            if connection.isIdle || connection.heapIndex < 0 {
                use(connection, checkedAt: context.now &+ HTTP2Liveness.silence)
            }
            if transfer.isLargeUpload { connection.limitUnsentBytes() }
        }

        /// Takes a connection out of the idle ones, and checks from now on whether the server is still there.
        private func use(_ connection: HTTP2Connection, checkedAt time: UInt64) {
            leaveIdle(connection)
            connection.deadline = time
            checks.insert(connection)
        }

        // After a long time, a reply is awaited.
        func prepare(_ connection: HTTP2Connection) -> Bool {
            connection.mayRead = true
            receive(connection)
            guard connection.hasRoom else { return false }
            guard let end = connection.liveness.probe(at: context.now) else { return true }
            use(connection, checkedAt: end)
            connection.machine.ping()
            touch(connection)
            return false
        }

        func mayBecomeIdle(_ connection: HTTP2Connection) -> Bool {
            guard !connection.liveness.isProbing else { return false }
            checks.remove(connection)
            return true
        }

        /// Ends the connection properly (RFC 9113 §6.8). The end of TLS is sent by the owner.
        func end(_ connection: HTTP2Connection) {
            if !connection.isIdle { checks.remove(connection) }
            forget(connection)
            connection.machine.close()
            guard connection.mayWrite, connection.sendFailure == nil else { return }
            connection.machine.output.offer { bytes in
                if case .bytes(let count) = connection.send(bytes) { return ((), count) }
                return ((), 0)
            }
        }

        // MARK: Silence

        /// The time at which a connection has to be checked, or requests need not wait any longer.
        var deadline: UInt64 { min(checks.first?.deadline ?? .max, pool.pauseEnd) }

        /// Asks silent servers for a reply, ends the connections on which none has come, and ends the pauses whose time has come.
        func endLate() {
            while let connection = checks.first, connection.deadline <= context.now { check(connection) }
            for key in pool.endPauses(at: context.now) { note(change: key) }
        }

        private func check(_ connection: HTTP2Connection) {
            checks.remove(connection)
            switch connection.liveness.action(at: context.now) {
            case .lose: return lose(connection, .silence)
            case .check(let time): connection.deadline = time
            case .ping(let time):
                connection.deadline = time
                connection.machine.ping()
                touch(connection)
            }
            checks.insert(connection)
        }

        // MARK: The end of an exchange

        /// The number of streams of a connection that are reset on this side, beyond those that end, before no more are opened.
        static let maximumResets = 100

        func remove(_ exchange: HTTP2Exchange) {
            let connection = exchange.connection
            connection.remove(exchange)
            unblock(exchange)
            release([exchange])
            note(change: connection.key)
            touch(connection)
        }

        func release(_ exchanges: [HTTP2Exchange]) {
            for exchange in exchanges {
                grownBytes -= exchange.grown
                exchange.grown = 0
            }
        }

        func reset(_ exchange: HTTP2Exchange, _ code: HTTP2ErrorCode) {
            let connection = exchange.connection
            if let id = exchange.id, connection[id] === exchange {
                connection.machine.reset(id, code)
                connection.resets += 1
                // Servers end connections on which many streams are reset.
                if connection.resets > Self.maximumResets { connection.isRetired = true }
            }
            remove(exchange)
        }

        func close(_ exchange: HTTP2Exchange) {
            let connection = exchange.connection
            connection.resets = max(connection.resets - 1, 0)
            // A server may respond before it has read the whole request, the rest of which it does not need (RFC 9113 §8.1).
            if !exchange.isWritten, let id = exchange.id { connection.machine.reset(id, .cancel) }
            remove(exchange)
        }

        func fallBack(_ transfer: LoopTransfer) {
            transfer.versionRule = .http1
        }
    }
#endif
