#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import NetworkSupport

    /// Performs the exchanges of an event loop over HTTP/3 (RFC 9114). The protocol itself is in ``HTTP3StateMachine``, QUIC in ``QUICConnection``.
    final class HTTP3Exchanges: StreamExchanges {
        static let version = ConnectionKey.Versions.http3
        static let names = (token: "h3", display: "HTTP/3")

        let context: LoopContext
        let limits: HTTP3Limits
        @exclusivity(unchecked) var pool: StreamPool<HTTP3Connection, LoopTransfer>
        @exclusivity(unchecked) var requestWriter: RequestFieldWriter<QPACKEncoder>
        @exclusivity(unchecked) var agenda = StreamAgenda<HTTP3Connection>()
        /// When connections need a turn without an event.
        @exclusivity(unchecked) var timers = DeadlineHeap<HTTP3Timer>()
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any StreamExchangeOwner)?
        var streamOwner: (any StreamExchangeOwner)? { owner }
        let maximumUses: Int

        init(_ context: LoopContext, _ requestWriter: RequestFieldWriter<QPACKEncoder>, maximumUses: Int?) {
            self.context = context
            self.requestWriter = requestWriter
            self.maximumUses = min(maximumUses ?? .max, HTTP3Connection.maximumUses)
            let configuration = context.configuration
            var limits = HTTP3Limits()
            limits.headerBytes = configuration.maximumHeaderBytes
            limits.headerFields = configuration.maximumHeaderFields
            self.limits = limits
            pool = StreamPool(maximum: max(configuration.maximumConnectionsPerHost / configuration.eventLoops, 1))
        }

        // MARK: Connections

        /// Takes over a new connection, and sends its first request.
        func add(_ connection: HTTP3Connection, for transfer: LoopTransfer?) {
            adopt(connection, for: transfer)
            react(connection)
        }

        func use(_ connection: HTTP3Connection, for transfer: LoopTransfer) {
            leaveIdle(connection)
        }

        func prepare(_ connection: HTTP3Connection) -> Bool {
            react(connection)
            return connection.hasRoom
        }

        func mayBecomeIdle(_ connection: HTTP3Connection) -> Bool { true }

        // A violation is reported to the server.
        func finishSending(_ connection: HTTP3Connection) {
            perform(connection)
        }

        /// Ends a connection, of which the server is notified if possible (RFC 9114 §5.2, §5.3).
        func end(_ connection: HTTP3Connection) {
            timers.remove(connection.timer)
            release(connection.removeAll())
            for stream in connection.peerStreams { connection.quic.free(stream.stream) }
            for stream in connection.ownStreams.values { connection.quic.free(stream) }
            connection.peerStreams = []
            connection.ownStreams = [:]
            connection.quic.close(connection.closeCode.rawValue)
            forget(connection)
        }

        // MARK: Turns

        /// The time at which a connection needs a turn.
        var deadline: UInt64 { timers.first?.deadline ?? .max }

        /// Gives a turn to the connections whose time has come.
        func endLate() {
            while let timer = timers.first, timer.deadline <= context.now {
                timers.remove(timer)
                if let connection = timer.connection { react(connection) }
            }
        }

        // MARK: The end of an exchange

        func remove(_ exchange: HTTP3Exchange) {
            let connection = exchange.connection
            if connection.isOpen { perform(connection) }
            let stream = connection.remove(exchange)
            unblock(exchange)
            if let stream, connection.isOpen {
                connection.quic.free(stream)
                // What the server has sent of the response is never given back to the window of the connection (Docs/QUIC.md, F2).
                if !exchange.hasEnded { connection.isRetired = true }
            }
            note(change: connection.key)
            touch(connection)
        }

        func release(_ exchanges: [HTTP3Exchange]) {
            for exchange in exchanges {
                if let stream = exchange.stream { exchange.connection.quic.free(stream) }
                exchange.stream = nil
            }
        }

        func reset(_ exchange: HTTP3Exchange, _ code: HTTP3ErrorCode) {
            let connection = exchange.connection
            if let id = exchange.id, connection[id] === exchange { connection.machine.reset(id, code) }
            remove(exchange)
        }

        // A server may respond before it has read the whole request, the rest of which it does not need (RFC 9114 §4.1).
        func close(_ exchange: HTTP3Exchange) {
            reset(exchange, .noError)
        }

        func fallBack(_ transfer: LoopTransfer) {
            transfer.avoidsHTTP3 = true
        }
    }
#endif
