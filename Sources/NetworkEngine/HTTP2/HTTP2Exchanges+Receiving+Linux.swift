#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints

    // Receiving over HTTP/2.
    extension HTTP2Exchanges {
        /// The number of events of one connection that are processed in one turn.
        private static let maximumEvents = 2048
        /// The number of bytes by which the windows of all streams may be opened beyond their first size.
        static let maximumGrownBytes = 64 << 20

        /// Handles a readiness event of a connection's socket, or continues after others had their turn.
        func react(_ connection: HTTP2Connection) {
            guard connection.isOpen else { return }
            receive(connection)
            touch(connection)
        }

        /// Reads and processes frames until the socket is empty, or others have to have their turn.
        func receive(_ connection: HTTP2Connection) {
            let input = context.workspace.takeReadBuffer()
            defer { context.workspace.giveBackReadBuffer() }
            var events = Self.maximumEvents
            var reads = 8
            while connection.isOpen {
                if !connection.unread.isEmpty {
                    let unread = connection.unread
                    connection.unread = []
                    unread.withUnsafeBytes { process($0, of: connection, &events) }
                    if connection.isReady { return }
                    continue
                }
                guard connection.mayRead else { return }
                guard reads > 0, context.turn.hasRoom else { return context.yieldToOthers(connection) }
                reads -= 1
                switch connection.receive(into: input) {
                case .withoutData: continue
                case .bytes(let count):
                    context.turn.take(count)
                    // A socket that returns fewer bytes than requested is empty.
                    connection.noteRead(count, of: input.count)
                    connection.liveness.noteArrival(at: context.now)
                    process(UnsafeRawBufferPointer(rebasing: input[..<count]), of: connection, &events)
                    if connection.isReady { return }
                case .again:
                    connection.mayRead = false
                    return
                case .end:
                    connection.hasEnded = true
                    return lose(connection, .closed(nil))
                case .failed(let failure): return lose(connection, .closed(failure))
                }
            }
        }

        private func process(_ bytes: UnsafeRawBufferPointer, of connection: HTTP2Connection, _ events: inout Int) {
            var offset = 0
            while connection.isOpen {
                guard events > 0 else {
                    connection.unread = Array(bytes[offset...])
                    return context.yieldToOthers(connection)
                }
                events -= 1
                switch connection.machine.next(bytes, at: &offset) {
                case .needsMore: return
                case .frame: break
                case .interim(let id, let status): receiveInterim(status, on: connection[id])
                case .head(let id, let status): receiveHead(status, on: connection[id])
                case .data(let id, let range):
                    receiveContent(UnsafeRawBufferPointer(rebasing: bytes[range]), on: connection[id])
                case .trailers(let id):
                    connection.machine.block.lines.withUnsafeBytes { connection[id]?.transfer?.exchange.head.append($0) }
                case .end(let id): receiveEnd(on: connection[id])
                case .reset(let id, let code): receiveReset(code, on: connection[id])
                case .failedStream(let id, let failure): fail(connection[id], failure)
                case .writable(nil): enqueueAll(of: connection)
                case .writable(let id?): if let exchange = connection[id] { enqueue(exchange) }
                case .settings:
                    enqueueAll(of: connection)
                    note(change: connection.key)
                case .pong:
                    connection.liveness.noteReply()
                    note(change: connection.key)
                case .goAway(let code): receiveGoAway(code, on: connection)
                case .failed(let failure): lose(connection, .violation(failure))
                }
            }
        }

        // MARK: Responses

        /// Notes that a part of a response has arrived.
        private func noteArrival(on transfer: LoopTransfer) {
            transfer.lastActivity = context.now
            if transfer.exchange.firstByte == 0 { transfer.exchange.firstByte = context.now }
        }

        private func receiveInterim(_ status: Int, on exchange: HTTP2Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            noteArrival(on: transfer)
            if status == 100, exchange.awaitsContinue { stopAwaitingContinue(exchange) }
            transfer.report(interim: status, ResponseHead(lines: exchange.connection.machine.block.lines, length: nil))
        }

        private func receiveHead(_ status: Int, on exchange: HTTP2Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            noteArrival(on: transfer)
            // The server has not received the body (RFC 9110 §10.1.1).
            if status == 417, exchange.awaitsContinue { return sendWithoutExpectation(exchange, transfer) }
            let block = exchange.connection.machine.block
            let head = ResponseHead(lines: block.lines, length: block.length)
            if exchange.isWebSocket, status < 300, transfer.download != nil {
                transfer.exchange.head = head
                transfer.exchange.status = status
                owner?.upgrade(exchange, transfer)
                return
            }
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

        private func sendWithoutExpectation(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            detach(exchange)
            reset(exchange, .cancel)
            transfer.request.headers.remove("Expect")
            sendAnew(transfer)
        }

        private func receiveContent(_ bytes: UnsafeRawBufferPointer, on exchange: HTTP2Exchange?) {
            guard let exchange else { return }
            if let upgrade = exchange.upgrade { return receive(bytes, for: upgrade, on: exchange) }
            guard let transfer = exchange.transfer else { return }
            transfer.lastActivity = context.now
            exchange.untaken += bytes.count
            // Bytes that were received earlier and are still held come first; those of a redirect wait for the decision about its head.
            guard !transfer.isReceivePaused, transfer.exchange.held.isEmpty, !transfer.exchange.isDecoderFull else {
                transfer.hold(bytes)
                return pause(exchange, transfer)
            }
            do throws(TransportError) {
                defer { transfer.reportProgress(context.now) }
                guard try transfer.receiveBody(bytes, context.workspace) else { return pause(exchange, transfer) }
            } catch {
                return end(transfer, .failure(error))
            }
            credit(exchange)
        }

        private func pause(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            transfer.isReceivePaused = true
            if let id = exchange.id { exchange.connection.machine.pause(id) }
        }

        /// Opens the window of a stream by the bytes that its reader has taken.
        func credit(_ exchange: HTTP2Exchange) {
            guard exchange.untaken > 0, let id = exchange.id, exchange.connection[id] === exchange else { return }
            let grown = exchange.connection.machine.take(
                exchange.untaken, of: id, mayGrow: grownBytes < Self.maximumGrownBytes)
            exchange.untaken = 0
            exchange.grown += grown
            grownBytes += grown
            touch(exchange.connection)
        }

        // MARK: Pauses

        /// Continues sending and receiving after a pause.
        func resume(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            // A redirect is followed without waiting for its body, which may never arrive.
            if transfer.exchange.isBodyUnwanted {
                detach(exchange)
                reset(exchange, .cancel)
                return finish(transfer)
            }
            if let failure = exchange.failure { return end(transfer, .failure(failure)) }
            enqueue(exchange)
            guard !transfer.isReceivePaused, deliverHeld(exchange, transfer) else { return }
            if transfer.exchange.isBodyComplete { complete(exchange, transfer) }
        }

        /// Delivers the bytes that are held.
        ///
        /// - Returns: `false` if the reader has no room, or the transfer has ended.
        private func deliverHeld(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) -> Bool {
            guard !transfer.exchange.held.isEmpty || transfer.exchange.isDecoderFull else { return true }
            do throws(TransportError) {
                guard try transfer.receiveHeld(context.workspace) else {
                    pause(exchange, transfer)
                    return false
                }
            } catch {
                end(transfer, .failure(error))
                return false
            }
            credit(exchange)
            return true
        }

        // MARK: The end of a response

        private func receiveEnd(on exchange: HTTP2Exchange?) {
            if let upgrade = exchange?.upgrade { return upgrade.streamDidEnd(nil) }
            guard let exchange, let transfer = exchange.transfer else { return }
            let connection = exchange.connection
            connection.resets = max(connection.resets - 1, 0)
            // A server may respond before it has read the whole request, the rest of which it does not need (RFC 9113 §8.1).
            if !exchange.isWritten, let id = exchange.id { connection.machine.reset(id, .cancel) }
            remove(exchange)
            transfer.exchange.isBodyComplete = true
            guard !transfer.isReceivePaused else { return }
            complete(exchange, transfer)
        }

        /// Completes a transfer whose response was received to its end and delivered.
        private func complete(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            do throws(TransportError) {
                try transfer.finishBody()
            } catch {
                return end(transfer, .failure(error))
            }
            detach(exchange)
            finish(transfer)
        }

        private func receiveReset(_ code: HTTP2ErrorCode, on exchange: HTTP2Exchange?) {
            if let upgrade = exchange?.upgrade {
                return upgrade.streamDidEnd(
                    TransportError(
                        .connectionLost, "the server has reset the stream with \(code.name) (RFC 9113 §7)", phase: .receive,
                        request: upgrade.request))
            }
            guard let exchange, let transfer = exchange.transfer else { return }
            remove(exchange)
            switch code {
            case .refusedStream:
                refuse(exchange, transfer, "the server has refused the stream (REFUSED_STREAM)")
            case .http11Required where transfer.exchange.firstByte == 0:
                sendOverHTTP1(exchange, transfer)
            case .noError where transfer.hasWholeBody:
                transfer.exchange.isBodyComplete = true
                if !transfer.isReceivePaused { complete(exchange, transfer) }
            default:
                let hasHead = transfer.exchange.head.isComplete
                let error = TransportError(
                    hasHead ? .incompleteBody : .connectionLost,
                    "the server has reset the stream with \(code.name) (RFC 9113 §7)",
                    phase: exchange.phase(of: transfer), request: transfer.request)
                fail(exchange, transfer, error)
            }
        }

        /// Ends a transfer whose response violates the protocol, or exceeds a limit. It is not sent again.
        private func fail(_ exchange: HTTP2Exchange?, _ failure: HTTP2Failure) {
            if let upgrade = exchange?.upgrade {
                return upgrade.streamDidEnd(failure.transportError(phase: .receive, upgrade.request))
            }
            guard let exchange, let transfer = exchange.transfer else { return }
            remove(exchange)
            fail(exchange, transfer, failure.transportError(phase: .receive, transfer.request))
        }

        /// Ends a transfer whose response cannot be completed. A redirect whose head has arrived may still be followed, which the driver decides.
        func fail(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer, _ error: TransportError) {
            guard transfer.exchange.undecided == nil else { return exchange.failure = error }
            end(transfer, .failure(error))
        }
    }

    extension LoopTransfer {
        /// Holds content that was received while the reader had no room.
        func hold(_ bytes: UnsafeRawBufferPointer) {
            exchange.bytesReceived += Int64(bytes.count)
            exchange.held.append(contentsOf: bytes)
        }

        /// Whether the body was received whole, judged by the announced length, although nothing marks its end.
        fileprivate var hasWholeBody: Bool {
            guard exchange.head.isComplete else { return false }
            if request.method == .head || exchange.status == 204 || exchange.status == 304 { return true }
            return exchange.head.length.value == exchange.bytesReceived
        }
    }

    extension HTTP2Failure {
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
