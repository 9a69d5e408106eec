#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport

    /// A request on a connection that carries several at the same time, and its response: what does not depend on the version of HTTP.
    ///
    /// Used only while the lock of the event loop is held.
    class StreamExchange {
        /// `nil` after the transfer was separated from the exchange.
        @exclusivity(unchecked) final var transfer: LoopTransfer?
        /// Whether the connection had carried other requests before.
        final let isReused: Bool
        final let begunAt: UInt64
        /// Whether the request is for a tunnel that carries a WebSocket (RFC 8441).
        final let isWebSocket: Bool
        /// What exchanges bytes through the tunnel, once the server has opened it.
        final var upgrade: (any TunneledProtocol)?
        /// Whether the body waits for a response with status 100 (RFC 9110 §10.1.1).
        @exclusivity(unchecked) final var awaitsContinue = false
        /// Whether the request was written to its end, or the server reads no more of it.
        @exclusivity(unchecked) final var isWritten = false
        /// Whether the exchange is in the list of those with content to write.
        @exclusivity(unchecked) final var isSender = false
        /// Whether the exchange is in the list of those that wait until the server makes room for content.
        @exclusivity(unchecked) final var isBlocked = false
        /// The number of bytes of a body in memory that were written.
        @exclusivity(unchecked) final var writtenBody = 0
        /// Why the response cannot be completed, if it is a redirect about which the driver has not decided.
        final var failure: TransportError?

        init(_ transfer: LoopTransfer, _ connection: SocketConnection, at now: UInt64) {
            self.transfer = transfer
            isReused = connection.uses > 0
            begunAt = now
            isWebSocket = transfer.request.requestsUpgrade
        }
    }

    /// A ``StreamExchange`` of a version of HTTP.
    protocol VersionedStreamExchange: StreamExchange, RequestCarrier {
        associatedtype Driver: StreamExchanges

        var connection: Driver.Connection { get }
        /// The stream; `nil` until the head of the request is written.
        var id: StreamID<Driver.Connection.Machine.StreamNumber>? { get }
        /// Whether the transport has taken no byte of the request.
        var isUnsent: Bool { get }
        /// What performs the exchanges of the event loop.
        var exchanges: Driver { get }

        init(_ transfer: LoopTransfer, _ connection: Driver.Connection, _ exchanges: Driver)
    }

    // For the transfer.
    extension VersionedStreamExchange where Driver.Connection.Exchange == Self {
        var stage: CarrierStage { id == nil ? .awaitingStream : awaitsContinue ? .awaitingContinue : .streaming }

        var awaitedSocket: (any SocketOwner)? {
            isWritten && connection.isOpen && connection.count == 1 && connection.isFlushed ? connection : nil
        }

        func phase(of transfer: LoopTransfer) -> TransportError.Phase {
            if transfer.exchange.firstByte != 0 { return .receive }
            return id == nil ? .queued : isWritten || isWebSocket ? .firstByte : .send
        }

        func progress(of transfer: LoopTransfer) -> (timings: ConnectionTimings, bytesSent: Int64) {
            (transfer.exchange.connectionTimings, Int64(max(writtenBody, transfer.upload.offset)))
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

    /// A request that waits for a connection that carries several, or for room on one.
    final class StreamWait<Driver: StreamExchanges>: RequestCarrier {
        let key: ConnectionKey
        var ticket: UInt64 = 0
        unowned(unsafe) private let exchanges: Driver

        init(_ key: ConnectionKey, _ exchanges: Driver) {
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
