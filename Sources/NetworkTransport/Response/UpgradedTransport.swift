import Endpoints

/// The engine's side of an upgraded connection.
package protocol UpgradedTransport: AnyObject, Sendable {
    /// Starts to receive. The first bytes are those that were received together with the response. Called once.
    func start(_ receiver: any UpgradedReceiver)

    /// Appends bytes to those that wait to be sent, and sends as many as the socket takes.
    ///
    /// - Parameter append: Appends the bytes, in the order of the calls. Called synchronously, under a lock.
    /// - Returns: Whether less than 256 KiB wait to be sent.
    /// - Throws: If the connection is closed, or sending has failed; `append` is not called then.
    func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool

    /// Suspends while 256 KiB or more wait to be sent.
    func waitForRoom() async throws(TransportError)

    /// Continues to receive after ``UpgradedReceiver/receive(_:)`` has returned `false`.
    func resumeReading()

    /// Closes the connection. The receiver is not called any more, except calls that have begun.
    ///
    /// - Parameter awaitsPeer: Whether what waits to be sent is sent first, and the peer has a second to close the connection.
    func close(awaitsPeer: Bool)
}

/// Receives the bytes of an upgraded connection. All calls are made one after another, on a thread of the loop; they must not block.
package protocol UpgradedReceiver: AnyObject, Sendable {
    /// Receives all of these bytes.
    ///
    /// - Returns: Whether it can receive more; if not, the socket is not read until ``UpgradedTransport/resumeReading()``.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool

    /// Called after one or several calls of ``receive(_:)``: wakes the tasks that wait for what was received.
    func flush()

    /// The connection has ended. Nothing follows.
    ///
    /// - Parameter error: Why; `nil` if the peer has closed it.
    func connectionDidEnd(_ error: TransportError?)

    /// The session manager is being closed: the connection should be closed in an orderly way.
    func sessionWillClose()
}
