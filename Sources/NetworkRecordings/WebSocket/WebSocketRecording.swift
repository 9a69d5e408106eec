import Endpoints
import Foundation
import NetworkLogging
import NetworkWebSocket

/// A conversation over a WebSocket: which side has sent what, in the order in which the client has seen it.
///
/// ```swift
/// let recorder = WebSocketRecorder()
/// let socket = recorder.recorded(try await service.webSocket(for: live))
/// try await socket.send(.text("hello"))
/// print(try await socket.receive() as Any)
/// await socket.close()
/// let fixture = try JSONEncoder().encode(recorder.recording)
/// ```
///
/// It is replayed by ``NetworkTesting/StubSessionManager/enqueueWebSocket(replaying:for:)``. Content is recorded unchanged, including secrets in it.
public struct WebSocketRecording: Codable, Hashable, Sendable {
    /// One side of a WebSocket.
    public enum Side: String, Codable, Hashable, Sendable {
        /// The side that has opened the WebSocket.
        case client
        /// The side that has accepted it.
        case server
    }

    /// Something that one side has sent.
    public struct Entry: Codable, Hashable, Sendable {
        /// The side that has sent it.
        public var sender: Side
        /// A text; `nil` for another entry.
        public var text: String?
        /// A binary message; `nil` for another entry. In JSON, it is base64.
        public var binary: Data?
        /// The code of a close frame; `nil` for a message.
        public var closeCode: UInt16?
        /// The reason of a close frame, if it is not empty.
        public var closeReason: String?

        /// Creates the entry of a message.
        public init(_ sender: Side, _ message: WebSocketMessage) {
            self.sender = sender
            switch message {
            case .text(let text): self.text = text
            case .binary(let data): binary = data
            }
        }

        /// Creates the entry of a close frame.
        public init(_ sender: Side, closing code: WebSocketCloseCode, reason: String = "") {
            self.sender = sender
            closeCode = code.rawValue
            closeReason = reason.isEmpty ? nil : reason
        }

        /// The message; `nil` for a close frame.
        public var message: WebSocketMessage? { text.map(WebSocketMessage.text) ?? binary.map(WebSocketMessage.binary) }
    }

    /// The subprotocol that the server has chosen; `nil` for none.
    public var subprotocol: String?
    /// What was sent, in order.
    public var entries: [Entry]

    /// Creates a recording.
    public init(subprotocol: String? = nil, entries: [Entry] = []) {
        self.subprotocol = subprotocol
        self.entries = entries
    }
}

extension WebSocketRecording: RedactedStringConvertible {
    /// The number of entries. Content is not shown, as it may be secret.
    public var description: String { "a WebSocket recording of \(entries.count) entries" }
}

extension WebSocketRecording.Entry: RedactedStringConvertible {
    /// The sender, and the kind and size of what it has sent. Content is not shown, as it may be secret.
    public var description: String {
        "\(sender.rawValue): \(message.map { "\($0)" } ?? "close with the code \(closeCode ?? 0)")"
    }
}
