#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    /// An established connection over HTTP/3, which carries several requests at the same time.
    ///
    /// Used only while the lock of the event loop is held.
    final class HTTP3Connection: SocketConnection, StreamConnection {
        /// The largest number of requests on one connection. OpenSSL never forgets a stream, and visits all of them with each window that a server
        /// opens, so that a request becomes the more expensive the more have preceded it (Docs/QUIC.md, F1).
        static let maximumUses = 2000
        /// The largest number of requests at the same time.
        static let maximumStreams = 100

        @exclusivity(unchecked) var machine: HTTP3StateMachine
        let quic: QUICConnection
        /// The exchanges of open streams, by the numbers of the streams.
        @exclusivity(unchecked) private(set) var open: [UInt64: HTTP3Exchange] = [:]
        @exclusivity(unchecked) var unopened: [HTTP3Exchange] = []
        @exclusivity(unchecked) var senders: [HTTP3Exchange] = []
        @exclusivity(unchecked) var blocked: [HTTP3Exchange] = []
        /// The unidirectional streams of this side, and those on which something waits to be sent.
        var ownStreams: [HTTP3StreamKind: QUICConnection.Stream] = [:]
        var ownWaiting: Set<HTTP3StreamKind> = []
        /// The unidirectional streams of the server that are read.
        var peerStreams: [(number: UInt64, stream: QUICConnection.Stream)] = []
        var count: Int { open.count + unopened.count }
        /// How many streams can still be opened.
        @exclusivity(unchecked) var available: Int
        /// The number of responses whose readers have no room. What of them has arrived takes room in the window of all streams (Docs/QUIC.md, F3).
        @exclusivity(unchecked) var paused = 0
        @exclusivity(unchecked) var isRetired = false
        @exclusivity(unchecked) var isTouched = false
        @exclusivity(unchecked) var isIdle = false
        /// Whether what has arrived is being processed.
        @exclusivity(unchecked) var isReceiving = false
        let establishedAt: UInt64
        @exclusivity(unchecked) var lastReceived: UInt64
        /// The error code with which this side closes the connection.
        var closeCode = HTTP3ErrorCode.noError
        /// When the connection needs a turn without an event.
        let timer = HTTP3Timer()
        /// The number of turns in a row that were due at once, and moved nothing.
        @exclusivity(unchecked) var emptyTurns = 0

        /// What performs the exchanges of the event loop, and outlives its connections.
        unowned(unsafe) private let exchanges: HTTP3Exchanges

        init(_ established: EstablishedConnection, _ quic: QUICConnection, _ exchanges: HTTP3Exchanges, at now: UInt64) {
            self.exchanges = exchanges
            self.quic = quic
            machine = HTTP3StateMachine(limits: exchanges.limits)
            establishedAt = now
            lastReceived = now
            available = quic.availableStreams
            super.init(established)
            timer.connection = self
        }

        override var isInUse: Bool { count > 0 }

        override func socketIsReady(_ readiness: EpollSet.Readiness) {
            exchanges.react(self)
        }

        override func willClose() {
            exchanges.end(self)
        }

        var hasRoom: Bool {
            isOpen && !isRetired && paused == 0 && machine.canOpen && available > unopened.count && count < Self.maximumStreams
        }

        var isSettling: Bool { false }

        var isCounted: Bool { !isRetired && paused == 0 }

        var isFlushed: Bool { blocked.isEmpty }

        func failure(after loss: StreamConnectionLoss<HTTP3ErrorCode>) -> Failure? {
            guard case .closed = loss else { return nil }
            return quic.failure { HTTP3ErrorCode(rawValue: $0).name }
        }

        // Two readers without room would take all of the window of the connection (Docs/QUIC.md, F3).
        func admits(_ transfer: LoopTransfer) -> Bool { transfer.download == nil || !hasReader }

        /// Whether the response to one of the requests is streamed, so that its reader may have no room.
        private var hasReader: Bool {
            open.values.contains { $0.transfer?.download != nil } || unopened.contains { $0.transfer?.download != nil }
        }

        // MARK: Exchanges

        subscript(id: HTTP3StreamID) -> HTTP3Exchange? { open[id.number] }

        func add(_ exchange: HTTP3Exchange) {
            unopened.append(exchange)
        }

        /// Assigns a new stream to an exchange.
        func assign(_ id: HTTP3StreamID, _ stream: QUICConnection.Stream, to exchange: HTTP3Exchange) {
            open[id.number] = exchange
            exchange.id = id
            exchange.stream = stream
        }

        /// Removes an exchange that has ended, and returns its stream.
        func remove(_ exchange: HTTP3Exchange) -> QUICConnection.Stream? {
            setPaused(exchange, false)
            guard let id = exchange.id else {
                unopened.removeAll { $0 === exchange }
                return nil
            }
            guard open[id.number] === exchange else { return nil }
            open[id.number] = nil
            defer { exchange.stream = nil }
            return exchange.stream
        }

        /// Notes whether the reader of a response has no room.
        func setPaused(_ exchange: HTTP3Exchange, _ isPaused: Bool) {
            guard exchange.isPaused != isPaused else { return }
            exchange.isPaused = isPaused
            paused += isPaused ? 1 : -1
        }

        func removeAll() -> [HTTP3Exchange] {
            let streams = open.sorted { $0.key < $1.key }.map(\.value)
            defer {
                open = [:]
                unopened = []
                senders = []
                blocked = []
            }
            return streams + unopened
        }
    }

    /// When an ``HTTP3Connection`` needs a turn without an event.
    final class HTTP3Timer: DeadlineMember {
        var deadline = UInt64.max
        var heapIndex = -1
        fileprivate(set) weak var connection: HTTP3Connection?
    }
#endif
