#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    // Handshakes of QUIC, which take the place of connections over TCP: the first one that is complete ends the race.
    extension ConnectAttempt {
        /// Continues the attempt at the time that ``scheduleTimer()`` has set.
        func timerDidFire() {
            let now = connector.context.now
            if isQUIC {
                for socket in sockets where socket.quicDeadline <= now { shake(socket) }
            }
            advance()
        }

        /// Sets when the race or a handshake of QUIC is continued without an event.
        func scheduleTimer() {
            let handshakes = sockets.lazy.map(\.quicDeadline).min() ?? .max
            connector.schedule(timer, at: min(raceDeadline, handshakes))
        }

        /// Begins or continues the handshake on a socket.
        func shake(_ socket: ConnectSocket) {
            guard state == .connecting, sockets.contains(where: { $0 === socket }) else { return }
            if socket.quic == nil { socket.quic = makeQUIC(on: socket) }
            guard let quic = socket.quic else { return }
            switch quic.turn() {
            case .ready: finish(socket, quic)
            case .handshake:
                // At least a millisecond, as the loop's clock is older than that of QUIC.
                let timeout = max(quic.timeout ?? .max, 1_000_000)
                socket.quicDeadline = timeout == .max ? .max : connector.context.now &+ timeout
                if quic.hasMore { connector.context.yieldToOthers(socket) }
                scheduleTimer()
            case .failed: handshakeDidFail(on: socket, quic)
            }
        }

        private func makeQUIC(on socket: ConnectSocket) -> QUICConnection? {
            guard let place = HostPlace(server.host) else {
                fail(ConnectFailure(.invalidRequest, "the host is malformed", phase: .tls))
                return nil
            }
            guard checkName(place) else { return nil }
            let context: TLSPolicy.Context
            do throws(TrustError) {
                context = try policy.madeForQUIC()
            } catch {
                let code: TransportError.Code = TLSPolicy.quicFailure == nil ? .trustUnavailable : .httpVersionUnavailable
                fail(ConnectFailure(code, error.message, phase: .tls))
                return nil
            }
            let quic = QUICConnection(
                socket.descriptor, context, to: place.tlsName, sessions: connector.context.session.tlsSessions,
                sessionKey: TLSSessionCache.Key(place: key.origin, policy: policy.number, isQUIC: true))
            if quic == nil { fail(.outOfResources("no memory for a QUIC connection")) }
            return quic
        }

        private func finish(_ socket: ConnectSocket, _ quic: QUICConnection) {
            for other in sockets where other !== socket { other.close() }
            withdrawLookups()
            connector.cancel(timer)
            endPhase(&timings.connect)
            state = .ended
            sockets = []
            socket.quic = nil
            socket.detach()
            let established = EstablishedConnection(
                descriptor: socket.descriptor, key: key, quic: quic, isSecure: true, timings: timings,
                serverAddress: NetworkResponse.ServerAddress(socket.address))
            connector.attemptDidFinish(self, established, socket)
        }

        private func handshakeDidFail(on socket: ConnectSocket, _ quic: QUICConnection) {
            quic.forgetSessions()
            if quic.isTLSFailure {
                let problem = quic.problem
                if problem.alert == ConnectFailure.noCommonProtocol {
                    return fail(
                        ConnectFailure(
                            .httpVersionUnavailable, "the server does not speak HTTP/3 over QUIC", phase: .tls,
                            alert: problem.alert))
                }
                return fail(
                    ConnectFailure(
                        .tlsFailed, problem.message, phase: .tls, tlsFailure: problem.failure ?? .other, alert: problem.alert))
            }
            // Another address may still connect.
            sockets.removeAll { $0 === socket }
            let failure = quic.failure { HTTP3ErrorCode(rawValue: $0).name }
            socket.close()
            switch failure {
            case .system(let error): note(error, of: socket.address)
            case .tls(let problem): note(problem.message, of: socket.address)
            case .withoutData: note("QUIC has failed", of: socket.address)
            }
            advance()
        }
    }
#endif
