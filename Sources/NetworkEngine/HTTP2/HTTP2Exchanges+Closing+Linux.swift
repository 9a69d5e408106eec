#if os(Linux)
    import Endpoints
    import NetworkSupport
    import NetworkTransport

    // The end of connections over HTTP/2, and what becomes of their requests.
    extension HTTP2Exchanges {
        /// How long no connection is made after a server has asked for calm (ENHANCE_YOUR_CALM).
        private static let calm: UInt64 = 1_000_000_000
        /// The number of streams of a connection that are reset on this side, beyond those that end, before no more are opened.
        static let maximumResets = 100

        /// Why a connection has ended.
        enum Loss {
            /// The server has closed it, or the transport has failed.
            case closed(SocketConnection.Failure?)
            /// The server has violated the protocol.
            case violation(HTTP2Failure)
            /// The server has not replied to a PING.
            case silence
        }

        // MARK: Silence

        /// The time at which a connection has to be checked, or requests need not wait any longer.
        var deadline: UInt64 { min(checks.first?.deadline ?? .max, pool.pauseEnd) }

        /// Asks silent servers for a reply, ends the connections on which none has come, and ends the pauses whose time has come.
        func endLate() {
            while let connection = checks.first, connection.deadline <= context.now { check(connection) }
            for key in pool.endPauses(at: context.now) { note(change: key) }
        }

        private func check(_ connection: HTTP2Connection) {
            checks.remove(connection)
            switch connection.liveness.action(at: context.now) {
            case .lose: return lose(connection, .silence)
            case .check(let time): connection.deadline = time
            case .ping(let time):
                connection.deadline = time
                connection.machine.ping()
                touch(connection)
            }
            checks.insert(connection)
        }

        // MARK: Refusals

        /// Handles GOAWAY: the connection takes no more requests, and those that the server does not process are sent again.
        func receiveGoAway(_ code: HTTP2ErrorCode, on connection: HTTP2Connection) {
            connection.isRetired = true
            if code == .enhanceYourCalm { pool.pause(connection.key, until: context.now &+ Self.calm) }
            let streams = connection.machine.takeUnprocessed()
            let refused = streams.compactMap { connection[$0] } + connection.unopened
            for exchange in refused { remove(exchange) }
            touch(connection)
            let reason = "the server has ended the connection with \(code.name) (GOAWAY)"
            for exchange in refused {
                if let upgrade = exchange.upgrade {
                    let error = TransportError(.connectionLost, reason, phase: .receive, request: upgrade.request)
                    upgrade.streamDidEnd(error)
                }
                guard let transfer = exchange.transfer else { continue }
                refuse(exchange, transfer, reason)
            }
        }

        /// Sends a request again that the server has not processed (RFC 9113 §8.7), with any method.
        func refuse(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer, _ reason: String) {
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

        /// Sends a request over HTTP/1.1, because the server requires that, and has not processed the request (RFC 9113 §7).
        func sendOverHTTP1(_ exchange: HTTP2Exchange, _ transfer: LoopTransfer) {
            guard !transfer.allowedVersions.isRequirement else {
                let error = TransportError(
                    .httpVersionUnavailable, "httpVersion requires HTTP/2, but the server requires HTTP/1.1 for this request",
                    phase: .firstByte, request: transfer.request)
                return end(transfer, .failure(error))
            }
            transfer.versionRule = .http1
            refuse(exchange, transfer, "the server requires HTTP/1.1")
        }

        // MARK: Loss

        /// Ends a connection that the server has ended, or that has failed, and its requests with it.
        func lose(_ connection: HTTP2Connection, _ loss: Loss) {
            guard connection.isOpen else { return }
            if connection.isIdle {
                connection.isIdle = false
                owner?.takeIdle(connection)
            }
            let lost = connection.removeAll()
            for exchange in lost {
                grownBytes -= exchange.grown
                exchange.grown = 0
            }
            let ends = lost.map { exchange in exchange.transfer.map { end(of: exchange, $0, with: loss) } }
            owner?.close(connection, .server)
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

        private func error(of upgrade: any TunneledProtocol, on connection: HTTP2Connection, _ loss: Loss) -> TransportError {
            switch loss {
            case .violation(let violation): violation.transportError(phase: .receive, upgrade.request)
            case .silence: TransportError(.connectionLost, Self.silence, phase: .receive, request: upgrade.request)
            case .closed(let failure?): upgrade.lostError(failure)
            case .closed(nil):
                connection.sendFailure.map(upgrade.lostError)
                    ?? TransportError(
                        .connectionLost, "the connection was closed before the end of the stream", phase: .receive,
                        request: upgrade.request)
            }
        }

        private static let silence =
            "the connection was lost: the server has not replied to a PING within 5 s (RFC 9113 §6.7)"

        /// What becomes of a request whose connection was lost.
        private enum End {
            /// It was not processed, and is sent again.
            case sendAgain(String)
            /// It may have been processed, and is repeated.
            case repeated
            case failed(TransportError)
        }

        private func end(of exchange: HTTP2Exchange, _ transfer: LoopTransfer, with loss: Loss) -> End {
            let connection = exchange.connection
            let request = transfer.request
            let phase = exchange.phase(of: transfer)
            let hasHead = transfer.exchange.head.isComplete
            var failure: SocketConnection.Failure?
            if case .closed(let reason) = loss { failure = reason ?? connection.sendFailure }
            if let error = connection.error(endedBy: failure, phase: phase, request: request) { return .failed(error) }
            if exchange.isUnsent { return .sendAgain("the connection was lost before the request was sent") }
            if case .violation(let violation) = loss {
                if !connection.isSecure, !connection.machine.hasSettings {
                    return .failed(
                        TransportError(
                            .httpVersionUnavailable,
                            "the server does not speak HTTP/2 without TLS, but httpVersion requires it: \(violation.message)",
                            phase: .firstByte, request: request))
                }
                return .failed(violation.transportError(phase: phase, request))
            }
            let fate: SendRule.Fate = transfer.exchange.firstByte == 0 ? .unknown : .responded
            if transfer.mayRepeat(after: fate, wasReused: exchange.isReused) { return .repeated }
            if fate == .unknown, exchange.isReused {
                var error = transfer.lostConnection
                error.phase = phase
                return .failed(error)
            }
            let code: TransportError.Code = hasHead ? .incompleteBody : .connectionLost
            if let failure { return .failed(connection.error(failure, code, phase: phase, request: request)) }
            var reason =
                hasHead
                ? "the connection was closed before the body was complete"
                : "the connection was closed before a response arrived"
            if case .silence = loss {
                reason = Self.silence
            } else if !connection.isSecure, !connection.machine.hasSettings {
                reason += "; the server may not speak HTTP/2 without TLS, which httpVersion requires"
            }
            return .failed(TransportError(code, reason, phase: phase, request: request))
        }
    }
#endif
