#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    // Sending over HTTP/2: heads first, then content, one frame of each stream after the other.
    extension HTTP2Exchanges {
        /// From how many bytes on what was written is sent before more is written.
        private static let batchBytes = 64 << 10

        /// Writes and sends as much as possible without blocking.
        func send(_ connection: HTTP2Connection) {
            // Limits the writes per call, so that a peer that reads without pause does not delay other connections.
            for _ in 0..<64 {
                write(connection)
                guard connection.mayWrite, connection.sendFailure == nil, !connection.machine.output.isEmpty else { return }
                let movement: SocketConnection.Movement = connection.machine.output.offer { bytes in
                    let movement = connection.send(bytes)
                    if case .bytes(let count) = movement { return (movement, count) }
                    return (movement, 0)
                }
                switch movement {
                case .bytes(let count): connection.sentBytes += UInt64(count)
                case .again, .withoutData: connection.mayWrite = false
                case .end: return failSending(connection, .system(EPIPE))
                case .failed(let failure): return failSending(connection, failure)
                }
            }
            context.yieldToOthers(connection)
        }

        /// Handles a failed send. What the server has sent before it closed the connection is still received.
        private func failSending(_ connection: HTTP2Connection, _ failure: SocketConnection.Failure) {
            connection.sendFailure = failure
            connection.mayRead = true
            connection.hasEnded = true
            context.yieldToOthers(connection)
        }

        /// Writes heads and content, as far as the server permits them and there is not enough to send.
        private func write(_ connection: HTTP2Connection) {
            while let next = connection.unopened.first, connection.machine.canOpen, hasRoom(connection) {
                if next.isWebSocket {
                    // Its settings say whether the server opens tunnels.
                    guard connection.machine.hasSettings else { break }
                    guard connection.machine.permitsConnectProtocol else {
                        refuseTunnel(next)
                        continue
                    }
                }
                connection.unopened.removeFirst()
                open(next, on: connection)
            }
            while !connection.senders.isEmpty, hasRoom(connection) {
                let exchange = connection.senders.removeFirst()
                exchange.isSender = false
                writeContent(exchange)
            }
        }

        func hasRoom(_ connection: HTTP2Connection) -> Bool {
            connection.isOpen && connection.machine.output.count < Self.batchBytes
        }

        // MARK: Heads

        private func open(_ exchange: HTTP2Exchange, on connection: HTTP2Connection) {
            guard let transfer = exchange.transfer else { return }
            let request = transfer.request
            let length = transfer.upload.length
            let hasContent = request.body.map { length != 0 || $0.trailers != nil } ?? exchange.isWebSocket
            let method: HTTP2Stream.Method = exchange.isWebSocket ? .connect : request.method == .head ? .head : .other
            var awaitsContinue = false
            exchange.start = connection.writtenBytes
            let id = connection.machine.open(method, hasBody: hasContent) { encoder, output in
                awaitsContinue = requestWriter.write(
                    request, bodyLength: length, cookie: transfer.cookies, isWebSocket: exchange.isWebSocket, with: &encoder,
                    to: &output)
            }
            connection.assign(id, to: exchange)
            if request.priority != .normal {
                connection.machine.writePriority(id, urgency: request.priority == .high ? 1 : 5)
            }
            transfer.lastActivity = context.now
            guard hasContent, !exchange.isWebSocket else {
                exchange.isWritten = !hasContent
                transfer.exchange.sentAt = context.now
                return
            }
            exchange.awaitsContinue = awaitsContinue
            guard awaitsContinue else { return enqueue(exchange) }
            transfer.timeLimits.continuation = context.now &+ 1_000_000_000
            schedule(transfer, at: transfer.timeLimits.continuation)
        }

        private func refuseTunnel(_ exchange: HTTP2Exchange) {
            guard let transfer = exchange.transfer else { return remove(exchange) }
            let error = TransportError(
                .unsupported, "Upgrade: the server opens no WebSockets over HTTP/2 (RFC 8441)", phase: .queued,
                request: transfer.request)
            end(transfer, .failure(error))
        }

        /// Sends the body without waiting for a 100 any longer.
        func stopAwaitingContinue(_ exchange: HTTP2Exchange) {
            exchange.awaitsContinue = false
            enqueue(exchange)
        }

        // MARK: Content

        /// Lets an exchange write content, if it has some, in its turn.
        func enqueue(_ exchange: HTTP2Exchange) {
            guard !exchange.isSender, !exchange.isWritten, !exchange.awaitsContinue, exchange.id != nil else { return }
            exchange.isSender = true
            exchange.connection.senders.append(exchange)
            touch(exchange.connection)
        }

        /// Lets all exchanges of a connection write content.
        func enqueueAll(of connection: HTTP2Connection) {
            connection.forEachOpen { if !$0.isWritten { enqueue($0) } }
        }

        /// Writes one frame of content, and puts the exchange at the end of the list if there may be more.
        private func writeContent(_ exchange: HTTP2Exchange) {
            if let upgrade = exchange.upgrade { return upgrade.flush(isWritable: true) }
            guard let transfer = exchange.transfer, let id = exchange.id, !exchange.isWritten, let body = transfer.request.body,
                exchange.connection[id] === exchange
            else { return }
            let room = exchange.connection.machine.room(on: id)
            if body.trailers == nil, let data = body.data {
                let offset = exchange.writtenBody
                let count = min(room, data.count - offset)
                // An event reports when the window is open again.
                guard count > 0 || offset == data.count else { return }
                exchange.connection.machine.writeContent(id, upTo: count) { buffer in
                    let start = data.startIndex + offset
                    data.copyBytes(to: buffer, from: start..<start + count)
                    return (count, offset + count == data.count)
                }
                exchange.writtenBody += count
                return noteContent(exchange, transfer, isEnd: exchange.writtenBody == data.count)
            }
            guard room > 0 else { return }
            var reading = RequestBodyPipe.Reading.wait
            exchange.connection.machine.writeContent(id, upTo: room) { buffer in
                reading = transfer.readBody(body, into: buffer)
                switch reading {
                case .bytes(let count): return (count, false)
                case .end: return (0, transfer.upload.trailers.isEmpty)
                case .wait, .failed: return (0, false)
                }
            }
            switch reading {
            case .bytes: noteContent(exchange, transfer, isEnd: false)
            case .wait: break
            case .end:
                exchange.connection.machine.writeTrailers(id) { encoder, output in
                    requestWriter.write(trailers: transfer.upload.trailers, with: &encoder, to: &output)
                }
                noteContent(exchange, transfer, isEnd: true)
            case .failed:
                let failure =
                    transfer.failure ?? TransportError(.bodyFailed, "the body failed", phase: .send, request: transfer.request)
                end(transfer, .failure(failure))
            }
        }

        private func noteContent(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer, isEnd: Bool) {
            transfer.lastActivity = context.now
            transfer.reportProgress(context.now)
            guard isEnd else { return enqueue(exchange) }
            exchange.isWritten = true
            transfer.exchange.sentAt = context.now
        }
    }
#endif
