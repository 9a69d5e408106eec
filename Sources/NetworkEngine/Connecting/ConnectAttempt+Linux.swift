#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    /// One connection that is being made: name lookup, TCP, the handshakes with a proxy, TLS.
    ///
    /// It begins for a transfer, and goes on for later ones if that is cancelled. Used only while the lock of the event loop is held.
    // Sendable although unchecked: other threads only pass it on, with the outcome of a lookup.
    final class ConnectAttempt: PoolMember, RequestCarrier, @unchecked Sendable {
        /// What the attempt is doing.
        enum State {
            /// Finds out the address of the server, which a SOCKS proxy has to be given.
            case lookingUpServer
            /// Finds out the addresses of the server or of the proxy, and connects to them.
            case connecting
            /// Performs the TLS handshake with an HTTPS proxy.
            case securingProxy
            /// Asks the proxy to connect to the server.
            case tunneling
            /// Performs the TLS handshake with the server.
            case securing
            /// The connection was made, or the attempt has ended.
            case ended
        }

        let key: ConnectionKey
        let route: Route
        /// The trust policy for the server.
        let policy: TLSPolicy
        let isSecure: Bool
        /// Whether a connection without TLS goes through an HTTP proxy as a tunnel.
        let isTunneled: Bool
        /// The connector that the attempt belongs to, which outlives it.
        unowned(unsafe) let connector: Connector

        /// The transfer that waits for the connection. `nil` if none does.
        @exclusivity(unchecked) var transfer: LoopTransfer?
        /// Whether the attempt was begun for another transfer than the one that waits for it.
        private(set) var isTakenOver = false
        /// The time at which an attempt without a transfer is cancelled, in nanoseconds of the monotonic clock.
        var deadline = UInt64.max
        var heapIndex = -1
        /// When the race, or a handshake of QUIC, has to be continued without an event.
        let timer = ConnectTimer()
        /// When the race has to be continued.
        var raceDeadline = UInt64.max

        @exclusivity(unchecked) var state = State.connecting
        // MARK: Addresses
        @exclusivity(unchecked) var race = ConnectRace<SocketAddress>(lookups: 0)
        @exclusivity(unchecked) var lookup: ConnectLookup?
        /// The address of the server that is passed to a SOCKS proxy.
        var serverAddress: IPAddress?
        /// The sockets that are being connected; later, the one that is connected.
        @exclusivity(unchecked) var sockets: [ConnectSocket] = []
        /// The addresses that could not be connected to, with the reasons.
        var failures: [(address: SocketAddress, reason: String)] = []
        var lastSystemError: CInt = 0
        // MARK: Handshakes
        var proxyTLS: TLSConnection?
        var tls: TLSConnection?
        var proxyHandshake: (any ProxyHandshake)?
        /// Bytes for the proxy that were not sent yet.
        var unsent: [UInt8] = []
        // MARK: Times
        @exclusivity(unchecked) var timings = ConnectTimings()
        @exclusivity(unchecked) private var phaseStart: UInt64

        init(
            _ transfer: LoopTransfer, _ policy: TLSPolicy, over route: Route, versions: ConnectionKey.Versions, isTunneled: Bool,
            _ connector: Connector
        ) {
            key = ConnectionKey(origin: transfer.origin, trust: policy.number, versions: versions)
            self.route = route
            self.policy = policy
            self.isTunneled = isTunneled
            self.connector = connector
            self.transfer = transfer
            isSecure = transfer.request.isSecure
            phaseStart = connector.context.now
            timer.attempt = self
        }

        /// The host and port of the server.
        var server: OriginParts { route.server }

        /// Whether the connection is made over QUIC.
        var isQUIC: Bool { key.versions == .http3 }

        /// Assigns the attempt to another transfer than the one for which it was begun. Times are measured from this moment.
        func takeOver(for transfer: LoopTransfer, at now: UInt64) {
            self.transfer = transfer
            isTakenOver = true
            timings = ConnectTimings()
            phaseStart = now
        }

        /// Adds to the time of a phase how long it has taken, now that it has ended.
        func endPhase(_ time: inout UInt64?) {
            let now = connector.context.now
            time = (time ?? 0) + now - min(phaseStart, now)
            phaseStart = now
        }

        /// The phase that the attempt has reached.
        var phase: TransportError.Phase {
            switch state {
            case .lookingUpServer: .nameLookup
            case .connecting: race.begun == 0 ? .nameLookup : .connect
            case .tunneling, .ended: .connect
            case .securingProxy, .securing: .tls
            }
        }

        /// Closes everything that belongs to the attempt, except what was handed over.
        func close() {
            state = .ended
            withdrawLookups()
            connector.cancel(timer)
            tls = nil
            proxyTLS = nil
            for socket in sockets { socket.close() }
            sockets = []
        }

        // MARK: For the transfer that waits

        var stage: CarrierStage { .connecting }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase { phase }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            var timings = transfer.exchange.connectionTimings
            timings.connecting = self.timings
            return (timings, Int64(transfer.upload.offset))
        }

        func keepConnecting(without transfer: LoopTransfer) -> Bool {
            connector.keep(self, until: transfer.timeLimits.connect)
        }

        func abandon(_ transfer: LoopTransfer) {
            connector.giveUp(self)
        }
    }

    /// When a ``ConnectAttempt`` has to be continued.
    final class ConnectTimer: DeadlineMember {
        var deadline = UInt64.max
        var heapIndex = -1
        fileprivate(set) weak var attempt: ConnectAttempt?
    }

    /// A socket of a ``ConnectAttempt``, which is being connected or is connected.
    final class ConnectSocket: SocketOwner {
        let descriptor: CInt
        let address: SocketAddress
        private let set: EpollSet
        /// The attempt, until the socket is passed to a connection.
        @exclusivity(unchecked) private var attempt: ConnectAttempt?
        var isWatched = false
        var isReady = false
        var needsWatching: Bool { attempt != nil }
        @exclusivity(unchecked) private(set) var readiness = EpollSet.Readiness()
        /// The handshake of QUIC, which makes the connection; `nil` before it has begun, and for TCP.
        var quic: QUICConnection?
        /// When that handshake has to be continued without an event.
        var quicDeadline = UInt64.max

        init(_ descriptor: CInt, _ address: SocketAddress, _ set: EpollSet, _ attempt: ConnectAttempt) {
            self.descriptor = descriptor
            self.address = address
            self.set = set
            self.attempt = attempt
        }

        func socketIsReady(_ readiness: EpollSet.Readiness) {
            if readiness.mayRead { self.readiness.mayRead = true }
            if readiness.mayWrite { self.readiness.mayWrite = true }
            if readiness.hasEnded { self.readiness.hasEnded = true }
            attempt?.socketIsReady(self)
        }

        /// Whether the socket is connected; the value of `errno` if that has failed.
        var error: CInt {
            var error: CInt = 0
            var size = socklen_t(MemoryLayout<CInt>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno
        }

        /// Ends the events for the attempt.
        func detach() {
            attempt = nil
        }

        func close() {
            attempt = nil
            quic = nil
            set.release(self)
        }
    }
#endif
