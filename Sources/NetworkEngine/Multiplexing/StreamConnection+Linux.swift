#if os(Linux)
    import NetworkTransport

    /// An established connection that carries several requests at the same time, as ``StreamExchanges`` uses it.
    ///
    /// Used only while the lock of the event loop is held.
    protocol StreamConnection: SocketConnection, MultiplexedConnection {
        associatedtype Machine: StreamStateMachine
        associatedtype Exchange: StreamExchange

        var machine: Machine { get set }
        /// The exchange on a stream, if it was not ended on this side.
        subscript(id: StreamID<Machine.StreamNumber>) -> Exchange? { get }
        /// The exchanges whose stream was not opened yet, in their order.
        var unopened: [Exchange] { get set }
        /// The exchanges that have content to write, and room for it as far as is known.
        var senders: [Exchange] { get set }
        /// The exchanges that wait until the server makes room for content, those that have waited longest first.
        var blocked: [Exchange] { get set }
        /// The number of exchanges: open streams and those that were not opened yet.
        var count: Int { get }
        /// Whether the connection takes no more requests, and is closed when the last one has ended.
        var isRetired: Bool { get set }
        /// Whether the connection is in the list of those that have something to send, or have become idle.
        var isTouched: Bool { get set }
        /// Whether no request uses the connection, and it is in the pool of idle ones.
        var isIdle: Bool { get set }
        var establishedAt: UInt64 { get }
        /// When bytes were last received.
        var lastReceived: UInt64 { get }
        /// Whether everything that was written was sent.
        var isFlushed: Bool { get }
        /// Whether nothing has shown yet that the server speaks the version of HTTP, which was not negotiated.
        var isVersionUncertain: Bool { get }

        /// Adds an exchange whose stream is opened as soon as there is room.
        func add(_ exchange: Exchange)
        /// Removes and returns all exchanges, those of the lowest streams first.
        func removeAll() -> [Exchange]
        /// Whether a request can be sent beside the others.
        func admits(_ transfer: LoopTransfer) -> Bool
        /// Returns why the transport has failed; `nil` if the server has closed the connection without an error.
        func failure(after loss: StreamConnectionLoss<Machine.FailureCode>) -> SocketConnection.Failure?
    }

    extension StreamConnection {
        var isVersionUncertain: Bool { false }

        func admits(_ transfer: LoopTransfer) -> Bool { true }
    }

    /// Why a connection that carries streams has ended.
    enum StreamConnectionLoss<Code: StreamErrorCode> {
        /// The server has closed the connection, nothing has arrived for too long, or the transport has failed.
        case closed(SocketConnection.Failure?)
        /// The server has violated the protocol.
        case violation(StreamFailure<Code>)
        /// The server has not replied to a PING of HTTP/2.
        case silence
    }
#endif
