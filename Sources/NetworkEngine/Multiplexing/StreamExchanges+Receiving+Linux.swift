#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport
    import Endpoints

    // Receiving responses, of whichever version.
    extension StreamExchanges {
        /// Notes that a part of a response has arrived.
        private func noteArrival(on transfer: LoopTransfer) {
            transfer.lastActivity = context.now
            if transfer.exchange.firstByte == 0 { transfer.exchange.firstByte = context.now }
        }

        func receiveInterim(_ status: Int, on exchange: Connection.Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            noteArrival(on: transfer)
            if status == 100, exchange.awaitsContinue { stopAwaitingContinue(exchange) }
            transfer.report(interim: status, ResponseHead(lines: exchange.connection.machine.block.lines, length: nil))
        }

        func receiveHead(_ status: Int, on exchange: Connection.Exchange?) {
            guard let exchange, let transfer = exchange.transfer else { return }
            noteArrival(on: transfer)
            // The server has not received the body (RFC 9110 §10.1.1).
            if status == 417, exchange.awaitsContinue { return sendWithoutExpectation(exchange, transfer) }
            let block = exchange.connection.machine.block
            let head = ResponseHead(lines: block.lines, length: block.length)
            if exchange.isWebSocket, status < 300, transfer.download != nil {
                transfer.exchange.head = head
                transfer.exchange.status = status
                return openTunnel(exchange, transfer)
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

        private func sendWithoutExpectation(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {
            detach(exchange)
            reset(exchange, .requestCancelled)
            transfer.request.headers.remove("Expect")
            sendAnew(transfer)
        }

        func receiveContent(_ bytes: UnsafeRawBufferPointer, on exchange: Connection.Exchange?) {
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
                return end(transfer, .failure(error))
            }
            credit(exchange)
        }

        func receiveTrailers(on exchange: Connection.Exchange?) {
            guard let exchange else { return }
            exchange.connection.machine.block.lines.withUnsafeBytes { exchange.transfer?.exchange.head.append($0) }
        }

        // MARK: Pauses

        private func pause(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {
            transfer.isReceivePaused = true
            pauseReceiving(exchange, transfer)
        }

        /// Continues sending and receiving after a pause.
        func resume(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {
            // A redirect is followed without waiting for its body, which may never arrive.
            if transfer.exchange.isBodyUnwanted {
                dropBody(of: exchange, transfer)
                guard exchange.transfer === transfer else { return }
                detach(exchange)
                reset(exchange, .requestCancelled)
                return finish(transfer)
            }
            if let failure = exchange.failure { return end(transfer, .failure(failure)) }
            enqueue(exchange)
            guard !transfer.isReceivePaused, deliverHeld(exchange, transfer) else { return }
            if transfer.exchange.isBodyComplete { return complete(exchange, transfer) }
            resumeReceiving(exchange)
        }

        /// Delivers the bytes that are held.
        ///
        /// - Returns: `false` if the reader has no room, or the transfer has ended.
        private func deliverHeld(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) -> Bool {
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

        func receiveEnd(on exchange: Connection.Exchange?) {
            if let upgrade = exchange?.upgrade { return upgrade.streamDidEnd(nil) }
            guard let exchange, let transfer = exchange.transfer else { return }
            close(exchange)
            completeBody(exchange, transfer)
        }

        private func completeBody(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {
            transfer.exchange.isBodyComplete = true
            if !transfer.isReceivePaused { complete(exchange, transfer) }
        }

        /// Completes a transfer whose response was received to its end and delivered.
        private func complete(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {
            do throws(TransportError) {
                try transfer.finishBody()
            } catch {
                return end(transfer, .failure(error))
            }
            detach(exchange)
            finish(transfer)
        }

        /// Handles a stream that the server has reset.
        func receiveReset(_ reset: StreamReset, on exchange: Connection.Exchange?) {
            let reason = "the server has reset the stream with \(reset.name) (\(reset.section))"
            if let upgrade = exchange?.upgrade {
                return upgrade.streamDidEnd(
                    TransportError(.connectionLost, reason, phase: .receive, request: upgrade.request))
            }
            guard let exchange, let transfer = exchange.transfer else { return }
            remove(exchange)
            switch reset.meaning {
            case .unprocessed: refuse(exchange, transfer, "the server has refused the request (\(reset.name))")
            case .needsHTTP1 where transfer.exchange.firstByte == 0: sendOverHTTP1(exchange, transfer)
            case .noError where transfer.hasWholeBody: completeBody(exchange, transfer)
            default:
                let code: TransportError.Code = transfer.exchange.head.isComplete ? .incompleteBody : .connectionLost
                fail(
                    exchange, transfer,
                    TransportError(code, reason, phase: exchange.phase(of: transfer), request: transfer.request))
            }
        }

        /// Ends a transfer whose response violates the protocol, or exceeds a limit. It is not sent again.
        func fail(_ exchange: Connection.Exchange?, _ failure: StreamFailure<Connection.Machine.FailureCode>) {
            if let upgrade = exchange?.upgrade {
                return upgrade.streamDidEnd(failure.transportError(phase: .receive, upgrade.request))
            }
            guard let exchange, let transfer = exchange.transfer else { return }
            remove(exchange)
            fail(exchange, transfer, failure.transportError(phase: .receive, transfer.request))
        }

        /// Ends a transfer whose response cannot be completed. A redirect whose head has arrived may still be followed, which the driver decides.
        func fail(_ exchange: Connection.Exchange, _ transfer: LoopTransfer, _ error: TransportError) {
            guard transfer.exchange.undecided == nil else { return exchange.failure = error }
            end(transfer, .failure(error))
        }

        // MARK: Transfers

        /// Separates a transfer from an exchange.
        func detach(_ exchange: Connection.Exchange) {
            guard let transfer = exchange.transfer else { return }
            transfer.upload.offset = max(transfer.upload.offset, exchange.writtenBody)
            exchange.transfer = nil
            transfer.carrier = nil
        }

        /// Ends an exchange whose transfer has ended before the response was complete.
        func abandon(_ exchange: Connection.Exchange) {
            exchange.transfer = nil
            reset(exchange, .requestCancelled)
        }
    }

    /// Why a server has reset a stream.
    struct StreamReset {
        /// What the reason means for the request.
        enum Meaning {
            /// The request was not processed (RFC 9113 §8.7, RFC 9114 §4.1.1).
            case unprocessed
            /// The request has to be sent over HTTP/1.1.
            case needsHTTP1
            case noError
            case failed
        }

        var meaning: Meaning
        /// The name of the code, and the section of the RFC that defines the codes.
        var name: String
        var section: String
    }

    extension LoopTransfer {
        /// Holds content that was received while the reader had no room.
        fileprivate func hold(_ bytes: UnsafeRawBufferPointer) {
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

    extension StreamFailure {
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
