#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import NetworkSupport

    /// What HTTP/3 exchanges ask of their event loop.
    protocol HTTP3ExchangeOwner: TransferOwner {
        /// Makes a connection for a transfer.
        func connect(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions)
        /// Keeps a connection that no request uses, or closes it.
        func keep(_ connection: SocketConnection, serverSeconds seconds: Int?)
        /// Takes a connection out of the idle ones.
        func takeIdle(_ connection: SocketConnection)
        /// Closes a connection that no request uses any more.
        func close(_ connection: SocketConnection, _ reason: ConnectionEvent.Reason)
        /// Sends a request over TCP, because the server requires that, and has not processed the request.
        func sendOverTCP(_ transfer: LoopTransfer)
    }

    /// Performs the exchanges of an event loop over HTTP/3: chooses a connection for each request, sends the requests, and receives the responses
    /// (RFC 9114). The protocol itself is in ``HTTP3StateMachine``, QUIC in ``QUICConnection``.
    ///
    /// What is to be sent is collected and sent once for each step of the loop, by ``advance()``. Used only while the lock of the loop is held.
    final class HTTP3Exchanges: TransferCarrying {
        let context: LoopContext
        let limits: HTTP3Limits
        @exclusivity(unchecked) var pool: StreamPool<HTTP3Connection, LoopTransfer>
        @exclusivity(unchecked) var requestWriter: RequestFieldWriter<QPACKEncoder>
        /// When connections need a turn without an event.
        @exclusivity(unchecked) var timers = DeadlineHeap<HTTP3Timer>()
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any HTTP3ExchangeOwner)?
        var transferOwner: (any TransferOwner)? { owner }
        /// The number of connections.
        @exclusivity(unchecked) private(set) var connectionCount = 0
        /// The largest number of requests on one connection.
        private let maximumUses: Int
        @exclusivity(unchecked) private var touched: [HTTP3Connection] = []
        /// The keys of requests that may no longer have to wait.
        @exclusivity(unchecked) private var changed: Set<ConnectionKey> = []

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

        // MARK: Choosing a connection

        /// Sends a request on a connection over HTTP/3, makes one, or lets the request wait.
        func launch(_ transfer: LoopTransfer, _ trust: TLSPolicy) {
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: .http3)
            let needsFresh = transfer.sending.needsFreshConnection
            while true {
                let placement = pool.place(key, at: context.now) { connection in
                    // Two readers without room would take all of the window of the connection (Docs/QUIC.md, F3).
                    (!needsFresh || connection.establishedAt >= transfer.launched)
                        && (transfer.download == nil || !connection.hasReader)
                }
                switch placement {
                case .connect: owner?.connect(transfer, trust, .http3)
                case .wait: wait(transfer, key)
                case .use(let connection):
                    // The turn may close it.
                    guard !connection.isIdle || prepare(connection) else { continue }
                    begin(transfer, on: connection)
                }
                return
            }
        }

        private func wait(_ transfer: LoopTransfer, _ key: ConnectionKey) {
            let wait = HTTP3Wait(key, self)
            wait.ticket = pool.wait(transfer, for: key, priority: transfer.request.priority)
            transfer.carrier = wait
            schedule(transfer, at: pool.hasConnection(key) ? .max : transfer.timeLimits.connect)
        }

        /// Takes over a new connection, and sends its first request.
        func add(_ connection: HTTP3Connection, for transfer: LoopTransfer?) {
            pool.add(connection)
            connectionCount += 1
            if let transfer { begin(transfer, on: connection) }
            note(change: connection.key)
            react(connection)
        }

        /// Sends a request on a connection that has room.
        private func begin(_ transfer: LoopTransfer, on connection: HTTP3Connection) {
            context.watch(connection)
            if connection.isIdle {
                owner?.takeIdle(connection)
                connection.isIdle = false
            }
            if connection.uses > 0 { context.events?.send(.reused, connection.key.origin) }
            let exchange = HTTP3Exchange(transfer, connection, self, at: context.now)
            connection.uses += 1
            if connection.uses >= maximumUses { connection.isRetired = true }
            connection.unopened.append(exchange)
            transfer.carrier = exchange
            transfer.tcpDeadline = .max
            transfer.exchange.connectionTimings = ConnectionTimings(
                readyAt: context.now, connecting: exchange.isReused ? nil : connection.timings, isReused: exchange.isReused,
                protocolName: "h3", serverAddress: connection.serverAddress)
            transfer.exchange.sentAt = 0
            transfer.lastActivity = context.now
            schedule(
                transfer, at: context.now &+ transfer.timeLimits.idleNanoseconds / (transfer.isLargeUpload ? 2 : 1))
            touch(connection)
        }

        /// Processes what an idle connection has received before it is used again.
        ///
        /// - Returns: Whether it can be used now.
        private func prepare(_ connection: HTTP3Connection) -> Bool {
            react(connection)
            return connection.hasRoom
        }

        // MARK: The end of an exchange

        /// Removes an exchange from its connection.
        func remove(_ exchange: HTTP3Exchange) {
            let connection = exchange.connection
            if connection.isOpen { perform(connection) }
            let stream = connection.remove(exchange)
            if let stream, connection.isOpen {
                connection.quic.free(stream)
                // What the server has sent of the response is never given back to the window of the connection (Docs/QUIC.md, F2).
                if !exchange.hasEnded { connection.isRetired = true }
            }
            note(change: connection.key)
            touch(connection)
        }

        /// Separates a transfer from an exchange.
        func detach(_ exchange: HTTP3Exchange) {
            guard let transfer = exchange.transfer else { return }
            transfer.upload.offset = max(transfer.upload.offset, exchange.writtenBody)
            exchange.transfer = nil
            transfer.carrier = nil
        }

        /// Ends an exchange whose transfer has ended before the response was complete.
        func abandon(_ exchange: HTTP3Exchange) {
            exchange.transfer = nil
            reset(exchange, .requestCancelled)
        }

        /// Ends an exchange before it is complete.
        func reset(_ exchange: HTTP3Exchange, _ code: HTTP3ErrorCode) {
            let connection = exchange.connection
            if let id = exchange.id, connection[id] === exchange { connection.machine.reset(id, code) }
            remove(exchange)
        }

        // MARK: Steps of the loop

        /// Notes that a connection may have something to send, or that no request uses it.
        func touch(_ connection: HTTP3Connection) {
            guard !connection.isTouched else { return }
            connection.isTouched = true
            touched.append(connection)
        }

        /// Notes that requests with a key may no longer have to wait.
        func note(change key: ConnectionKey) {
            if pool.waiting > 0 { changed.insert(key) }
        }

        /// Whether ``advance()`` has something to do.
        var hasWork: Bool { !touched.isEmpty || !changed.isEmpty }

        /// The time at which a connection needs a turn.
        var deadline: UInt64 { timers.first?.deadline ?? .max }

        /// Gives a turn to the connections whose time has come.
        func endLate() {
            while let timer = timers.first, timer.deadline <= context.now {
                timers.remove(timer)
                if let connection = timer.connection { react(connection) }
            }
        }

        /// Starts the requests that need not wait any longer, sends what was written, and keeps or closes the connections that no request uses.
        func advance() {
            // Each may make another one necessary. Bounded, so that other connections have their turn.
            for _ in 0..<16 where hasWork {
                if !changed.isEmpty {
                    let keys = changed
                    changed.removeAll()
                    for key in keys { admitWaiting(key) }
                }
                let connections = touched
                touched.removeAll(keepingCapacity: true)
                for connection in connections {
                    connection.isTouched = false
                    guard connection.isOpen else { continue }
                    send(connection)
                    if connection.isOpen, connection.count == 0 { becomeIdle(connection) }
                }
            }
        }

        private func admitWaiting(_ key: ConnectionKey) {
            // One that was taken may have to wait again.
            for _ in 0..<max(pool.waitingCount(key), 0) {
                guard let transfer = pool.takeWaiting(key, at: context.now) else { return }
                transfer.carrier = nil
                launch(transfer)
            }
        }

        private func becomeIdle(_ connection: HTTP3Connection) {
            guard !connection.isRetired, connection.machine.canOpen else {
                if connection.isIdle { owner?.takeIdle(connection) }
                connection.isIdle = false
                owner?.close(connection, .notReusable)
                return
            }
            guard !connection.isIdle else { return }
            connection.isIdle = true
            owner?.keep(connection, serverSeconds: nil)
        }

        // MARK: The end of a connection

        /// Ends a connection, of which the server is notified if possible (RFC 9114 §5.2, §5.3).
        func end(_ connection: HTTP3Connection) {
            pool.remove(connection)
            timers.remove(connection.timer)
            connectionCount -= 1
            for stream in connection.peerStreams { connection.quic.free(stream.stream) }
            for stream in connection.ownStreams.values { connection.quic.free(stream) }
            for exchange in connection.removeAll() {
                if let stream = exchange.stream { connection.quic.free(stream) }
                exchange.stream = nil
            }
            connection.peerStreams = []
            connection.ownStreams = [:]
            connection.quic.close(connection.closeCode.rawValue)
            note(change: connection.key)
            guard !pool.hasConnection(connection.key) else { return }
            // From now on, they wait for a connection.
            pool.forEachWaiting(connection.key) { transfer in
                let timeout = transfer.request.timeouts.connect ?? context.configuration.connectTimeout
                transfer.timeLimits.connect = context.now &+ timeout.boundedNanoseconds
                schedule(transfer, at: transfer.timeLimits.connect)
            }
        }
    }
#endif
