#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import NetworkSupport

    /// What HTTP/2 exchanges ask of their event loop.
    protocol HTTP2ExchangeOwner: TransferOwner {
        /// Makes a connection for a transfer that may speak HTTP/2.
        func connect(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions)
        /// Keeps a connection that no request uses, or closes it.
        func keep(_ connection: SocketConnection, serverSeconds seconds: Int?)
        /// Ends a transfer whose stream has become a tunnel.
        func upgrade(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer)
        /// Takes a connection out of the idle ones.
        func takeIdle(_ connection: SocketConnection)
        /// Closes a connection that no request uses any more.
        func close(_ connection: SocketConnection, _ reason: ConnectionEvent.Reason)
    }

    /// Performs the exchanges of an event loop over HTTP/2: chooses a connection for each request, sends the requests, and receives the responses
    /// (RFC 9113). The protocol itself is in ``HTTP2StateMachine``.
    ///
    /// What is to be sent is collected and sent once for each step of the loop, by ``advance()``. Used only while the lock of the loop is held.
    final class HTTP2Exchanges: TransferCarrying {
        let context: LoopContext
        let limits: HTTP2Limits
        @exclusivity(unchecked) var pool: StreamPool<HTTP2Connection, LoopTransfer>
        @exclusivity(unchecked) var requestWriter: RequestFieldWriter<HPACKEncoder>
        /// The connections in use, by when they are checked for silence.
        @exclusivity(unchecked) var checks = DeadlineHeap<HTTP2Connection>()
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any HTTP2ExchangeOwner)?
        var transferOwner: (any TransferOwner)? { owner }
        /// The number of connections.
        @exclusivity(unchecked) private(set) var connectionCount = 0
        /// The number of bytes by which windows of streams were opened beyond their first size, on all connections.
        @exclusivity(unchecked) var grownBytes = 0
        /// The largest number of requests on one connection.
        private let maximumUses: Int
        @exclusivity(unchecked) private var touched: [HTTP2Connection] = []
        /// The keys of requests that may no longer have to wait.
        @exclusivity(unchecked) private var changed: Set<ConnectionKey> = []

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

        // MARK: Choosing a connection

        /// Sends a request on a connection over HTTP/2, makes one, or lets the request wait.
        ///
        /// - Parameter versions: What a new connection may speak.
        func launch(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions) {
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: .http2)
            let needsFresh = transfer.sending.needsFreshConnection
            while true {
                let placement = pool.place(key, at: context.now) { connection in
                    !needsFresh || connection.establishedAt >= transfer.launched
                }
                switch placement {
                case .connect: owner?.connect(transfer, trust, versions)
                case .wait: wait(transfer, key)
                case .use(let connection):
                    // The check may close it, or let it wait for a reply.
                    guard !connection.isIdle || prepare(connection) else { continue }
                    begin(transfer, on: connection)
                }
                return
            }
        }

        /// Sends a request for a WebSocket on a connection whose server opens them, if there is one with room (RFC 8441).
        func launchTunnel(_ transfer: LoopTransfer, _ trust: TLSPolicy) -> Bool {
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: .http2)
            let needsFresh = transfer.sending.needsFreshConnection
            let connection = pool.connection(key) { connection in
                connection.machine.permitsConnectProtocol && (!needsFresh || connection.establishedAt >= transfer.launched)
            }
            guard let connection, !connection.isIdle || prepare(connection), connection.hasRoom else { return false }
            begin(transfer, on: connection)
            return true
        }

        private func wait(_ transfer: LoopTransfer, _ key: ConnectionKey) {
            let wait = HTTP2Wait(key, self)
            wait.ticket = pool.wait(transfer, for: key, priority: transfer.request.priority)
            transfer.carrier = wait
            schedule(transfer, at: pool.hasConnection(key) ? .max : transfer.timeLimits.connect)
        }

        /// Takes over a new connection, and sends its first request.
        func add(_ connection: HTTP2Connection, for transfer: LoopTransfer?) {
            pool.add(connection)
            connectionCount += 1
            // The server may have sent its settings already, and OpenSSL has read them.
            connection.mayRead = true
            if let transfer { begin(transfer, on: connection) }
            note(change: connection.key)
            touch(connection)
            receive(connection)
        }

        /// Sends a request on a connection that has room.
        private func begin(_ transfer: LoopTransfer, on connection: HTTP2Connection) {
            context.watch(connection)
            if connection.isIdle || connection.heapIndex < 0 {
                use(connection, checkedAt: context.now &+ HTTP2Liveness.silence)
            }
            if connection.uses > 0 { context.events?.send(.reused, connection.key.origin) }
            let exchange = HTTP2Exchange(transfer, connection, self, at: context.now)
            connection.uses += 1
            if connection.uses >= maximumUses { connection.isRetired = true }
            connection.add(exchange)
            transfer.carrier = exchange
            transfer.exchange.connectionTimings = ConnectionTimings(
                readyAt: context.now, connecting: exchange.isReused ? nil : connection.timings, isReused: exchange.isReused,
                protocolName: "h2", serverAddress: connection.serverAddress)
            transfer.exchange.sentAt = 0
            transfer.lastActivity = context.now
            if transfer.isLargeUpload { connection.limitUnsentBytes() }
            schedule(
                transfer, at: context.now &+ transfer.timeLimits.idleNanoseconds / (transfer.isLargeUpload ? 2 : 1))
            touch(connection)
        }

        /// Takes a connection out of the idle ones, and checks from now on whether the server is still there.
        private func use(_ connection: HTTP2Connection, checkedAt time: UInt64) {
            if connection.isIdle { owner?.takeIdle(connection) }
            connection.isIdle = false
            connection.deadline = time
            checks.insert(connection)
        }

        /// Checks an idle connection before it is used again: what it has received meanwhile is processed. After a long time, a reply is awaited.
        ///
        /// - Returns: Whether it can be used now.
        private func prepare(_ connection: HTTP2Connection) -> Bool {
            connection.mayRead = true
            receive(connection)
            guard connection.hasRoom else { return false }
            guard let end = connection.liveness.probe(at: context.now) else { return true }
            use(connection, checkedAt: end)
            connection.machine.ping()
            touch(connection)
            return false
        }

        // MARK: The end of an exchange

        /// Removes an exchange from its connection.
        func remove(_ exchange: HTTP2Exchange) {
            let connection = exchange.connection
            connection.remove(exchange)
            grownBytes -= exchange.grown
            exchange.grown = 0
            note(change: connection.key)
            touch(connection)
        }

        /// Separates a transfer from an exchange.
        func detach(_ exchange: HTTP2Exchange) {
            guard let transfer = exchange.transfer else { return }
            transfer.upload.offset = max(transfer.upload.offset, exchange.writtenBody)
            exchange.transfer = nil
            transfer.carrier = nil
        }

        /// Ends an exchange whose transfer has ended before the response was complete.
        func abandon(_ exchange: HTTP2Exchange) {
            exchange.transfer = nil
            reset(exchange, .cancel)
        }

        /// Ends an exchange before it is complete.
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

        // MARK: Steps of the loop

        /// Notes that a connection may have something to send, or that no request uses it.
        func touch(_ connection: HTTP2Connection) {
            guard !connection.isTouched else { return }
            connection.isTouched = true
            touched.append(connection)
        }

        /// Notes that requests with a key may no longer have to wait.
        func note(change key: ConnectionKey) {
            if pool.waiting > 0 { changed.insert(key) }
        }

        /// Notes that a connection was closed, so that it is not chosen any more.
        func forget(_ connection: HTTP2Connection) {
            pool.remove(connection)
            if !connection.isIdle { checks.remove(connection) }
            connectionCount -= 1
            note(change: connection.key)
            guard !pool.hasConnection(connection.key) else { return }
            // From now on, they wait for a connection.
            pool.forEachWaiting(connection.key) { transfer in
                let timeout = transfer.request.timeouts.connect ?? context.configuration.connectTimeout
                transfer.timeLimits.connect = context.now &+ timeout.boundedNanoseconds
                schedule(transfer, at: transfer.timeLimits.connect)
            }
        }

        /// Whether ``advance()`` has something to do.
        var hasWork: Bool { !touched.isEmpty || !changed.isEmpty }

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

        private func becomeIdle(_ connection: HTTP2Connection) {
            guard !connection.isIdle, !connection.liveness.isProbing else { return }
            guard !connection.isRetired else { owner?.close(connection, .notReusable); return }
            checks.remove(connection)
            connection.isIdle = true
            owner?.keep(connection, serverSeconds: nil)
        }

        /// Ends the connection properly (RFC 9113 §6.8). The end of TLS is sent by the owner.
        func sendGoAway(on connection: HTTP2Connection) {
            forget(connection)
            connection.machine.close()
            guard connection.mayWrite, connection.sendFailure == nil else { return }
            connection.machine.output.offer { bytes in
                if case .bytes(let count) = connection.send(bytes) { return ((), count) }
                return ((), 0)
            }
        }
    }
#endif
