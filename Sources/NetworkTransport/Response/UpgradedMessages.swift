import Foundation

/// A WebSocket whose frames the engine handles itself: `URLSession` passes messages, and not the bytes of the connection.
///
/// Releasing it cancels the connection.
package final class UpgradedMessages: Sendable {
    package let transport: any MessageTransport
    /// The subprotocol that the server has chosen; `nil` for none.
    package let subprotocol: String?

    package init(_ transport: any MessageTransport, subprotocol: String?) {
        self.transport = transport
        self.subprotocol = subprotocol
    }

    deinit {
        transport.cancel()
    }
}

/// A message of an engine that handles frames itself.
package enum UpgradedMessage: Sendable, Hashable {
    case text(String)
    case binary(Data)

    /// The number of bytes: those of a text in UTF-8.
    package var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let data): data.count
        }
    }
}

/// The engine's side of a WebSocket whose frames it handles itself.
///
/// Failures of all methods are reported once, as the end of the connection.
package protocol MessageTransport: AnyObject, Sendable {
    /// Sets the receiver. Called once, before the other methods except ``cancel()``.
    ///
    /// - Parameter maximumMessageBytes: The maximum size of a received message.
    func start(_ receiver: any MessageReceiver, maximumMessageBytes: Int)

    /// Sends a message after those of earlier calls.
    ///
    /// - Parameter completion: Called when it was passed to the system; not if that fails.
    func send(_ message: UpgradedMessage, completion: @escaping @Sendable () -> Void)

    /// Requests one message, which is passed to ``MessageReceiver/receive(_:)``. Called again when that was called.
    func requestMessage()

    /// Sends a ping.
    ///
    /// - Parameter onPong: Called when its pong was received.
    func ping(onPong: @escaping @Sendable () -> Void)

    /// Sends a close frame, and nothing after it. Further calls have no effect.
    func close(code: UInt16, reason: String)

    /// Ends the connection at once.
    func cancel()
}

/// Receives the messages of a WebSocket whose engine handles frames itself. Called on a thread of the loop; it must not block.
package protocol MessageReceiver: AnyObject, Sendable {
    /// Receives the message that was requested.
    func receive(_ message: UpgradedMessage)

    /// The message that was requested is larger than permitted. The connection is to be closed.
    func messageIsTooLarge()

    /// The connection has ended. Nothing follows.
    func connectionDidEnd(_ end: MessageEnd)

    /// The session manager is being closed: the connection should be closed in an orderly way.
    func sessionWillClose()
}

/// How a WebSocket has ended whose engine handles frames itself.
package enum MessageEnd: Sendable {
    /// A close frame was received. The code is 1005 if it has none.
    case closed(code: UInt16, reason: String)
    /// There was no close frame, for this reason if it is known.
    case lost(TransportError?)
}
