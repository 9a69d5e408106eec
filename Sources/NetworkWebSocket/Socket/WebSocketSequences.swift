import Endpoints
import Foundation
import NetworkLogging

/// What a WebSocket receives: messages, decoded values, or messages as sequences of chunks.
///
/// ```swift
/// for try await message in socket.messages { print(message) }
/// ```
public struct WebSocketSequence<Element: Sendable>: AsyncSequence, Sendable {
    let receive: @Sendable () async throws -> Element?

    /// Returns an iterator, which continues where the last one has stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(receive: receive) }

    /// An iterator over what is received.
    public struct Iterator: AsyncIteratorProtocol {
        let receive: @Sendable () async throws -> Element?

        /// Returns the next element; `nil` after the end.
        ///
        /// - Throws: ``WebSocketError``, as ``WebSocket/receive()`` does. After an error with ``WebSocketError/Code/coding``, the iterator can be used
        ///   further: it continues with the next message.
        public mutating func next() async throws -> Element? { try await receive() }
    }
}

/// A message that is received while it is read: a sequence of chunks that are not empty.
public struct WebSocketStream: AsyncSequence, Sendable {
    /// A part of the message. Those of a text may be split within a character.
    public typealias Element = Data
    /// The type of the message.
    public let kind: WebSocketMessage.Kind
    let socket: WebSocket

    /// Returns an iterator, which continues where the last one has stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// An iterator over chunks.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// Returns the next chunk; `nil` at the end of the message.
        ///
        /// - Throws: ``WebSocketError``, also if the connection ends within the message.
        public mutating func next() async throws -> Data? {
            try await socket.channel.nextChunk()
        }
    }
}

/// Decodes messages.
public struct WebSocketDecoder<Value: Sendable>: Sendable {
    let decode: @Sendable (WebSocketMessage) throws -> Value

    /// Creates a decoder.
    ///
    /// - Parameter decode: Called for each message, on the task that receives.
    public init(_ decode: @escaping @Sendable (WebSocketMessage) throws -> Value) {
        self.decode = decode
    }
}

extension WebSocketDecoder where Value: Decodable {
    /// Decodes messages of JSON, texts or binary ones.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: Default: a new one, which reads dates as RFC 3339. The decoder of the service is not used.
    public static func json(
        _ type: Value.Type, decoder: TransferJSONDecoder = TransferJSONDecoder()
    ) -> WebSocketDecoder<Value> {
        WebSocketDecoder { try decoder.decode(type, from: $0.data) }
    }
}

extension WebSocketStream: RedactedStringConvertible {}

extension WebSocketStream.Iterator: RedactedStringConvertible {}

extension WebSocketSequence: RedactedStringConvertible {}

extension WebSocketSequence.Iterator: RedactedStringConvertible {}
