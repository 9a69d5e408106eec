#if os(Linux)
    import Endpoints
    import NetworkTransport

    // Which requests are sent over HTTP/3, and when TCP is used instead.
    extension EventLoop {
        /// How long a request waits for a connection over HTTP/3 until it is sent over TCP.
        private static let http3Time: UInt64 = 250_000_000

        /// Whether a request that may be sent over HTTP/3 or over TCP is tried over HTTP/3. Nothing but a direct route leads a datagram to the server.
        func mayUseHTTP3(_ transfer: LoopTransfer) -> Bool {
            guard transfer.request.isSecure, !transfer.avoidsHTTP3, transfer.versionRule == .any,
                TLSPolicy.quicFailure == nil, !http3Failures.contains(transfer.origin, at: now)
            else { return false }
            return isRouteDirect(for: transfer)
        }

        private func isRouteDirect(for transfer: LoopTransfer) -> Bool {
            let configuration = context.configuration
            guard configuration.unixSocketPath == nil else { return false }
            if configuration.proxy.kind == .none { return true }
            return (try? Route(session.context, for: transfer.request))?.proxy == nil
        }

        /// Sends a request over HTTP/3, which its configuration requires or prefers.
        func launchHTTP3(_ transfer: LoopTransfer, _ trust: TLSPolicy) {
            guard isRouteDirect(for: transfer) else {
                let error = TransportError(
                    .httpVersionUnavailable,
                    "httpVersion requires HTTP/3, which is not sent through a proxy or a Unix domain socket",
                    phase: .connect, request: transfer.request)
                return end(transfer, .failure(error))
            }
            let isPreferred = transfer.allowedVersions != .http3
            if !isPreferred { widen(transfer.origin) }
            if isPreferred { transfer.tcpDeadline = now &+ Self.http3Time }
            http3.launch(transfer, trust, .http3)
            guard isPreferred, transfer.isHere, transfer.tcpDeadline != .max else { return }
            schedule(transfer, at: transfer.tcpDeadline)
        }

        /// Sends a request over TCP for which there is no connection over HTTP/3 yet. The attempt to make one continues, for later requests.
        ///
        /// - Returns: `false` if the request waits for room on a connection that exists.
        func stopAwaitingHTTP3(_ transfer: LoopTransfer) -> Bool {
            transfer.tcpDeadline = .max
            switch transfer.carrier {
            case let wait as StreamWait<HTTP3Exchanges>: if http3.pool.hasConnection(wait.key) { return false }
            case let attempt as ConnectAttempt: guard attempt.isQUIC else { return false }
            default: return false
            }
            http3Failures.note(transfer.origin, at: now)
            let carrier = transfer.carrier
            let isKept = carrier?.keepConnecting(without: transfer) ?? false
            transfer.carrier = nil
            if !isKept { carrier?.abandon(transfer) }
            sendOverTCP(transfer)
            return true
        }

        // MARK: Connections

        func http3AttemptDidEnd(_ key: ConnectionKey) {
            http3.pool.endAttempt(key)
            http3.note(change: key)
        }

        func http3DidConnect(
            _ transfer: LoopTransfer?, _ established: EstablishedConnection, _ quic: QUICConnection, _ socket: ConnectSocket
        ) {
            http3Failures.remove(established.key.origin)
            pool.add()
            context.events?.send(.opened, established.key.origin)
            let connection = HTTP3Connection(established, quic, http3, at: now)
            context.sockets.hand(socket, to: connection)
            http3.add(connection, for: transfer)
            http3AttemptDidEnd(established.key)
            widen(established.key.origin)
        }

        func http3DidFail(_ transfer: LoopTransfer?, _ key: ConnectionKey, _ failure: ConnectFailure) {
            // So that those that wait for the attempt use TCP.
            http3Failures.note(key.origin, at: now)
            guard let transfer else { return }
            guard transfer.allowedVersions != .http3 else { return end(transfer, .failure(failure.error(for: transfer.request))) }
            sendOverTCP(transfer)
        }

        private func sendOverTCP(_ transfer: LoopTransfer) {
            transfer.avoidsHTTP3 = true
            transfer.tcpDeadline = .max
            // More requests were admitted if HTTP/3 was used before.
            if versions[transfer.origin] == .http1 { session.narrow(transfer.origin) }
            launch(transfer)
        }
    }
#endif
