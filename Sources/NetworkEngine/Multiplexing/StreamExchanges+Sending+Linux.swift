#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    // Sending requests, of whichever version: heads first, then content, one frame of each stream after the other.
    extension StreamExchanges {
        /// Encodes the fields of a head or of trailers.
        typealias FieldEncoding = (inout Connection.Machine.HeadEncoder, inout [UInt8]) -> Void

        // MARK: Heads

        /// Writes the head of a request.
        ///
        /// - Parameter open: Opens the stream, assigns it to the exchange, and writes the fields.
        func writeHead(
            of exchange: Connection.Exchange, _ transfer: LoopTransfer,
            _ open: (_ method: ResponseReception.Method, _ hasBody: Bool, FieldEncoding)
                -> StreamID<Connection.Machine.StreamNumber>
        ) {
            let request = transfer.request
            let length = transfer.upload.length
            let hasContent = request.body.map { length != 0 || $0.trailers != nil } ?? exchange.isWebSocket
            var awaitsContinue = false
            let method: ResponseReception.Method = exchange.isWebSocket ? .connect : request.method == .head ? .head : .other
            let id = open(method, hasContent) { encoder, output in
                awaitsContinue = requestWriter.write(
                    request, bodyLength: length, cookie: transfer.cookies, isWebSocket: exchange.isWebSocket, with: &encoder,
                    to: &output)
            }
            if request.priority != .normal {
                exchange.connection.machine.writePriority(id, urgency: request.priority == .high ? 1 : 5)
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

        /// Sends the body without waiting for a 100 any longer.
        func stopAwaitingContinue(_ exchange: Connection.Exchange) {
            exchange.awaitsContinue = false
            enqueue(exchange)
        }

        // MARK: Content

        /// Lets an exchange write content, if it has some, in its turn.
        func enqueue(_ exchange: Connection.Exchange) {
            guard !exchange.isSender, !exchange.isWritten, !exchange.awaitsContinue, exchange.id != nil else { return }
            exchange.isSender = true
            exchange.connection.senders.append(exchange)
            touch(exchange.connection)
        }

        /// Lets an exchange wait until the server makes room for content: it opens a window, or acknowledges bytes.
        func block(_ exchange: Connection.Exchange) {
            guard !exchange.isBlocked else { return }
            exchange.isBlocked = true
            exchange.connection.blocked.append(exchange)
        }

        /// Removes and returns the exchanges that wait for room, of which there may be some. Each that finds none is last the next time, so that all
        /// have their share of a window that opens in small steps.
        func takeBlocked(_ connection: Connection) -> [Connection.Exchange] {
            let blocked = connection.blocked
            if !blocked.isEmpty { connection.blocked = [] }
            for exchange in blocked { exchange.isBlocked = false }
            return blocked
        }

        /// Lets an exchange that has ended wait no longer.
        func unblock(_ exchange: Connection.Exchange) {
            guard exchange.isBlocked else { return }
            exchange.isBlocked = false
            exchange.connection.blocked.removeAll { $0 === exchange }
        }

        /// Writes a frame of content of the exchange that is first, and puts the exchange at the end of the list if there may be more.
        func writeNextContent(_ connection: Connection) {
            let exchange = connection.senders.removeFirst()
            exchange.isSender = false
            if let upgrade = exchange.upgrade { return upgrade.flush(isWritable: true) }
            guard let transfer = exchange.transfer, let id = exchange.id, !exchange.isWritten, let body = transfer.request.body,
                connection[id] === exchange
            else { return }
            let room = contentRoom(of: exchange)
            guard room > 0 else { return block(exchange) }
            if body.trailers == nil, let data = body.data {
                let offset = exchange.writtenBody
                let count = min(room, data.count - offset)
                connection.machine.writeContent(id, upTo: count) { buffer in
                    let start = data.startIndex + offset
                    data.copyBytes(to: buffer, from: start..<start + count)
                    return (count, offset + count == data.count)
                }
                exchange.writtenBody += count
                return noteContent(exchange, transfer, isEnd: exchange.writtenBody == data.count)
            }
            var reading = RequestBodyPipe.Reading.wait
            connection.machine.writeContent(id, upTo: room) { buffer in
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
                connection.machine.writeTrailers(id) { encoder, output in
                    requestWriter.write(trailers: transfer.upload.trailers, with: &encoder, to: &output)
                }
                noteContent(exchange, transfer, isEnd: true)
            case .failed:
                let failure =
                    transfer.failure ?? TransportError(.bodyFailed, "the body failed", phase: .send, request: transfer.request)
                end(transfer, .failure(failure))
            }
        }

        private func noteContent(_ exchange: Connection.Exchange, _ transfer: LoopTransfer, isEnd: Bool) {
            transfer.lastActivity = context.now
            transfer.reportProgress(context.now)
            guard isEnd else { return enqueue(exchange) }
            exchange.isWritten = true
            transfer.exchange.sentAt = context.now
        }
    }
#endif
