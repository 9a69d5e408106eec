#if os(Linux)
    import Endpoints
    import NetworkTransport

    /// A protocol that a stream carries in both directions, instead of a request and a response.
    protocol TunneledProtocol: AnyObject {
        var request: NetworkRequest { get }
        /// Writes as many bytes as the windows permit.
        ///
        /// - Parameter isWritable: Whether they permit more than before.
        func flush(isWritable: Bool)
        /// Handles bytes that the peer has sent.
        ///
        /// - Returns: Whether the reader has taken them, and can receive more.
        func receive(_ bytes: UnsafeRawBufferPointer) -> Bool
        /// Handles the end of the stream.
        ///
        /// - Parameter error: Why; `nil` if the peer has ended it in an orderly way.
        func streamDidEnd(_ error: TransportError?)
        /// Creates the error of a connection that has failed.
        func lostError(_ failure: SocketConnection.Failure) -> TransportError
    }
#endif
