#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport

    /// A request on a connection over HTTP/3, and its response.
    final class HTTP3Exchange: StreamExchange, VersionedStreamExchange {
        let connection: HTTP3Connection
        @exclusivity(unchecked) var id: HTTP3StreamID?
        /// QUIC's object of the stream, until the exchange has ended.
        @exclusivity(unchecked) var stream: QUICConnection.Stream?
        /// Whether the response is not read, because its reader has no room.
        @exclusivity(unchecked) var isPaused = false
        /// Whether the server has ended or reset the stream.
        @exclusivity(unchecked) var hasEnded = false
        unowned(unsafe) let exchanges: HTTP3Exchanges

        init(_ transfer: LoopTransfer, _ connection: HTTP3Connection, _ exchanges: HTTP3Exchanges) {
            self.connection = connection
            self.exchanges = exchanges
            super.init(transfer, connection, at: exchanges.context.now)
        }

        var isUnsent: Bool { id == nil }

        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            guard transfer.isLargeUpload, isWritten, transfer.exchange.firstByte == 0, let stream, connection.isOpen else {
                return nil
            }
            return Int(clamping: connection.quic.unacknowledged(stream))
        }
    }
#endif
