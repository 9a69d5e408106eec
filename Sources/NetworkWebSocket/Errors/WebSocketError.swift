import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// Why a WebSocket failed.
public struct WebSocketError: Error, Sendable {
    /// The kinds of failures. More values may be added in later versions.
    ///
    /// A violation of the protocol has a kind that names it, such as `reservedBits`: then ``WebSocketError/closeCode`` is
    /// ``WebSocketCloseCode/protocolError`` or ``WebSocketCloseCode/invalidPayload``.
    public struct Code: ErrorCode {
        /// The name of the kind.
        public var rawValue: String

        /// Creates a kind with any name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }

    /// The kind of the failure.
    public var code: Code
    /// What happened, in English, without secrets.
    public var message: String
    /// The code of the close frame: that which the peer has sent if ``code`` is ``Code/closed``, otherwise that which was sent to it. `nil` if
    /// there was none.
    public var closeCode: WebSocketCloseCode?
    /// The failure of the request or of the connection, if that is the cause.
    public var underlying: (any Error)?

    /// Creates an error. Secrets in `message` are redacted, and its control and format characters are escaped: it may contain text of the peer.
    public init(_ code: Code, _ message: String, closeCode: WebSocketCloseCode? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message.printableLine
        self.closeCode = closeCode
        self.underlying = underlying
    }
}

extension WebSocketError.Code {
    /// The request could not be sent, or the server has refused it: ``WebSocketError/underlying`` is a ``NetworkCore/NetworkError``.
    public static let requestFailed = Self(rawValue: "requestFailed")
    /// The server has switched protocols, but its response violates RFC 6455 §4.1: the key, the subprotocol or an extension.
    public static let invalidHandshake = Self(rawValue: "invalidHandshake")
    /// The session manager or a service in between cannot switch protocols.
    public static let unsupported = Self(rawValue: "unsupported")
    /// An option or an argument is invalid.
    public static let invalidConfiguration = Self(rawValue: "invalidConfiguration")
    /// The peer has closed the connection with a code other than 1000 and 1001, or before the call.
    public static let closed = Self(rawValue: "closed")
    /// The connection has ended without a close frame.
    public static let connectionLost = Self(rawValue: "connectionLost")
    /// The task was cancelled, or ``WebSocket/cancel()`` was called.
    public static let cancelled = Self(rawValue: "cancelled")
    /// No pong was received in time.
    public static let pingTimeout = Self(rawValue: "pingTimeout")
    /// No message was sent or received for the time of an option.
    public static let idleTimeout = Self(rawValue: "idleTimeout")
    /// The connection has lasted for the time of an option.
    public static let totalTimeout = Self(rawValue: "totalTimeout")
    /// Two tasks receive at the same time.
    public static let concurrentReceive = Self(rawValue: "concurrentReceive")
    /// The content of a message could not be decoded, or a value not be encoded.
    public static let coding = Self(rawValue: "coding")
    /// A message is larger than `maximumMessageBytes`, after decompression.
    public static let messageTooLarge = Self(rawValue: "messageTooLarge")
}

// What a peer has sent against the protocol.
extension WebSocketError.Code {
    /// A frame has a reserved bit set that no extension has defined (RFC 6455 §5.2).
    package static let reservedBits = Self(rawValue: "reservedBits")
    /// A frame has an unknown opcode.
    package static let unknownOpcode = Self(rawValue: "unknownOpcode")
    /// A frame is masked that must not be, or the other way round.
    package static let maskedFrame = Self(rawValue: "maskedFrame")
    /// A control frame is fragmented, or too large.
    package static let invalidControlFrame = Self(rawValue: "invalidControlFrame")
    /// The frames of a message are in the wrong order.
    package static let invalidFragmentation = Self(rawValue: "invalidFragmentation")
    /// A frame states its length with more bytes than needed, or beyond 2⁶³ (RFC 6455 §5.2).
    package static let invalidLength = Self(rawValue: "invalidLength")
    /// A text is not UTF-8.
    package static let invalidUTF8 = Self(rawValue: "invalidUTF8")
    /// A close frame is invalid.
    package static let invalidCloseFrame = Self(rawValue: "invalidCloseFrame")
    /// A compressed message is damaged.
    package static let invalidCompression = Self(rawValue: "invalidCompression")
}

extension WebSocketError: RedactedStringConvertible, LocalizedError {
    /// The message, with the cause, on one line and without secrets.
    public var description: String {
        // Any error may be the cause, such as one of a decoder that shows what the peer has sent.
        (underlying.map { "\(message): \(ErrorText($0, limit: 800))" } ?? message).printable(limit: 800)
    }
}

extension WebSocketError {
    package static var cancelled: WebSocketError { WebSocketError(.cancelled, "the WebSocket was cancelled") }

    /// The error of a connection that the peer has closed.
    static func closed(by code: WebSocketCloseCode, _ reason: String) -> WebSocketError {
        let message = "the peer has closed the WebSocket with the code \(code.rawValue)"
        return WebSocketError(.closed, message + (reason.isEmpty ? "" : ": \(reason)"), closeCode: code)
    }

    /// The error of a connection that was lost.
    package init(_ error: TransportError?) {
        guard let error else {
            self.init(.connectionLost, "the connection has ended without a close frame", closeCode: nil)
            return
        }
        let code: Code = error.code == .cancelled ? .cancelled : .connectionLost
        self.init(code, "the connection was lost", underlying: error)
    }
}
