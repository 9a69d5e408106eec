#if os(Linux)
    @_spi(SessionManagers) import NetworkTransport

    /// A request on a connection over HTTP/2, and its response.
    final class HTTP2Exchange: StreamExchange, VersionedStreamExchange {
        let connection: HTTP2Connection
        @exclusivity(unchecked) var id: HTTP2StreamID?
        /// The number of bytes that the connection had written before the head.
        @exclusivity(unchecked) var start = UInt64.max
        /// The number of received bytes of the body that the reader has not taken.
        @exclusivity(unchecked) var untaken = 0
        /// The number of bytes by which the window of the stream was opened beyond its first size.
        @exclusivity(unchecked) var grown = 0
        unowned(unsafe) let exchanges: HTTP2Exchanges

        init(_ transfer: LoopTransfer, _ connection: HTTP2Connection, _ exchanges: HTTP2Exchanges) {
            self.connection = connection
            self.exchanges = exchanges
            super.init(transfer, connection, at: exchanges.context.now)
        }

        var isUnsent: Bool { id == nil || connection.sentBytes <= start }

        func unsentBytes(of transfer: LoopTransfer) -> Int? {
            guard transfer.isLargeUpload, isWritten, transfer.exchange.firstByte == 0 else { return nil }
            // The queue of the socket is the one of all streams: it counts for those that have nothing left to write.
            return UnsentBytes.count(of: connection.descriptor).map { $0 + connection.machine.output.count }
        }
    }
#endif
