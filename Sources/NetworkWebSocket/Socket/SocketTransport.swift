import Foundation
import NetworkCore

/// The sending side of a WebSocket: frames over a connection (``FrameTransport``), or whole messages (``WholeMessageTransport``).
protocol SocketTransport: AnyObject, Sendable {
    /// Begins to receive. Called once.
    func start(_ socket: WebSocketConnection)

    /// The transport, if it sends messages in parts; otherwise it sends only whole ones.
    var frames: FrameTransport? { get }

    /// Sends a whole message. The caller has the turn to send.
    ///
    /// - Returns: Whether there is room for another message.
    func send(_ message: WebSocketMessage) throws(SendingFailure) -> Bool

    /// Suspends while there is no room.
    func waitForRoom() async throws(TransportError)

    /// Sends a ping whose pong is reported to the socket; without a number, one to which everything that is received is a response.
    func ping(_ number: UInt64?, of socket: WebSocketConnection) throws(SendingFailure)

    /// Sends a close frame after the messages that are being sent, and nothing after it. Called at most once, except for a response to a close frame.
    func sendClose(_ code: WebSocketCloseCode, _ reason: String)

    /// Continues to receive after the socket did not want more.
    func resumeReading()

    /// Ends the connection.
    func close(_ closing: SocketClosing)

    /// The socket has ended: what waits for room waits no longer. The close frame may still be sent.
    func socketDidEnd()
}

/// Why something was not sent.
enum SendingFailure: Error {
    /// A close frame was sent before, or the connection has ended.
    case closed
    case lost(TransportError)
    case failed(WebSocketError)
}

/// How a connection is closed.
enum SocketClosing: Sendable {
    case atOnce
    /// What waits to be sent is sent, and the peer has some time to close the connection.
    case afterPeer
    /// The close handshake is complete, or its time has passed.
    case afterHandshake
}
