#if os(Linux)
    import Endpoints
    import NetworkTransport

    // What becomes of the requests that a server has refused, or whose connection has ended.
    extension StreamExchanges {
        // MARK: Refusals

        /// Handles GOAWAY: the connection takes no more requests, and those that the server does not process are sent again.
        func receiveGoAway(on connection: Connection, _ reason: String) {
            connection.isRetired = true
            let refused = connection.machine.takeUnprocessed().compactMap { connection[$0] } + connection.unopened
            for exchange in refused { remove(exchange) }
            touch(connection)
            for exchange in refused {
                if let upgrade = exchange.upgrade {
                    let error = TransportError(.connectionLost, reason, phase: .receive, request: upgrade.request)
                    upgrade.streamDidEnd(error)
                }
                guard let transfer = exchange.transfer else { continue }
                refuse(exchange, transfer, reason)
            }
        }

        /// Sends a request again that the server has not processed (RFC 9113 §8.7, RFC 9114 §4.1.1), with any method.
        func refuse(_ exchange: Connection.Exchange, _ transfer: LoopTransfer, _ reason: String) {
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
            transfer.resetExchange()
            limitConnecting(transfer)
            launch(transfer)
        }

        /// Sends a request over HTTP/1.1, because the server requires that, and has not processed the request (RFC 9113 §7, RFC 9114 §8.1).
        func sendOverHTTP1(_ exchange: Connection.Exchange, _ transfer: LoopTransfer) {
            guard !transfer.allowedVersions.isRequirement else {
                let error = TransportError(
                    .httpVersionUnavailable,
                    "httpVersion requires \(Self.names.display), but the server requires HTTP/1.1 for this request",
                    phase: .firstByte, request: transfer.request)
                return end(transfer, .failure(error))
            }
            fallBack(transfer)
            refuse(exchange, transfer, "the server requires HTTP/1.1")
        }

        // MARK: Loss

        /// Ends a connection that the server has ended, or that has failed, and its requests with it.
        func lose(_ connection: Connection, _ loss: StreamConnectionLoss<Connection.Machine.FailureCode>) {
            guard connection.isOpen else { return }
            leaveIdle(connection)
            finishSending(connection)
            guard connection.isOpen else { return }
            let lost = connection.removeAll()
            let ends = lost.map { exchange in exchange.transfer.map { end(of: exchange, $0, with: loss) } }
            release(lost)
            streamOwner?.close(connection, .server)
            for (exchange, end) in zip(lost, ends) {
                if let upgrade = exchange.upgrade { upgrade.streamDidEnd(error(of: upgrade, on: connection, loss)) }
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

        private func error(
            of upgrade: any TunneledProtocol, on connection: Connection,
            _ loss: StreamConnectionLoss<Connection.Machine.FailureCode>
        ) -> TransportError {
            if case .violation(let violation) = loss { return violation.transportError(phase: .receive, upgrade.request) }
            if let failure = connection.failure(after: loss) { return upgrade.lostError(failure) }
            let reason = loss.silenceReason ?? "the connection was closed before the end of the stream"
            return TransportError(.connectionLost, reason, phase: .receive, request: upgrade.request)
        }

        private func end(
            of exchange: Connection.Exchange, _ transfer: LoopTransfer,
            with loss: StreamConnectionLoss<Connection.Machine.FailureCode>
        ) -> LostExchangeEnd {
            let connection = exchange.connection
            let request = transfer.request
            let phase = exchange.phase(of: transfer)
            let failure = connection.failure(after: loss)
            if let error = connection.error(endedBy: failure, phase: phase, request: request) { return .failed(error) }
            if exchange.isUnsent { return .sendAgain("the connection was lost before the request was sent") }
            if case .violation(let violation) = loss {
                guard connection.isVersionUncertain else { return .failed(violation.transportError(phase: phase, request)) }
                return .failed(
                    TransportError(
                        .httpVersionUnavailable,
                        "the server does not speak \(Self.names.display) without TLS, but httpVersion requires it: \(violation.message)",
                        phase: .firstByte, request: request))
            }
            let fate: SendRule.Fate = transfer.exchange.firstByte == 0 ? .unknown : .responded
            if transfer.mayRepeat(after: fate, wasReused: exchange.isReused) { return .repeated }
            if fate == .unknown, exchange.isReused {
                var error = transfer.lostConnection
                error.phase = phase
                return .failed(error)
            }
            let hasHead = transfer.exchange.head.isComplete
            let code: TransportError.Code = hasHead ? .incompleteBody : .connectionLost
            if let failure { return .failed(connection.error(failure, code, phase: phase, request: request)) }
            var reason =
                hasHead
                ? "the connection was closed before the body was complete"
                : "the connection was closed before a response arrived"
            if let silence = loss.silenceReason {
                reason = silence
            } else if connection.isVersionUncertain {
                reason += "; the server may not speak \(Self.names.display) without TLS, which httpVersion requires"
            }
            return .failed(TransportError(code, reason, phase: phase, request: request))
        }
    }

    /// What becomes of a request whose connection was lost.
    private enum LostExchangeEnd {
        /// It was not processed, and is sent again.
        case sendAgain(String)
        /// It may have been processed, and is repeated.
        case repeated
        case failed(TransportError)
    }

    extension StreamConnectionLoss {
        fileprivate var silenceReason: String? {
            guard case .silence = self else { return nil }
            return "the connection was lost: the server has not replied to a PING within 5 s (RFC 9113 §6.7)"
        }
    }
#endif
