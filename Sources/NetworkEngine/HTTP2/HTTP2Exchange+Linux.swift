#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport

    /// A request on a connection over HTTP/2, and its response.
    ///
    /// Used only while the lock of the event loop is held.
    final class HTTP2Exchange: RequestCarrier {
        let connection: HTTP2Connection
        /// `nil` after the transfer was separated from the exchange.
        @exclusivity(unchecked) var transfer: LoopTransfer?
        /// The stream; `nil` until the head of the request is written.
        @exclusivity(unchecked) var id: HTTP2StreamID?
        /// Whether the connection had carried other requests before.
        let isReused: Bool
        let begunAt: UInt64
        /// Whether the request is for a tunnel that carries a WebSocket (RFC 8441).
        let isWebSocket: Bool
        /// What exchanges bytes through the tunnel, once the server has opened it.
        var upgrade: (any TunneledProtocol)?
        /// The number of bytes that the connection had written before the head.
        @exclusivity(unchecked) var start = UInt64.max
        /// Whether the body waits for a response with status 100 (RFC 9110 §10.1.1).
        @exclusivity(unchecked) var awaitsContinue = false
        /// Whether the request was written to its end.
        @exclusivity(unchecked) var isWritten = false
        /// Whether the exchange is in the list of those with content to write.
        @exclusivity(unchecked) var isSender = false
        /// The number of bytes of a body in memory that were written.
        @exclusivity(unchecked) var writtenBody = 0
        /// The number of received bytes of the body that the reader has not taken.
        @exclusivity(unchecked) var untaken = 0
        /// The number of bytes by which the window of the stream was opened beyond its first size.
        @exclusivity(unchecked) var grown = 0
        /// Why the response cannot be completed, if it is a redirect about which the driver has not decided.
        var failure: TransportError?
        /// What performs the exchanges of the event loop.
        unowned(unsafe) let exchanges: HTTP2Exchanges

        init(_ transfer: LoopTransfer, _ connection: HTTP2Connection, _ exchanges: HTTP2Exchanges, at now: UInt64) {
            self.transfer = transfer
            self.connection = connection
            self.exchanges = exchanges
            isReused = connection.uses > 0
            begunAt = now
            isWebSocket = transfer.request.requestsUpgrade
        }

        /// Whether the transport has taken no byte of the request.
        var isUnsent: Bool { id == nil || connection.sentBytes <= start }

        // MARK: For the transfer

        var stage: CarrierStage { id == nil ? .awaitingStream : awaitsContinue ? .awaitingContinue : .streaming }

        var awaitedSocket: (any SocketOwner)? {
            isWritten && connection.isOpen && connection.count == 1 && connection.machine.output.isEmpty ? connection : nil
        }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            if transfer.exchange.firstByte != 0 { return .receive }
            return id == nil ? .queued : isWritten || isWebSocket ? .firstByte : .send
        }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, Int64(max(writtenBody, transfer.upload.offset)))
        }

        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            guard transfer.isLargeUpload, isWritten, transfer.exchange.firstByte == 0 else { return nil }
            // The queue of the socket is the one of all streams: it counts for those that have nothing left to write.
            return UnsentBytes.count(of: connection.descriptor).map { $0 + connection.machine.output.count }
        }

        func resume(_ transfer: LoopTransfer) {
            exchanges.resume(self, transfer)
        }

        func stopAwaitingContinue() {
            exchanges.stopAwaitingContinue(self)
        }

        func noteTimeout(of transfer: LoopTransfer) {
            // Nothing was received since the request was begun: the connection may be lost without a notice.
            if connection.liveness.lastReceived < begunAt { connection.isRetired = true }
        }

        func abandon(_ transfer: LoopTransfer) {
            exchanges.abandon(self)
        }
    }

    /// A request that waits for a connection over HTTP/2, or for room on one.
    final class HTTP2Wait: RequestCarrier {
        let key: ConnectionKey
        var ticket: UInt64 = 0
        unowned(unsafe) private let exchanges: HTTP2Exchanges

        init(_ key: ConnectionKey, _ exchanges: HTTP2Exchanges) {
            self.key = key
            self.exchanges = exchanges
        }

        var stage: CarrierStage { exchanges.pool.hasConnection(key) ? .awaitingStream : .awaitingVersion }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            exchanges.pool.hasConnection(key) ? .queued : .connect
        }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, Int64(transfer.upload.offset))
        }

        func abandon(_ transfer: LoopTransfer) {
            exchanges.pool.stopWaiting(key, ticket: ticket)
        }
    }
#endif
