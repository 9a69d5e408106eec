#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints

    // Receiving HTTP/1.1 responses, and reusing or closing the connection at the end of an exchange.
    extension HTTP1Exchanges {
        /// Reads and parses the response until the socket is empty, the reader's pipe is full, or the exchange has ended.
        func receive(_ connection: HTTP1Connection) {
            let buffer = context.workspace.takeReadBuffer()
            defer { context.workspace.giveBackReadBuffer() }
            // Limits the reads per call, so that a server that sends without pause does not delay other connections.
            var reads = 8
            while connection.isOpen, let transfer = connection.transfer, !transfer.isReceivePaused {
                if !transfer.exchange.held.isEmpty || transfer.exchange.isDecoderFull {
                    guard receiveHeld(connection, transfer) else { return }
                }
                if let unread = connection.unread {
                    connection.unread = nil
                    unread.withUnsafeBytes { parse(connection, transfer, $0) }
                    if connection.isReady { return }
                    continue
                }
                guard connection.mayRead else { return }
                // At most one read is buffered beyond the capacity of the reader's pipe.
                if transfer.isStreaming, transfer.download?.hasRoom == false {
                    transfer.isReceivePaused = true
                    return
                }
                guard reads > 0, context.turn.hasRoom else { return context.yieldToOthers(connection) }
                reads -= 1
                switch connection.receive(into: buffer) {
                case .withoutData: continue
                case .bytes(let count):
                    context.turn.take(count)
                    // A socket that returns fewer bytes than requested is empty.
                    connection.noteRead(count, of: buffer.count)
                    transfer.lastActivity = context.now
                    if transfer.exchange.firstByte == 0 { transfer.exchange.firstByte = context.now }
                    parse(connection, transfer, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    if connection.isReady { return }
                case .again:
                    connection.mayRead = false
                    return
                case .end:
                    return receiveEnd(connection, transfer)
                case .failed(let failure):
                    return lose(connection, transfer, failure, nil)
                }
            }
        }

        /// Delivers bytes that were buffered while the reader's pipe was full.
        ///
        /// - Returns: `false` if the pipe is full again, or the transfer has ended.
        private func receiveHeld(_ connection: HTTP1Connection, _ transfer: LoopTransfer) -> Bool {
            do throws(TransportError) {
                if try transfer.receiveHeld(context.workspace) { return true }
                transfer.isReceivePaused = true
            } catch {
                end(transfer, .failure(error))
            }
            return false
        }

        private func parse(_ connection: HTTP1Connection, _ transfer: LoopTransfer, _ bytes: UnsafeRawBufferPointer) {
            var offset = 0
            // One read may contain thousands of small chunks.
            var pieces = 2048
            do throws(HTTP1Error) {
                while true {
                    switch try connection.parser.next(bytes, at: &offset) {
                    case .needsMore:
                        if transfer.exchange.isBodyUnwanted, connection.parser.isHeadComplete {
                            abandonBody(connection, transfer)
                        }
                        return
                    case .interim(let status):
                        if status == 100, connection.sending.awaitsContinue {
                            connection.sending.awaitsContinue = false
                            send(connection)
                            guard connection.transfer === transfer else { return }
                        }
                        transfer.report(interim: status, connection.parser.head)
                    case .head:
                        if connection.parser.isUpgraded, transfer.download != nil {
                            owner?.upgrade(connection, transfer, unread: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
                            return
                        }
                        guard receiveHead(connection, transfer) else { return }
                        // The driver decides about a redirect.
                        if transfer.isReceivePaused {
                            connection.unread = Array(bytes[offset...])
                            return
                        }
                    case .body(let range):
                        guard receiveBody(transfer, UnsafeRawBufferPointer(rebasing: bytes[range])) else {
                            if transfer.isReceivePaused { connection.unread = Array(bytes[offset...]) }
                            return
                        }
                        pieces -= 1
                        if pieces == 0 {
                            connection.unread = Array(bytes[offset...])
                            return context.yieldToOthers(connection)
                        }
                    case .end:
                        return complete(connection, transfer, hasLeftover: offset < bytes.count)
                    }
                }
            } catch {
                if transfer.exchange.isBodyUnwanted { return abandonBody(connection, transfer) }
                end(transfer, .failure(TransportError(error.code, error.message, phase: .receive, request: transfer.request)))
            }
        }

        /// Handles the head of the final response.
        ///
        /// - Returns: `false` if the transfer has ended.
        private func receiveHead(_ connection: HTTP1Connection, _ transfer: LoopTransfer) -> Bool {
            if connection.parser.minorVersion == 0 { transfer.exchange.connectionTimings.protocolName = "http/1.0" }
            if connection.parser.statusCode == 417, connection.sending.awaitsContinue {
                sendWithoutExpectation(transfer, insteadOf: connection)
                return false
            }
            do throws(TransportError) {
                try transfer.receiveHead(
                    connection.parser.head, status: connection.parser.statusCode,
                    content: ContentForm(
                        length: connection.parser.contentLength,
                        encoding: connection.parser.hasContentEncoding
                            ? connection.parser.head.value(for: "content-encoding") : nil),
                    at: context.now)
                return true
            } catch {
                end(transfer, .failure(error))
                return false
            }
        }

        /// Sends the request again without `Expect`: the server rejected it with status 417, and has not received the body (RFC
        /// 9110 §10.1.1).
        private func sendWithoutExpectation(_ transfer: LoopTransfer, insteadOf connection: HTTP1Connection) {
            detach(transfer, from: connection)
            owner?.close(connection, .notReusable)
            transfer.request.headers.remove("Expect")
            sendAnew(transfer)
        }

        /// Follows a redirect without receiving the rest of its body, and closes the connection.
        private func abandonBody(_ connection: HTTP1Connection, _ transfer: LoopTransfer) {
            detach(transfer, from: connection)
            owner?.close(connection, .notReusable)
            finish(transfer)
        }

        /// Decodes and delivers a piece of the body.
        ///
        /// - Returns: `false` if the reader's pipe is full, or the transfer has ended.
        private func receiveBody(_ transfer: LoopTransfer, _ bytes: UnsafeRawBufferPointer) -> Bool {
            do throws(TransportError) {
                defer { transfer.reportProgress(context.now) }
                if try transfer.receiveBody(bytes, context.workspace) { return true }
                transfer.isReceivePaused = true
            } catch {
                end(transfer, .failure(error))
            }
            return false
        }

        // MARK: The end of an exchange

        private func complete(_ connection: HTTP1Connection, _ transfer: LoopTransfer, hasLeftover: Bool) {
            do throws(TransportError) {
                try transfer.finishBody()
            } catch {
                return end(transfer, .failure(error))
            }
            let isReusable =
                connection.parser.keepsConnection && !hasLeftover && isSent(transfer, on: connection)
                && !connection.sending.head.closesConnection
                && !connection.hasEnded && connection.parser.keepAliveMaximum != 0
            transfer.exchange.head = connection.parser.head
            detach(transfer, from: connection)
            if isReusable {
                owner?.keep(connection, serverSeconds: connection.parser.keepAliveTimeoutSeconds)
            } else {
                owner?.close(connection, .notReusable)
            }
            finish(transfer)
        }

        /// Whether the whole request has been sent. A body of known length that is sent without chunks is complete after its last byte,
        /// which may be sent before the sequence that produces it ends.
        private func isSent(_ transfer: LoopTransfer, on connection: HTTP1Connection) -> Bool {
            if connection.sending.isComplete { return true }
            if connection.sending.head.isChunked { return false }
            return connection.sending.isStreamed && !connection.sending.hasFailed && !connection.sending.hasBytes
                && transfer.upload.length == connection.sentBodyBytes
        }

        private func receiveEnd(_ connection: HTTP1Connection, _ transfer: LoopTransfer) {
            connection.hasEnded = true
            // The reset was reported to the sending side: a body that ends with the connection may be truncated.
            if let failure = connection.sendFailure, connection.parser.isHeadComplete, connection.parser.isDelimitedByClose {
                return lose(connection, transfer, failure, nil)
            }
            if connection.hasEndedWithoutNotice, connection.parser.isHeadComplete, connection.parser.isDelimitedByClose {
                let error = TransportError(
                    .incompleteBody,
                    "TLS ended without a close_notify, and nothing else marks the end of the body (RFC 9112 §9.8)",
                    phase: .receive, request: transfer.request)
                return end(transfer, .failure(error))
            }
            do throws(HTTP1Error) {
                try connection.parser.receiveEnd()
            } catch {
                return lose(connection, transfer, nil, error)
            }
            complete(connection, transfer, hasLeftover: false)
        }

        /// Handles a connection that ended before the response was complete: repeats the request, or fails the transfer.
        ///
        /// - Parameters:
        ///   - failure: Why the connection failed; `nil` if the server closed it normally.
        ///   - parsingError: What the response lacks in that case.
        private func lose(
            _ connection: HTTP1Connection, _ transfer: LoopTransfer, _ failure: HTTP1Connection.Failure?,
            _ parsingError: HTTP1Error?
        ) {
            let wasKept = connection.wasIdle
            let hasResponded = connection.parser.hasReceivedBytes
            if transfer.mayRepeat(after: hasResponded ? .responded : .unknown, wasReused: wasKept) { return `repeat`(transfer) }
            let phase: TransportError.Phase = hasResponded ? .receive : connection.sending.isComplete ? .firstByte : .send
            if !hasResponded, wasKept, connection.tlsFailure(failure ?? connection.sendFailure) == nil {
                var error = transfer.lostConnection
                error.phase = phase
                return end(transfer, .failure(error))
            }
            end(transfer, .failure(connection.error(failure, parsingError, phase: phase, request: transfer.request)))
        }

        /// Separates a transfer from its connection.
        func detach(_ transfer: LoopTransfer, from connection: HTTP1Connection) {
            transfer.upload.offset = Int(connection.sentBodyBytes)
            connection.transfer = nil
            connection.unread = nil
            connection.sending.data = nil
            transfer.carrier = nil
        }
    }
#endif
