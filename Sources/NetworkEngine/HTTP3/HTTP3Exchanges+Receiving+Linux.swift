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
            guard result == .ready else { return lose(connection, .closed) }
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
                lose(connection, .closed)
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
                    lose(connection, .closed)
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
            case .trailers(let id):
                connection.machine.block.lines.withUnsafeBytes { connection[id]?.transfer?.exchange.head.append($0) }
            case .end(let id): receiveEnd(on: connection[id])
            case .reset(let id, let code, let isUnprocessed): receiveReset(code, isUnprocessed, on: connection[id])
            case .stopped(let id, _): receiveStop(on: connection[id])
            case .failedStream(let id, let failure): fail(connection[id], failure)
            case .goAway: receiveGoAway(on: connection)
            case .failed(let failure): lose(connection, .violation(failure))
            }
        }

        // MARK: Responses

        /// Notes that a part of a response has arrived.
        private func noteArrival(on transfer: LoopTransfer) {
            transfer.lastActivity = context.now
            if transfer.exchange.firstByte == 0 { transfer.exchange.firstByte = context.now }
        }

        private func receiveInterim(_ status: Int, on exchange: HTTP3Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            noteArrival(on: transfer)
            if status == 100, exchange.awaitsContinue { stopAwaitingContinue(exchange) }
            transfer.report(interim: status, ResponseHead(lines: exchange.connection.machine.block.lines, length: nil))
        }

        private func receiveHead(_ status: Int, on exchange: HTTP3Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            noteArrival(on: transfer)
            // The server has not received the body (RFC 9110 §10.1.1).
            if status == 417, exchange.awaitsContinue {
                detach(exchange)
                reset(exchange, .requestCancelled)
                transfer.request.headers.remove("Expect")
                return sendAnew(transfer)
            }
            let block = exchange.connection.machine.block
            let head = ResponseHead(lines: block.lines, length: block.length)
            do throws(TransportError) {
                try transfer.receiveHead(
                    head, status: status,
                    content: ContentForm(
                        length: block.length, encoding: block.hasContentEncoding ? head.value(for: "content-encoding") : nil),
                    at: context.now)
            } catch {
                end(transfer, .failure(error))
            }
        }

        private func receiveContent(_ bytes: UnsafeRawBufferPointer, on exchange: HTTP3Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            transfer.lastActivity = context.now
            // Bytes that were received earlier and are still held come first; those of a redirect wait for the decision about its head.
            guard !transfer.isReceivePaused, transfer.exchange.held.isEmpty, !transfer.exchange.isDecoderFull else {
                transfer.hold(bytes)
                return pause(exchange, transfer)
            }
            do throws(TransportError) {
                defer { transfer.reportProgress(context.now) }
                guard try transfer.receiveBody(bytes, context.workspace) else { return pause(exchange, transfer) }
            } catch {
                end(transfer, .failure(error))
            }
        }

        private func pause(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            transfer.isReceivePaused = true
            // A redirect pauses until the driver has decided, which is soon.
            if transfer.exchange.undecided == nil, exchange.stream != nil { exchange.connection.setPaused(exchange, true) }
        }

        // MARK: Pauses

        /// Continues sending and receiving after a pause.
        func resume(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            // A redirect is followed without waiting for its body, which may never arrive. If it has, the connection stays usable.
            if transfer.exchange.isBodyUnwanted {
                drop(exchange, transfer)
                guard exchange.transfer === transfer else { return }
                detach(exchange)
                reset(exchange, .requestCancelled)
                return finish(transfer)
            }
            if let failure = exchange.failure { return end(transfer, .failure(failure)) }
            enqueue(exchange)
            guard !transfer.isReceivePaused, deliverHeld(exchange, transfer) else { return }
            if transfer.exchange.isBodyComplete { return complete(exchange, transfer) }
            let connection = exchange.connection
            connection.setPaused(exchange, false)
            note(change: connection.key)
            // What has arrived meanwhile is read.
            if connection.isOpen { context.yieldToOthers(connection) }
        }

        /// Reads what has arrived of a body that is not needed, which completes the transfer if that is all.
        private func drop(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            let connection = exchange.connection
            guard let stream = exchange.stream, let id = exchange.id, connection.isOpen, !connection.isReceiving else { return }
            transfer.exchange.held = []
            transfer.exchange.isDecoderFull = false
            connection.isReceiving = true
            defer { connection.isReceiving = false }
            _ = read(stream, id.number, of: connection, exchange)
        }

        /// Delivers the bytes that are held.
        ///
        /// - Returns: `false` if the reader has no room, or the transfer has ended.
        private func deliverHeld(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) -> Bool {
            guard !transfer.exchange.held.isEmpty || transfer.exchange.isDecoderFull else { return true }
            do throws(TransportError) {
                if try transfer.receiveHeld(context.workspace) { return true }
                pause(exchange, transfer)
            } catch {
                end(transfer, .failure(error))
            }
            return false
        }

        // MARK: The end of a response

        private func receiveEnd(on exchange: HTTP3Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            // A server may respond before it has read the whole request, the rest of which it does not need (RFC 9114 §4.1).
            reset(exchange, .noError)
            transfer.exchange.isBodyComplete = true
            guard !transfer.isReceivePaused else { return }
            complete(exchange, transfer)
        }

        /// Completes a transfer whose response was received to its end and delivered.
        private func complete(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            do throws(TransportError) {
                try transfer.finishBody()
            } catch {
                return end(transfer, .failure(error))
            }
            detach(exchange)
            finish(transfer)
        }

        private func receiveStop(on exchange: HTTP3Exchange?) {
            guard let exchange else { return }
            exchange.isWritten = true
            exchange.awaitsContinue = false
            if let transfer = exchange.transfer, transfer.exchange.sentAt == 0 { transfer.exchange.sentAt = context.now }
        }

        private func receiveReset(_ code: HTTP3ErrorCode, _ isUnprocessed: Bool, on exchange: HTTP3Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            // What was received and not read takes room in the window of the connection, as after a cancellation.
            if transfer.exchange.firstByte != 0 { exchange.connection.isRetired = true }
            remove(exchange)
            if isUnprocessed {
                return refuse(exchange, transfer, "the server has refused the request (H3_REQUEST_REJECTED)")
            }
            if code == .versionFallback, transfer.exchange.firstByte == 0 { return fallBack(exchange, transfer) }
            let hasHead = transfer.exchange.head.isComplete
            let error = TransportError(
                hasHead ? .incompleteBody : .connectionLost,
                "the server has reset the stream with \(code.name) (RFC 9114 §8.1)", phase: exchange.phase(of: transfer),
                request: transfer.request)
            fail(exchange, transfer, error)
        }

        /// Ends a transfer whose response violates the protocol, or exceeds a limit. It is not sent again.
        private func fail(_ exchange: HTTP3Exchange?, _ failure: HTTP3Failure) {
            guard let exchange, let transfer = exchange.transfer else { return }
            remove(exchange)
            fail(exchange, transfer, failure.transportError(phase: .receive, transfer.request))
        }

        /// Ends a transfer whose response cannot be completed. A redirect whose head has arrived may still be followed, which the driver decides.
        func fail(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer, _ error: TransportError) {
            guard transfer.exchange.undecided == nil else { return exchange.failure = error }
            end(transfer, .failure(error))
        }
    }

    extension HTTP3Failure {
        func transportError(phase: TransportError.Phase, _ request: NetworkRequest) -> TransportError {
            let code: TransportError.Code =
                switch kind {
                case .violation: .malformedResponse
                case .limit: .headersTooLarge
                case .truncation: .incompleteBody
                }
            return TransportError(code, message, phase: phase, request: request)
        }
    }
#endif
