#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    // The end of connections over HTTP/3, and what becomes of their requests.
    extension HTTP3Exchanges {
        /// Why a connection has ended.
        enum Loss {
            /// The server has closed it, nothing has arrived for too long, or QUIC has failed.
            case closed
            /// The server has violated the protocol.
            case violation(HTTP3Failure)
        }

        // MARK: Refusals

        /// Handles GOAWAY: the connection takes no more requests, and those that the server does not process are sent again.
        func receiveGoAway(on connection: HTTP3Connection) {
            connection.isRetired = true
            let streams = connection.machine.takeUnprocessed()
            let refused = streams.compactMap { connection[$0] } + connection.unopened
            for exchange in refused { remove(exchange) }
            touch(connection)
            for exchange in refused {
                guard let transfer = exchange.transfer else { continue }
                refuse(exchange, transfer, "the server has ended the connection (GOAWAY)")
            }
        }

        /// Sends a request again that the server has not processed (RFC 9114 §4.1.1), with any method.
        func refuse(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer, _ reason: String) {
            guard transfer.mayRepeat(after: .unprocessed) else {
                let (code, rest): (TransportError.Code, String) =
                    transfer.canSendBodyAgain
                    ? (.connectionLost, ", more than \(SendRule.maximumRefusals) times")
                    : (.bodyNotReplayable, ", and the body cannot be read again")
                let error = TransportError(
                    code, reason + rest, phase: exchange.phase(of: transfer), request: transfer.request)
                return end(transfer, .failure(error))
            }
            detach(exchange)
            if !exchange.isUnsent { transfer.sending.noteRefusal() }
            transfer.stopBodyWriter()
            transfer.isReceivePaused = false
            transfer.exchange = TransferExchange()
            let timeout = transfer.request.timeouts.connect ?? context.configuration.connectTimeout
            transfer.timeLimits.connect = context.now &+ timeout.boundedNanoseconds
            launch(transfer)
        }

        /// Sends a request over TCP, because the server requires that, and has not processed the request (RFC 9114 §8.1).
        func fallBack(_ exchange: HTTP3Exchange, _ transfer: LoopTransfer) {
            guard !transfer.allowedVersions.isRequirement else {
                let error = TransportError(
                    .httpVersionUnavailable, "httpVersion requires HTTP/3, but the server requires HTTP/1.1 for this request",
                    phase: .firstByte, request: transfer.request)
                return end(transfer, .failure(error))
            }
            transfer.avoidsHTTP3 = true
            refuse(exchange, transfer, "the server requires HTTP/1.1")
        }

        // MARK: Loss

        /// Ends a connection that the server has ended, or that has failed, and its requests with it.
        func lose(_ connection: HTTP3Connection, _ loss: Loss) {
            guard connection.isOpen else { return }
            if connection.isIdle {
                connection.isIdle = false
                owner?.takeIdle(connection)
            }
            // A violation is reported to the server.
            perform(connection)
            guard connection.isOpen else { return }
            let lost = connection.open.sorted { $0.key < $1.key }.map(\.value) + connection.unopened
            let ends = lost.map { exchange in exchange.transfer.map { end(of: exchange, $0, with: loss) } }
            owner?.close(connection, .server)
            for (exchange, end) in zip(lost, ends) {
                // Some may have been cancelled by the end of an earlier one.
                guard let transfer = exchange.transfer, let end else { continue }
                switch end {
                case .sendAgain(let reason): refuse(exchange, transfer, reason)
                case .repeated:
                    detach(exchange)
                    `repeat`(transfer)
                case .failed(let error): fail(exchange, transfer, error)
                }
            }
        }

        /// What becomes of a request whose connection was lost.
        private enum End {
            /// It was not processed, and is sent again.
            case sendAgain(String)
            /// It may have been processed, and is repeated.
            case repeated
            case failed(TransportError)
        }

        private func end(of exchange: HTTP3Exchange, _ transfer: LoopTransfer, with loss: Loss) -> End {
            let connection = exchange.connection
            let request = transfer.request
            let phase = exchange.phase(of: transfer)
            let failure = connection.quic.failure { HTTP3ErrorCode(rawValue: $0).name }
            if case .closed = loss, let error = connection.error(endedBy: failure, phase: phase, request: request) {
                return .failed(error)
            }
            if exchange.isUnsent { return .sendAgain("the connection was lost before the request was sent") }
            if case .violation(let violation) = loss { return .failed(violation.transportError(phase: phase, request)) }
            let fate: SendRule.Fate = transfer.exchange.firstByte == 0 ? .unknown : .responded
            if transfer.mayRepeat(after: fate, wasReused: exchange.isReused) { return .repeated }
            if fate == .unknown, exchange.isReused {
                var error = transfer.lostConnection
                error.phase = phase
                return .failed(error)
            }
            let code: TransportError.Code = transfer.exchange.head.isComplete ? .incompleteBody : .connectionLost
            return .failed(connection.error(failure, code, phase: phase, request: request))
        }
    }
#endif
