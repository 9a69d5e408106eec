#if os(Linux)
    import NetworkTransport

    /// An established connection over HTTP/2, which carries several requests at the same time.
    ///
    /// Used only while the lock of the event loop is held.
    final class HTTP2Connection: SocketConnection, StreamConnection {
        @exclusivity(unchecked) var machine: HTTP2StateMachine
        /// The exchanges of open streams, by their places in the state machine.
        @exclusivity(unchecked) private var open: [HTTP2Exchange?] = []
        @exclusivity(unchecked) var unopened: [HTTP2Exchange] = []
        @exclusivity(unchecked) var senders: [HTTP2Exchange] = []
        @exclusivity(unchecked) var blocked: [HTTP2Exchange] = []
        @exclusivity(unchecked) private(set) var count = 0
        /// Bytes that were received and not processed, because others had to have their turn.
        @exclusivity(unchecked) var unread: [UInt8] = []
        /// The number of bytes that the transport has taken.
        @exclusivity(unchecked) var sentBytes: UInt64 = 0
        /// Why sending failed, if it did. What the server sent before is still received.
        var sendFailure: Failure?
        @exclusivity(unchecked) var isRetired = false
        @exclusivity(unchecked) var isTouched = false
        @exclusivity(unchecked) var isIdle = false
        let establishedAt: UInt64
        /// Whether the server is still there.
        @exclusivity(unchecked) var liveness: HTTP2Liveness
        /// The number of streams that were reset on this side, minus those that ended otherwise.
        @exclusivity(unchecked) var resets = 0

        /// What performs the exchanges of the event loop, and outlives its connections.
        unowned(unsafe) private let exchanges: HTTP2Exchanges

        init(_ established: EstablishedConnection, _ exchanges: HTTP2Exchanges, at now: UInt64) {
            self.exchanges = exchanges
            machine = HTTP2StateMachine(limits: exchanges.limits)
            establishedAt = now
            liveness = HTTP2Liveness(at: now)
            super.init(established)
        }

        override var isInUse: Bool { count > 0 }

        override func socketIsReady(_ readiness: EpollSet.Readiness) {
            note(readiness)
            exchanges.react(self)
        }

        override func willClose() {
            exchanges.end(self)
        }

        /// The number of bytes that were written so far, sent or not.
        var writtenBytes: UInt64 { sentBytes + UInt64(machine.output.count) }

        /// Whether it takes another request. Only one before the settings of the server have arrived: some servers end a connection that has more
        /// streams than they permit.
        var hasRoom: Bool {
            isOpen && !isRetired && !liveness.isProbing && sendFailure == nil && (machine.hasSettings || count == 0)
                && machine.permitsStream(besides: unopened.count)
        }

        var lastReceived: UInt64 { liveness.lastReceived }

        var isFlushed: Bool { machine.output.isEmpty }

        // Without TLS, nothing was negotiated.
        var isVersionUncertain: Bool { !isSecure && !machine.hasSettings }

        func failure(after loss: StreamConnectionLoss<HTTP2ErrorCode>) -> Failure? {
            guard case .closed(let failure) = loss else { return nil }
            return failure ?? sendFailure
        }

        var isSettling: Bool { isOpen && !isRetired && (liveness.isProbing || !machine.hasSettings) }

        // MARK: Exchanges

        subscript(id: HTTP2StreamID) -> HTTP2Exchange? {
            guard id.slot < open.count, let exchange = open[id.slot], exchange.id == id else { return nil }
            return exchange
        }

        func add(_ exchange: HTTP2Exchange) {
            count += 1
            unopened.append(exchange)
        }

        /// Assigns a new stream to an exchange.
        func assign(_ id: HTTP2StreamID, to exchange: HTTP2Exchange) {
            while open.count <= id.slot { open.append(nil) }
            open[id.slot] = exchange
            exchange.id = id
        }

        /// Removes an exchange that has ended.
        func remove(_ exchange: HTTP2Exchange) {
            guard let id = exchange.id else {
                guard let index = unopened.firstIndex(where: { $0 === exchange }) else { return }
                unopened.remove(at: index)
                count -= 1
                return
            }
            guard self[id] === exchange else { return }
            open[id.slot] = nil
            count -= 1
        }

        func removeAll() -> [HTTP2Exchange] {
            let streams = open.compactMap(\.self).sorted { ($0.id?.number ?? 0) < ($1.id?.number ?? 0) }
            defer {
                open = []
                unopened = []
                senders = []
                blocked = []
                count = 0
            }
            return streams + unopened
        }
    }
#endif
