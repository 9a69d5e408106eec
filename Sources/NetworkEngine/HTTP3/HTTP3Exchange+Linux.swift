#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport

    /// A request on a connection over HTTP/3, and its response.
    ///
    /// Used only while the lock of the event loop is held.
    final class HTTP3Exchange: RequestCarrier {
        let connection: HTTP3Connection
        /// `nil` after the transfer was separated from the exchange.
        @exclusivity(unchecked) var transfer: LoopTransfer?
        /// The stream; `nil` until the head of the request is written.
        @exclusivity(unchecked) var id: HTTP3StreamID?
        /// QUIC's object of the stream, until the exchange has ended.
        @exclusivity(unchecked) var stream: QUICConnection.Stream?
        /// Whether the connection had carried other requests before.
        let isReused: Bool
        let begunAt: UInt64
        /// Whether the body waits for a response with status 100 (RFC 9110 §10.1.1).
        @exclusivity(unchecked) var awaitsContinue = false
        /// Whether the request was written to its end, or the server reads no more of it.
        @exclusivity(unchecked) var isWritten = false
        /// Whether the exchange is in the list of those with content to write.
        @exclusivity(unchecked) var isSender = false
        /// Whether the exchange is in the list of those for which an acknowledgement, or a larger window, makes room.
        @exclusivity(unchecked) var isBlocked = false
        /// The number of bytes of a body in memory that were written.
        @exclusivity(unchecked) var writtenBody = 0
        /// Whether the response is not read, because its reader has no room.
        @exclusivity(unchecked) var isPaused = false
        /// Whether the server has ended or reset the stream.
        @exclusivity(unchecked) var hasEnded = false
        /// Why the response cannot be completed, if it is a redirect about which the driver has not decided.
        var failure: TransportError?
        /// What performs the exchanges of the event loop.
        unowned(unsafe) let exchanges: HTTP3Exchanges

        init(_ transfer: LoopTransfer, _ connection: HTTP3Connection, _ exchanges: HTTP3Exchanges, at now: UInt64) {
            self.transfer = transfer
            self.connection = connection
            self.exchanges = exchanges
            isReused = connection.uses > 0
            begunAt = now
        }

        /// Whether no byte of the request was given to QUIC.
        var isUnsent: Bool { id == nil }

        // MARK: For the transfer

        var stage: CarrierStage { id == nil ? .awaitingStream : awaitsContinue ? .awaitingContinue : .streaming }

        var awaitedSocket: (any SocketOwner)? {
            isWritten && connection.isOpen && connection.count == 1 && connection.blocked.isEmpty ? connection : nil
        }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            if transfer.exchange.firstByte != 0 { return .receive }
            return id == nil ? .queued : isWritten ? .firstByte : .send
        }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, Int64(max(writtenBody, transfer.upload.offset)))
        }

        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            guard transfer.isLargeUpload, isWritten, transfer.exchange.firstByte == 0, let stream, connection.isOpen else {
                return nil
            }
            return Int(clamping: connection.quic.unacknowledged(stream))
        }

        func resume(_ transfer: LoopTransfer) {
            exchanges.resume(self, transfer)
        }

        func stopAwaitingContinue() {
            exchanges.stopAwaitingContinue(self)
        }

        func noteTimeout(of transfer: LoopTransfer) {
            // Nothing was received since the request was begun: the connection may be lost without a notice.
            if connection.lastReceived < begunAt { connection.isRetired = true }
        }

        func abandon(_ transfer: LoopTransfer) {
            exchanges.abandon(self)
        }
    }

    /// A request that waits for a connection over HTTP/3, or for room on one.
    final class HTTP3Wait: RequestCarrier {
        let key: ConnectionKey
        var ticket: UInt64 = 0
        unowned(unsafe) private let exchanges: HTTP3Exchanges

        init(_ key: ConnectionKey, _ exchanges: HTTP3Exchanges) {
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
