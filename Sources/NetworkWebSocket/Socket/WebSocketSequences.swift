import Endpoints
import Foundation
import NetworkLogging

/// The messages of a WebSocket.
public struct WebSocketMessages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = WebSocketMessage
    let socket: WebSocket

    /// Returns an iterator, which continues where the last one has stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// An iterator over messages.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// Returns the next message, as ``WebSocket/receive()`` does.
        public mutating func next() async throws -> WebSocketMessage? {
            try await socket.receive()
        }
    }
}

/// The messages of a WebSocket, each as a sequence of chunks.
///
/// ```swift
/// for try await message in socket.streams {
///     for try await chunk in message { file.write(chunk) }
/// }
/// ```
///
/// What is not read of a message is skipped when the next one is requested.
public struct WebSocketStreams: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = WebSocketStream
    let socket: WebSocket

    /// Returns an iterator, which continues with the next message.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: socket) }

    /// An iterator over messages.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// Returns the next message as soon as it has begun; `nil` after the end.
        ///
        /// - Throws: ``WebSocketError``, as ``WebSocket/receive()`` does.
        public mutating func next() async throws -> WebSocketStream? {
            try await socket.channel.nextStream().map { WebSocketStream(kind: $0, socket: socket) }
        }
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

/// The messages of a WebSocket, decoded.
public struct WebSocketValues<Value: Sendable>: AsyncSequence, Sendable {
    /// A decoded value.
    public typealias Element = Value
    let messages: WebSocketMessages
    let decoder: WebSocketDecoder<Value>

    /// Returns an iterator, which continues where the last one has stopped.
    public func makeAsyncIterator() -> Iterator { Iterator(messages: messages.makeAsyncIterator(), decoder: decoder) }

    /// An iterator over values.
    public struct Iterator: AsyncIteratorProtocol {
        var messages: WebSocketMessages.Iterator
        let decoder: WebSocketDecoder<Value>

        /// Returns the next value; `nil` after the end.
        ///
        /// - Throws: ``WebSocketError``, with ``WebSocketError/Code/coding`` if a message cannot be decoded. The iterator can be used
        ///   further: it continues with the next message.
        public mutating func next() async throws -> Value? {
            guard let message = try await messages.next() else { return nil }
            do {
                return try decoder.decode(message)
            } catch {
                throw WebSocketError(.coding, "a message (\(message)) cannot be decoded as \(Value.self)", underlying: error)
            }
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

extension WebSocketMessages: RedactedStringConvertible {}

extension WebSocketMessages.Iterator: RedactedStringConvertible {}

extension WebSocketStream: RedactedStringConvertible {}

extension WebSocketStream.Iterator: RedactedStringConvertible {}

extension WebSocketStreams: RedactedStringConvertible {}

extension WebSocketStreams.Iterator: RedactedStringConvertible {}

extension WebSocketValues: RedactedStringConvertible {}

extension WebSocketValues.Iterator: RedactedStringConvertible {}
