#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints

    // Receiving over HTTP/3.
    extension HTTP3Exchanges {
        /// The number of bytes of one stream that are read in one turn.
        private static let turnBytes = 64 << 10
        /// The number of streams of the server that are accepted in one turn.
        private static let maximumAccepted = 32

        /// Gives a connection a turn: receives and sends datagrams, and processes what has arrived.
        func react(_ connection: HTTP3Connection) {
            guard connection.isOpen, !connection.isReceiving else { return }
            connection.isReceiving = true
            defer { connection.isReceiving = false }
            let result = connection.quic.turn()
            connection.emptyTurns = connection.quic.hasMoved ? 0 : connection.emptyTurns + 1
            if connection.quic.received > 0 { connection.lastReceived = context.now }
            guard result == .ready else { return lose(connection, .closed(nil)) }
            var hasMore = connection.quic.hasMore
            accept(connection)
            if connection.isOpen, receive(connection) { hasMore = true }
            guard connection.isOpen else { return }
            perform(connection)
            unblock(connection)
            connection.available = connection.quic.availableStreams
            note(change: connection.key)
            if hasMore { context.yieldToOthers(connection) }
            touch(connection)
        }

        /// Accepts the streams that the server has opened.
        private func accept(_ connection: HTTP3Connection) {
            for _ in 0..<Self.maximumAccepted {
                guard connection.isOpen, let (stream, number) = connection.quic.accept() else { return }
                connection.peerStreams.append((number, stream))
                process(connection.machine.accept(number), UnsafeRawBufferPointer(start: nil, count: 0), of: connection)
            }
        }

        /// Reads the streams on which something has arrived.
        ///
        /// - Returns: Whether there may be more.
        private func receive(_ connection: HTTP3Connection) -> Bool {
            let quic = connection.quic
            let peers = connection.peerStreams
            let exchanges = connection.open.values.filter { $0.stream != nil && !(isHeld($0) && $0.isWritten) }
            quic.beginPolling()
            for peer in peers { quic.poll(peer.stream, for: .readable) }
            for exchange in exchanges {
                guard let stream = exchange.stream else { continue }
                var events: QUICConnection.Events = []
                if !isHeld(exchange) { events.insert(.readable) }
                if !exchange.isWritten { events.insert(.stopped) }
                quic.poll(stream, for: events)
            }
            guard quic.endPolling() else { return false }
            if quic.events(at: 0).contains(.closed) {
                lose(connection, .closed(nil))
                return false
            }
            let results = (0..<peers.count + exchanges.count).map { quic.events(at: $0 + 1) }
            var hasMore = false
            for (peer, events) in zip(peers, results) where !events.isEmpty {
                guard connection.isOpen else { return false }
                if read(peer.stream, peer.number, of: connection, nil) { hasMore = true }
            }
            for (exchange, events) in zip(exchanges, results[peers.count...]) where !events.isEmpty {
                guard connection.isOpen else { return false }
                if events.contains(.stopped), !exchange.isWritten, let id = exchange.id {
                    process(
                        connection.machine.receiveStop(of: .request(id), .noError), UnsafeRawBufferPointer(start: nil, count: 0),
                        of: connection)
                }
                // An earlier one may have ended this one.
                guard connection.isOpen, let stream = exchange.stream, let id = exchange.id,
                    !events.isDisjoint(with: .readable), !isHeld(exchange)
                else { continue }
                if read(stream, id.number, of: connection, exchange) { hasMore = true }
            }
            return hasMore
        }

        /// Whether a response is not read at the moment: its reader has no room, or the driver decides about a redirect.
        private func isHeld(_ exchange: HTTP3Exchange) -> Bool { exchange.transfer?.isReceivePaused ?? false }

        /// Reads a stream, up to the limit of a turn.
        ///
        /// - Returns: Whether there may be more.
        private func read(
            _ stream: QUICConnection.Stream, _ number: UInt64, of connection: HTTP3Connection, _ exchange: HTTP3Exchange?
        ) -> Bool {
            let whole = context.workspace.takeReadBuffer()
            defer { context.workspace.giveBackReadBuffer() }
            let input = UnsafeMutableRawBufferPointer(rebasing: whole[..<min(whole.count, Self.turnBytes)])
            var budget = Self.turnBytes
            /// Whether the stream is still there.
            func isOpen() -> Bool {
                guard connection.isOpen else { return false }
                return exchange.map { $0.stream == stream } ?? connection.peerStreams.contains { $0.number == number }
            }
            while isOpen(), !(exchange.map(isHeld) ?? false) {
                guard budget > 0, context.turn.hasRoom else { return true }
                let count: Int
                var isEnd = false
                switch connection.quic.read(stream, into: input) {
                case .bytes(let number): count = number
                case .again: return false
                case .end:
                    count = 0
                    isEnd = true
                case .reset(let code):
                    exchange?.hasEnded = true
                    let event = connection.machine.receiveReset(of: number, HTTP3ErrorCode(rawValue: code))
                    if exchange == nil { free(peer: number, of: connection) }
                    process(event, UnsafeRawBufferPointer(start: nil, count: 0), of: connection)
                    return false
                case .failed:
                    lose(connection, .closed(nil))
                    return false
                }
                budget -= count
                context.turn.take(count)
                if isEnd { exchange?.hasEnded = true }
                let bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
                var offset = 0
                while isOpen() {
                    let event = connection.machine.next(bytes, at: &offset, isEnd: isEnd, of: number)
                    if event == .needsMore { break }
                    process(event, bytes, of: connection)
                }
                if isEnd {
                    if exchange == nil, connection.isOpen { free(peer: number, of: connection) }
                    return false
                }
            }
            return false
        }

        /// Stops reading a unidirectional stream of the server.
        func free(peer number: UInt64, of connection: HTTP3Connection) {
            guard let index = connection.peerStreams.firstIndex(where: { $0.number == number }) else { return }
            connection.quic.free(connection.peerStreams.remove(at: index).stream)
        }

        private func process(
            _ event: HTTP3StateMachine.Event, _ bytes: UnsafeRawBufferPointer, of connection: HTTP3Connection
        ) {
            switch event {
            case .needsMore, .frame, .settings: break
            case .interim(let id, let status): receiveInterim(status, on: connection[id])
            case .head(let id, let status): receiveHead(status, on: connection[id])
            case .data(let id, let range):
                receiveContent(UnsafeRawBufferPointer(rebasing: bytes[range]), on: connection[id])
            case .trailers(let id): receiveTrailers(on: connection[id])
            case .end(let id): receiveEnd(on: connection[id])
            case .reset(let id, let code, let isUnprocessed):
                // What was received and not read takes room in the window of the connection, as after a cancellation.
                if connection[id]?.transfer?.exchange.firstByte ?? 0 != 0 { connection.isRetired = true }
                receiveReset(StreamReset(code, isUnprocessed: isUnprocessed), on: connection[id])
            case .stopped(let id, _): receiveStop(on: connection[id])
            case .failedStream(let id, let failure): fail(connection[id], failure)
            case .goAway: receiveGoAway(on: connection, "the server has ended the connection (GOAWAY)")
            case .failed(let failure): lose(connection, .violation(failure))
            }
        }

        // MARK: Pauses

        func pauseReceiving(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            // A redirect pauses until the driver has decided, which is soon.
            if transfer.exchange.undecided == nil, exchange.stream != nil { exchange.connection.setPaused(exchange, true) }
        }

        func resumeReceiving(_ exchange: HTTP3Exchange) {
            let connection = exchange.connection
            connection.setPaused(exchange, false)
            note(change: connection.key)
            // What has arrived meanwhile is read.
            if connection.isOpen { context.yieldToOthers(connection) }
        }

        // If the body has arrived, the connection stays usable.
        func dropBody(of exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            let connection = exchange.connection
            guard let stream = exchange.stream, let id = exchange.id, connection.isOpen, !connection.isReceiving else { return }
            transfer.exchange.held = []
            transfer.exchange.isDecoderFull = false
            connection.isReceiving = true
            defer { connection.isReceiving = false }
            _ = read(stream, id.number, of: connection, exchange)
        }

        // MARK: The end of a request

        private func receiveStop(on exchange: HTTP3Exchange?) {
            guard let exchange else { return }
            exchange.isWritten = true
            exchange.awaitsContinue = false
            if let transfer = exchange.transfer, transfer.exchange.sentAt == 0 { transfer.exchange.sentAt = context.now }
        }
    }

    extension StreamReset {
        fileprivate init(_ code: HTTP3ErrorCode, isUnprocessed: Bool) {
            let meaning: Meaning =
                switch code {
                case _ where isUnprocessed: .unprocessed
                case .versionFallback: .needsHTTP1
                case .noError: .noError
                default: .failed
                }
            self.init(meaning: meaning, name: code.name, section: "RFC 9114 §8.1")
        }
    }
#endif
