#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import NetworkSupport

    /// What the exchanges of HTTP/2 and HTTP/3 ask of their event loop.
    protocol StreamExchangeOwner: TransferOwner {
        /// Makes a connection for a transfer.
        func connect(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions)
        /// Keeps a connection that no request uses, or closes it.
        func keep(_ connection: SocketConnection, serverSeconds seconds: Int?)
        /// Takes a connection out of the idle ones.
        func takeIdle(_ connection: SocketConnection)
        /// Closes a connection that no request uses any more.
        func close(_ connection: SocketConnection, _ reason: ConnectionEvent.Reason)
    }

    /// Performs the exchanges of an event loop over a version of HTTP that carries several requests on a connection, each on a stream: chooses a
    /// connection for each request, sends the requests, receives the responses, and decides what becomes of the requests of a lost connection.
    ///
    /// A version adds how its connections move bytes, and what they have to do beside that: ``HTTP2Exchanges``, ``HTTP3Exchanges``.
    ///
    /// What is to be sent is collected and sent once for each step of the loop, by ``advance()``. Used only while the lock of the loop is held.
    protocol StreamExchanges: TransferCarrying {
        associatedtype Connection: StreamConnection
        where Connection.Exchange: VersionedStreamExchange, Connection.Exchange.Driver == Self

        /// What a connection has agreed to speak.
        static var version: ConnectionKey.Versions { get }
        /// The name of the version in timings and errors.
        static var names: (token: String, display: String) { get }

        var context: LoopContext { get }
        var pool: StreamPool<Connection, LoopTransfer> { get set }
        var requestWriter: RequestFieldWriter<Connection.Machine.HeadEncoder> { get set }
        /// What ``advance()`` has to do.
        var agenda: StreamAgenda<Connection> { get set }
        /// The largest number of requests on one connection.
        var maximumUses: Int { get }
        var streamOwner: (any StreamExchangeOwner)? { get }

        // MARK: Connections

        /// Processes what an idle connection has received before it is used again, and checks it.
        ///
        /// - Returns: Whether it can be used now.
        func prepare(_ connection: Connection) -> Bool
        /// Takes a connection out of the idle ones, if it is among them, for a request.
        func use(_ connection: Connection, for transfer: LoopTransfer)
        /// Whether a connection without requests is kept as an idle one, if it is not yet. It is about to be.
        func mayBecomeIdle(_ connection: Connection) -> Bool
        /// Writes and sends as much as possible without blocking.
        func send(_ connection: Connection)
        /// Sends what has to be sent before a lost connection is closed. May close the connection.
        func finishSending(_ connection: Connection)
        /// Releases what exchanges have that were removed from their connection, which has ended.
        func release(_ exchanges: [Connection.Exchange])

        // MARK: Exchanges

        /// Removes an exchange from its connection.
        func remove(_ exchange: Connection.Exchange)
        /// Ends an exchange before it is complete.
        func reset(_ exchange: Connection.Exchange, _ code: Connection.Machine.FailureCode)
        /// Ends the stream of an exchange whose response was received to its end, and removes the exchange.
        func close(_ exchange: Connection.Exchange)
        /// Returns how many bytes of content can be written now. If there are none, the exchange waits among ``StreamConnection/blocked``.
        func contentRoom(of exchange: Connection.Exchange) -> Int
        /// Stops receiving, because the reader has no room, or the driver decides about a redirect.
        func pauseReceiving(_ exchange: Connection.Exchange, _ transfer: LoopTransfer)
        /// Continues to receive after a pause.
        func resumeReceiving(_ exchange: Connection.Exchange)
        /// Permits the server to send as many bytes as the reader has taken.
        func credit(_ exchange: Connection.Exchange)
        /// Reads what has arrived of a body that is not needed, which may complete the transfer.
        func dropBody(of exchange: Connection.Exchange, _ transfer: LoopTransfer)
        /// Ends a transfer whose stream has become a tunnel.
        func openTunnel(_ exchange: Connection.Exchange, _ transfer: LoopTransfer)
        /// Marks a request as one that has to be sent over an older version of HTTP.
        func fallBack(_ transfer: LoopTransfer)
    }

    extension StreamExchanges {

        var transferOwner: (any TransferOwner)? { streamOwner }

        func finishSending(_ connection: Connection) {}
        func resumeReceiving(_ exchange: Connection.Exchange) {}
        func credit(_ exchange: Connection.Exchange) {}
        func dropBody(of exchange: Connection.Exchange, _ transfer: LoopTransfer) {}
        func openTunnel(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {}

        // MARK: Choosing a connection

        /// Sends a request on a connection, makes one, or lets the request wait.
        ///
        /// - Parameter versions: What a new connection may speak.
        func launch(_ transfer: LoopTransfer, _ trust: TLSPolicy, _ versions: ConnectionKey.Versions) {
            let key = ConnectionKey(origin: transfer.origin, trust: trust.number, versions: Self.version)
            while true {
                switch pool.place(key, at: context.now, where: { isSuitable($0, for: transfer) }) {
                case .connect: streamOwner?.connect(transfer, trust, versions)
                case .wait: wait(transfer, key)
                case .use(let connection):
                    // The check may close it, or let it wait for a reply.
                    guard !connection.isIdle || prepare(connection) else { continue }
                    begin(transfer, on: connection)
                }
                return
            }
        }

        /// Whether a request may be sent on a connection.
        func isSuitable(_ connection: Connection, for transfer: LoopTransfer) -> Bool {
            (!transfer.sending.needsFreshConnection || connection.establishedAt >= transfer.launched)
                && connection.admits(transfer)
        }

        private func wait(_ transfer: LoopTransfer, _ key: ConnectionKey) {
            let wait = StreamWait(key, self)
            wait.ticket = pool.wait(transfer, for: key, priority: transfer.request.priority)
            transfer.carrier = wait
            schedule(transfer, at: pool.hasConnection(key) ? .max : transfer.timeLimits.connect)
        }

        /// Takes over a new connection, and sends its first request.
        func adopt(_ connection: Connection, for transfer: LoopTransfer?) {
            pool.add(connection)
            agenda.connectionCount += 1
            if let transfer { begin(transfer, on: connection) }
            note(change: connection.key)
        }

        /// Sends a request on a connection that has room.
        func begin(_ transfer: LoopTransfer, on connection: Connection) {
            context.watch(connection)
            use(connection, for: transfer)
            if connection.uses > 0 { context.events?.send(.reused, connection.key.origin) }
            let exchange = Connection.Exchange(transfer, connection, self)
            connection.uses += 1
            if connection.uses >= maximumUses { connection.isRetired = true }
            connection.add(exchange)
            transfer.carrier = exchange
            transfer.tcpDeadline = .max
            transfer.exchange.connectionTimings = ConnectionTimings(
                readyAt: context.now, connecting: exchange.isReused ? nil : connection.timings, isReused: exchange.isReused,
                protocolName: Self.names.token, serverAddress: connection.serverAddress)
            transfer.exchange.sentAt = 0
            transfer.lastActivity = context.now
            schedule(
                transfer, at: context.now &+ transfer.timeLimits.idleNanoseconds / (transfer.isLargeUpload ? 2 : 1))
            touch(connection)
        }

        // MARK: Steps of the loop

        /// Notes that a connection may have something to send, or that no request uses it.
        func touch(_ connection: Connection) {
            guard !connection.isTouched else { return }
            connection.isTouched = true
            agenda.touched.append(connection)
        }

        /// Notes that requests with a key may no longer have to wait.
        func note(change key: ConnectionKey) {
            if pool.waiting > 0 { agenda.changed.insert(key) }
        }

        /// Starts the requests that need not wait any longer, sends what was written, and keeps or closes the connections that no request uses.
        func advance() {
            // Each may make another one necessary. Bounded, so that other connections have their turn.
            for _ in 0..<16 where agenda.hasWork {
                for key in agenda.takeChanged() { admitWaiting(key) }
                var connections = agenda.takeTouched()
                for connection in connections {
                    connection.isTouched = false
                    guard connection.isOpen else { continue }
                    send(connection)
                    if connection.isOpen, connection.count == 0 { becomeIdle(connection) }
                }
                agenda.reuse(&connections)
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

        private func becomeIdle(_ connection: Connection) {
            guard !connection.isRetired else {
                leaveIdle(connection)
                streamOwner?.close(connection, .notReusable)
                return
            }
            guard !connection.isIdle, mayBecomeIdle(connection) else { return }
            connection.isIdle = true
            streamOwner?.keep(connection, serverSeconds: nil)
        }

        /// Takes a connection out of the idle ones, if it is among them.
        func leaveIdle(_ connection: Connection) {
            guard connection.isIdle else { return }
            connection.isIdle = false
            streamOwner?.takeIdle(connection)
        }

        /// Notes that a connection was closed, so that it is not chosen any more.
        func forget(_ connection: Connection) {
            pool.remove(connection)
            agenda.connectionCount -= 1
            note(change: connection.key)
            guard !pool.hasConnection(connection.key) else { return }
            // From now on, they wait for a connection.
            pool.forEachWaiting(connection.key) { transfer in
                limitConnecting(transfer)
                schedule(transfer, at: transfer.timeLimits.connect)
            }
        }

        /// Sets until when a transfer waits for a connection.
        func limitConnecting(_ transfer: LoopTransfer) {
            let timeout = transfer.request.timeouts.connect ?? context.configuration.connectTimeout
            transfer.timeLimits.connect = context.now &+ timeout.boundedNanoseconds
        }
    }

    /// What the exchanges of an event loop have to do in its next step.
    struct StreamAgenda<Connection> {
        /// The connections that may have something to send, or that no request uses.
        fileprivate(set) var touched: [Connection] = []
        /// An empty list with memory.
        private var spare: [Connection] = []
        /// The keys of requests that may no longer have to wait.
        fileprivate(set) var changed: Set<ConnectionKey> = []
        /// The number of connections.
        fileprivate(set) var connectionCount = 0

        var hasWork: Bool { !touched.isEmpty || !changed.isEmpty }

        fileprivate mutating func takeChanged() -> Set<ConnectionKey> {
            guard !changed.isEmpty else { return changed }
            defer { changed = [] }
            return changed
        }

        fileprivate mutating func takeTouched() -> [Connection] {
            var taken = spare
            spare = []
            swap(&taken, &touched)
            return taken
        }

        /// Uses the memory of a list again that was processed.
        fileprivate mutating func reuse(_ list: inout [Connection]) {
            list.removeAll(keepingCapacity: true)
            swap(&spare, &list)
        }
    }
#endif
