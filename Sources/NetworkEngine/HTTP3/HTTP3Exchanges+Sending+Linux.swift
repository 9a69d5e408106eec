#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import NetworkSupport

    // Sending over HTTP/3.
    extension HTTP3Exchanges {
        /// The number of frames with content that are written in one step.
        private static let maximumFrames = 64
        /// After how many turns that were due at once, and have moved nothing, the next one waits for a millisecond.
        private static let maximumEmptyTurns = 8

        // Sets when the connection needs its next turn, too.
        func send(_ connection: HTTP3Connection) {
            openStreams(connection)
            // Limits the writes per call, so that a server that reads without pause does not delay other connections.
            var frames = Self.maximumFrames
            while connection.isOpen, frames > 0, !connection.senders.isEmpty {
                frames -= 1
                writeNextContent(connection)
                if connection.isOpen { perform(connection) }
            }
            guard connection.isOpen else { return }
            perform(connection)
            guard connection.isOpen else { return }
            connection.quic.flush()
            schedule(connection)
            if connection.quic.hasMore || !connection.senders.isEmpty { context.yieldToOthers(connection) }
        }

        private func schedule(_ connection: HTTP3Connection) {
            timers.remove(connection.timer)
            guard let timeout = connection.quic.timeout else { return }
            let minimum: UInt64 = connection.emptyTurns >= Self.maximumEmptyTurns ? 1_000_000 : 0
            connection.timer.deadline = context.now &+ max(timeout, minimum)
            timers.insert(connection.timer)
        }

        // MARK: Actions of the state machine

        /// Performs what the state machine asks for.
        func perform(_ connection: HTTP3Connection) {
            while connection.isOpen {
                let actions = connection.machine.takeActions()
                if actions.isEmpty { break }
                for action in actions where connection.isOpen {
                    switch action {
                    case .send(.own(let kind)): connection.ownWaiting.insert(kind)
                    case .send(.request(let id)): if let exchange = connection[id] { sendOutput(exchange) }
                    case .reset(let number, let code):
                        if let stream = connection.open[number]?.stream { connection.quic.reset(stream, code.rawValue) }
                    // That of a request is freed by the end of its exchange.
                    case .stopSending(let number, _): free(peer: number, of: connection)
                    case .close(let code, _): connection.closeCode = code
                    }
                }
            }
            if connection.isOpen, !connection.ownWaiting.isEmpty { sendOwn(connection) }
        }

        /// Sends what waits on the unidirectional streams of this side, which are opened before.
        private func sendOwn(_ connection: HTTP3Connection) {
            for kind in HTTP3StreamKind.critical where connection.ownWaiting.contains(kind) {
                if connection.ownStreams[kind] == nil {
                    connection.ownStreams[kind] = connection.quic.open(isUnidirectional: true)?.stream
                }
                guard let stream = connection.ownStreams[kind] else { continue }
                if offer(.own(kind), to: stream, of: connection) == .taken { connection.ownWaiting.remove(kind) }
            }
        }

        /// Sends what the state machine has written for a request. If QUIC does not take all of it, the exchange waits for an acknowledgement.
        private func sendOutput(_ exchange: HTTP3Exchange) {
            guard let id = exchange.id, let stream = exchange.stream else { return }
            switch offer(.request(id), to: stream, of: exchange.connection) {
            case .taken: break
            case .blocked: block(exchange)
            case .stopped:
                _ = exchange.connection.machine.receiveStop(of: .request(id), .noError)
                exchange.isWritten = true
            }
        }

        private enum Offer {
            case taken, blocked, stopped
        }

        private func offer(
            _ destination: HTTP3StateMachine.Destination, to stream: QUICConnection.Stream, of connection: HTTP3Connection
        ) -> Offer {
            while true {
                let movement: QUICConnection.Movement? = connection.machine.offer(destination) { bytes, isEnd in
                    let movement = connection.quic.write(bytes, to: stream, isEnd: isEnd)
                    if case .bytes(let count) = movement, count > 0 || bytes.isEmpty { return (movement, count) }
                    return (movement, nil)
                }
                switch movement {
                case nil: return .taken
                case .bytes(let count) where count > 0: continue
                // The end was taken, after which nothing waits.
                case .bytes, .end: return .taken
                case .reset: return .stopped
                // The next turn reports that the connection has ended.
                case .again, .failed: return .blocked
                }
            }
        }

        // MARK: Acknowledgements

        /// Lets the exchanges write for which the server has made room.
        func unblock(_ connection: HTTP3Connection) {
            for exchange in takeBlocked(connection) where exchange.stream != nil && connection.isOpen {
                sendOutput(exchange)
                enqueue(exchange)
            }
        }

        // MARK: Heads

        private func openStreams(_ connection: HTTP3Connection) {
            while let next = connection.unopened.first, connection.isOpen, connection.machine.canOpen {
                guard let (stream, number) = connection.quic.open(isUnidirectional: false) else {
                    connection.available = 0
                    return
                }
                connection.available -= 1
                connection.unopened.removeFirst()
                open(next, stream, number)
                perform(connection)
            }
        }

        private func open(_ exchange: HTTP3Exchange, _ stream: QUICConnection.Stream, _ number: UInt64) {
            let connection = exchange.connection
            guard let transfer = exchange.transfer else { return connection.quic.free(stream) }
            writeHead(of: exchange, transfer) { method, hasBody, fields in
                let id = connection.machine.open(number, method, hasBody: hasBody, fields)
                connection.assign(id, stream, to: exchange)
                return id
            }
        }

        func contentRoom(of exchange: HTTP3Exchange) -> Int {
            guard let id = exchange.id, let stream = exchange.stream, !exchange.isBlocked else { return 0 }
            let connection = exchange.connection
            let room = connection.machine.room(on: id)
            return connection.quic.unacknowledged(stream) < QUICConnection.maximumUnacknowledged ? room : 0
        }
    }
#endif
