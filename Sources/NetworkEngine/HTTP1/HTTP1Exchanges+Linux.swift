#if os(Linux)
    import NetworkTransport
    import Endpoints
    import Foundation
    import NetworkSupport

    /// What HTTP/1.1 exchanges ask of their event loop.
    protocol HTTP1ExchangeOwner: TransferOwner {
        /// Keeps a connection for the next request, or closes it.
        ///
        /// - Parameter seconds: How long the server keeps the connection open (`Keep-Alive: timeout`); `nil` if it does not say.
        func keep(_ connection: SocketConnection, serverSeconds seconds: Int?)
        /// Closes a connection that no request uses any more.
        func close(_ connection: SocketConnection, _ reason: ConnectionEvent.Reason)
        /// Closes an idle connection that the server has ended.
        func closeIdle(_ connection: HTTP1Connection)
        /// Switches a connection to another protocol, after a response with status 101.
        ///
        /// - Parameter unread: The bytes that were received after the head.
        func upgrade(_ connection: HTTP1Connection, _ transfer: LoopTransfer, unread: UnsafeRawBufferPointer)
    }

    /// Performs the exchanges of an event loop over HTTP/1.1, each on an established connection: sends the request, and receives the response.
    ///
    /// Used only while the lock of the loop is held.
    final class HTTP1Exchanges: TransferCarrying {
        let context: LoopContext
        private let requestWriter: HTTP1RequestWriter
        /// The event loop, which owns this.
        unowned(unsafe) var owner: (any HTTP1ExchangeOwner)?
        var transferOwner: (any TransferOwner)? { owner }

        init(_ context: LoopContext, _ requestWriter: HTTP1RequestWriter) {
            self.context = context
            self.requestWriter = requestWriter
        }

        func close(_ connection: HTTP1Connection, _ reason: ConnectionEvent.Reason) {
            owner?.close(connection, reason)
        }

        /// Starts sending a request on an established connection.
        func begin(_ transfer: LoopTransfer, on connection: HTTP1Connection, isReused: Bool) {
            context.watch(connection)
            if isReused { context.events?.send(.reused, connection.key.origin) }
            connection.uses += 1
            connection.transfer = transfer
            transfer.carrier = connection
            transfer.exchange.connectionTimings = ConnectionTimings(
                readyAt: context.now, connecting: isReused ? nil : connection.timings, isReused: isReused,
                protocolName: "http/1.1",
                serverAddress: connection.serverAddress)
            transfer.lastActivity = context.now
            transfer.exchange.sentAt = 0
            write(transfer, to: connection)
            schedule(
                transfer,
                at: connection.sending.awaitsContinue
                    ? transfer.timeLimits.continuation
                    : context.now &+ transfer.timeLimits.idleNanoseconds / (transfer.isLargeUpload ? 2 : 1))
            advance(connection)
        }

        private func write(_ transfer: LoopTransfer, to connection: HTTP1Connection) {
            let request = transfer.request
            let cookie = transfer.cookies
            connection.sending.reset()
            var head = HTTP1SentHead()
            var copied = 0
            // Trailers need chunks, even if the length is known (RFC 9112 §7.1.2).
            let body = request.hasBody ? request.body : nil
            let hasTrailers = body?.trailers != nil
            connection.sending.begin { buffer in
                head = requestWriter.appendHead(
                    of: request, bodyLength: hasTrailers ? nil : transfer.upload.length, target: connection.target,
                    cookie: cookie, to: &buffer)
                // A small body is sent together with the head, in one packet.
                if !hasTrailers, let data = body?.data, data.count <= HTTP1Sending.copiedBytes, !head.expectsContinue {
                    buffer.append(contentsOf: data)
                    copied = data.count
                }
            }
            connection.sending.head = head
            connection.sending.copiedBody = copied
            connection.sending.awaitsContinue = head.expectsContinue
            transfer.timeLimits.continuation = context.now &+ 1_000_000_000
            if transfer.isLargeUpload { connection.limitUnsentBytes() }
            if let body {
                if !hasTrailers, let data = body.data {
                    if copied == 0, !data.isEmpty { connection.sending.data = data }
                } else {
                    connection.sending.isStreamed = true
                }
            }
            connection.parser = HTTP1ResponseParser(
                isHead: request.method == .head, expectsUpgrade: head.expectsUpgrade,
                maximumHeaderBytes: context.configuration.maximumHeaderBytes,
                maximumHeaderFields: context.configuration.maximumHeaderFields)
            connection.unread = nil
        }

        /// Handles a readiness event of a connection's socket.
        func react(_ connection: HTTP1Connection, _ readiness: EpollSet.Readiness) {
            connection.note(readiness)
            guard connection.isOpen else { return }
            if connection.transfer != nil { return advance(connection) }
            if let upgrade = connection.upgrade { return upgrade.connectionIsReady(isWritable: readiness.mayWrite) }
            // The connection is idle: no data is expected, but TLS may send its own messages.
            guard readiness.mayRead else { return }
            connection.mayRead = false
            guard !connection.isUsable else { return }
            owner?.closeIdle(connection)
        }

        /// Sends and receives as much as possible without blocking.
        func advance(_ connection: HTTP1Connection) {
            send(connection)
            if connection.transfer != nil { receive(connection) }
        }

        // MARK: Sending

        func send(_ connection: HTTP1Connection) {
            guard let transfer = connection.transfer, !connection.sending.isComplete, !connection.sending.hasFailed else {
                return
            }
            while connection.mayWrite {
                if connection.sending.hasBytes {
                    switch connection.sending.offer(connection.send) {
                    case .bytes(let count):
                        connection.sending.take(count)
                        transfer.lastActivity = context.now
                        if transfer.request.hasBody { transfer.reportProgress(context.now) }
                    case .again, .withoutData:
                        connection.mayWrite = false
                    case .end:
                        return failSending(connection, transfer, .system(EPIPE))
                    case .failed(let failure):
                        return failSending(connection, transfer, failure)
                    }
                    continue
                }
                if connection.sending.awaitsContinue { return }
                guard connection.sending.isStreamed, !transfer.upload.isSent, let content = transfer.request.body else {
                    connection.sending.isComplete = true
                    transfer.exchange.sentAt = context.now
                    return
                }
                guard fill(connection, transfer, content) else { return }
            }
        }

        /// Reads the next piece of a body that comes from a file or a sequence into the send buffer.
        ///
        /// - Returns: `false` if no piece is available yet, or the transfer has ended.
        private func fill(_ connection: HTTP1Connection, _ transfer: LoopTransfer, _ content: NetworkBody) -> Bool {
            if !connection.sending.head.isChunked, let chunk = transfer.takeLargeChunk() {
                connection.sending.refill(with: chunk)
                return true
            }
            var reading = RequestBodyPipe.Reading.wait
            _ = connection.sending.refill { buffer in
                reading = transfer.readBody(content, into: buffer)
                if case .bytes(let count) = reading { return count }
                return 0
            }
            switch reading {
            case .bytes: return true
            case .wait: return false
            case .end:
                if connection.sending.head.isChunked { connection.sending.putEnd(transfer.upload.trailers) }
                return true
            case .failed:
                let failure =
                    transfer.failure ?? TransportError(.bodyFailed, "the body failed", phase: .send, request: transfer.request)
                end(transfer, .failure(failure))
                return false
            }
        }

        /// Handles a failed send. If the server responded before it closed the connection, the response is still used (RFC 9112
        /// §9.5).
        private func failSending(_ connection: HTTP1Connection, _ transfer: LoopTransfer, _ failure: HTTP1Connection.Failure) {
            connection.sending.hasFailed = true
            // Nothing was sent, so the server cannot have processed the request: any method may be sent again on another
            // connection.
            if !connection.sending.hasBegun, connection.wasIdle, transfer.mayRepeat(after: .unprocessed) {
                return launchAnew(transfer, insteadOf: connection)
            }
            connection.sendFailure = failure
            connection.mayRead = true
            connection.hasEnded = true
        }

        private func launchAnew(_ transfer: LoopTransfer, insteadOf connection: HTTP1Connection) {
            detach(transfer, from: connection)
            owner?.close(connection, .server)
            transfer.stopBodyWriter()
            transfer.sending.useFreshConnection()
            transfer.timeLimits.connect =
                context.now &+ (transfer.request.timeouts.connect ?? context.configuration.connectTimeout).boundedNanoseconds
            launch(transfer)
        }
    }
#endif
