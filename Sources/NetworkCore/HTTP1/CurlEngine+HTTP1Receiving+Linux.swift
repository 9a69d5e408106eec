#if os(Linux)
    import Endpoints

    // Responses over HTTP/1.1: reading, and what becomes of the connection at the end of an exchange.
    extension CurlEngine {
        func receive(_ connection: HTTP1Connection) {
            // So that one who sends without end does not keep the others waiting.
            var reads = 8
            while connection.isOpen, let transfer = connection.transfer, !transfer.isReceivePaused {
                if !transfer.held.isEmpty || transfer.isDecoderFull {
                    guard receiveHeld(connection, transfer) else { return }
                }
                if let unread = connection.unread {
                    connection.unread = nil
                    unread.withUnsafeBytes { parse(connection, transfer, $0) }
                    if connection.isReady { return }
                    continue
                }
                guard connection.mayRead else { return }
                // So that no more than one read is held beyond what the reader's pipe takes.
                if transfer.isStreaming, transfer.download?.hasRoom == false {
                    transfer.isReceivePaused = true
                    return
                }
                guard reads > 0 else { return giveWay(connection) }
                reads -= 1
                switch connection.receive(into: workspace.read) {
                case .bytes(let count):
                    // A socket that gives less than it was asked for is empty.
                    if connection.handle == nil, count < workspace.read.count, !connection.hasEnded { connection.mayRead = false }
                    transfer.lastActivity = now
                    if transfer.firstByte == 0 { transfer.firstByte = now }
                    parse(connection, transfer, UnsafeRawBufferPointer(rebasing: workspace.read[..<count]))
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

        /// Goes on in the next round, after the others.
        private func giveWay(_ connection: HTTP1Connection) {
            if !connection.isReady { ready.append(connection) }
            connection.isReady = true
        }

        /// - Returns: `false` when the reader has no room again, or the transfer has ended.
        private func receiveHeld(_ connection: HTTP1Connection, _ transfer: CurlTransfer) -> Bool {
            do throws(TransportError) {
                if try transfer.receiveHeld(workspace) { return true }
                transfer.isReceivePaused = true
            } catch {
                end(transfer, .failure(error))
            }
            return false
        }

        private func parse(_ connection: HTTP1Connection, _ transfer: CurlTransfer, _ bytes: UnsafeRawBufferPointer) {
            var offset = 0
            // A read may hold thousands of tiny chunks.
            var pieces = 2048
            do throws(HTTP1Flaw) {
                while true {
                    switch try connection.parser.next(bytes, at: &offset) {
                    case .needsMore:
                        if transfer.isBodyUnwanted, connection.parser.isHeadComplete { abandonBody(connection, transfer) }
                        return
                    case .interim(let status):
                        if status == 100, connection.sending.awaitsContinue {
                            connection.sending.awaitsContinue = false
                            send(connection)
                            guard connection.transfer === transfer else { return }
                        }
                    case .head:
                        guard receiveHead(connection, transfer) else { return }
                    case .body(let range):
                        guard receiveBody(transfer, UnsafeRawBufferPointer(rebasing: bytes[range])) else {
                            if transfer.isReceivePaused { connection.unread = Array(bytes[offset...]) }
                            return
                        }
                        pieces -= 1
                        if pieces == 0 {
                            connection.unread = Array(bytes[offset...])
                            return giveWay(connection)
                        }
                    case .end:
                        return complete(connection, transfer, hasLeftover: offset < bytes.count)
                    }
                }
            } catch {
                if transfer.isBodyUnwanted { return abandonBody(connection, transfer) }
                end(transfer, .failure(TransportError(error.code, error.message, phase: .receive, request: transfer.request)))
            }
        }

        /// - Returns: `false` when the transfer has ended.
        private func receiveHead(_ connection: HTTP1Connection, _ transfer: CurlTransfer) -> Bool {
            let parser = connection.parser
            if parser.minorVersion == 0 { transfer.hop.protocolName = "http/1.0" }
            if parser.statusCode == 417, connection.sending.awaitsContinue {
                sendWithoutExpectation(transfer, insteadOf: connection)
                return false
            }
            if parser.hasSetCookie { storeCookies(of: parser.head, transfer) }
            do throws(TransportError) {
                try transfer.receiveHead(
                    parser.head, status: parser.statusCode, length: parser.contentLength,
                    encoding: parser.hasContentEncoding ? parser.head.value(for: "content-encoding") : nil, at: now)
                return true
            } catch {
                end(transfer, .failure(error))
                return false
            }
        }

        /// The server does not do what `Expect` asks for, and has not got the body (RFC 9110 §10.1.1): the request goes out without it.
        private func sendWithoutExpectation(_ transfer: CurlTransfer, insteadOf connection: HTTP1Connection) {
            detach(transfer, from: connection)
            close(connection)
            transfer.request.headers.remove("Expect")
            leave(transfer, isEnd: false)
            transfer.resetResponse()
            enterAnew(transfer)
        }

        /// Follows a redirect without waiting for the rest of its body, which is not worth a connection.
        private func abandonBody(_ connection: HTTP1Connection, _ transfer: CurlTransfer) {
            detach(transfer, from: connection)
            close(connection)
            finish(transfer)
        }

        /// - Returns: `false` when the reader has no room, or the transfer has ended.
        private func receiveBody(_ transfer: CurlTransfer, _ bytes: UnsafeRawBufferPointer) -> Bool {
            do throws(TransportError) {
                defer { transfer.reportProgress(now) }
                if try transfer.receiveBody(bytes, workspace) { return true }
                transfer.isReceivePaused = true
            } catch {
                end(transfer, .failure(error))
            }
            return false
        }

        // MARK: The end of an exchange

        private func complete(_ connection: HTTP1Connection, _ transfer: CurlTransfer, hasLeftover: Bool) {
            do throws(TransportError) {
                try transfer.finishBody()
            } catch {
                return end(transfer, .failure(error))
            }
            let parser = connection.parser
            let isReusable =
                parser.keepsConnection && !hasLeftover && isSent(transfer, on: connection)
                && !connection.sending.head.closesConnection
                && !connection.hasEnded && parser.keepAliveMaximum != 0
            transfer.head = parser.head
            detach(transfer, from: connection)
            if isReusable { keep(connection, serverSeconds: parser.keepAliveTimeoutSeconds) } else { close(connection) }
            finish(transfer)
        }

        /// Whether the whole request has been sent. A body of known length is complete with its last byte, which may be sent before the
        /// sequence that produces it ends.
        private func isSent(_ transfer: CurlTransfer, on connection: HTTP1Connection) -> Bool {
            if connection.sending.isComplete { return true }
            return connection.sending.isPumped && !connection.sending.hasFailed && !connection.sending.hasBytes
                && transfer.bodyLength == connection.sentBodyBytes
        }

        private func receiveEnd(_ connection: HTTP1Connection, _ transfer: CurlTransfer) {
            connection.hasEnded = true
            // The reset was told to the side that sends: what ends with the connection may not be whole.
            if let failure = connection.sendFailure, connection.parser.isHeadComplete, connection.parser.isDelimitedByClose {
                return lose(connection, transfer, failure, nil)
            }
            if connection.hasEndedWithoutNotice, connection.parser.isHeadComplete, connection.parser.isDelimitedByClose {
                let error = TransportError(
                    .incompleteBody,
                    "TLS ended without a close_notify, and nothing else tells where the body ends (RFC 9112 §9.8)",
                    phase: .receive, request: transfer.request)
                return end(transfer, .failure(error))
            }
            do throws(HTTP1Flaw) {
                try connection.parser.receiveEnd()
            } catch {
                return lose(connection, transfer, nil, error)
            }
            complete(connection, transfer, hasLeftover: false)
        }

        /// The connection has ended before the response was complete.
        ///
        /// - Parameters:
        ///   - failure: `nil` when the server closed it in order.
        ///   - flaw: What is missing then.
        private func lose(
            _ connection: HTTP1Connection, _ transfer: CurlTransfer, _ failure: HTTP1Connection.Failure?, _ flaw: HTTP1Flaw?
        ) {
            let wasKept = connection.wasIdle
            let hasAnswered = connection.parser.hasReceivedBytes
            if !hasAnswered, wasKept, transfer.request.isIdempotent, !transfer.sending.isRepeated, transfer.canSendBodyAgain {
                return `repeat`(transfer)
            }
            let phase: TransportError.Phase = hasAnswered ? .receive : connection.sending.isComplete ? .firstByte : .send
            if !hasAnswered, wasKept, connection.tlsFailure(failure ?? connection.sendFailure) == nil {
                var error = transfer.lostConnection
                error.phase = phase
                return end(transfer, .failure(error))
            }
            end(transfer, .failure(connection.error(failure, flaw, phase: phase, request: transfer.request)))
        }

        func detach(_ transfer: CurlTransfer, from connection: HTTP1Connection) {
            transfer.bodyOffset = Int(connection.sentBodyBytes)
            connection.transfer = nil
            connection.unread = nil
            connection.sending.data = nil
            transfer.carrier = .none
        }
    }
#endif
