import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// An open WebSocket (RFC 6455): messages in both directions.
///
/// ```swift
/// let socket = try await service.webSocket(for: Endpoint<Void>(path: "live"))
/// try await socket.send(.text("hello"))
/// for try await message in socket.messages { print(message) }
/// await socket.close(.goingAway)
/// ```
///
/// Pings and close frames of the peer are responded to also while no task receives, as long as the queue of received messages, about 256 KiB, has room.
/// Cancelling a task that waits to receive, or that waits to send, closes the WebSocket. Releasing the last reference to it, and to sequences
/// that were made of it, closes it with the code 1001.
public final class WebSocket: Sendable {
    /// The subprotocol that the server has chosen; `nil` for none.
    public let subprotocol: String?
    /// The response of the server, with the status 101, its header fields and timings, and without a body.
    public let response: NetworkResponse
    package let channel: any WebSocketChannel

    /// Creates a WebSocket over a channel: that of an engine, or of a test.
    ///
    /// - Parameters:
    ///   - subprotocol: The subprotocol that the server has chosen.
    ///   - response: The response of the server.
    package init(channel: any WebSocketChannel, subprotocol: String?, response: NetworkResponse) {
        self.channel = channel
        self.subprotocol = subprotocol
        self.response = response
    }

    deinit {
        channel.abandon()
    }

    // MARK: Sending

    /// Sends a message, and suspends while more than 256 KiB wait to be sent.
    ///
    /// Messages are sent in the order of the calls. Those of more than 256 KiB are sent in fragments.
    ///
    /// - Throws: ``WebSocketError``: ``WebSocketError/Code/closed`` after a close frame was sent or received;
    ///   ``WebSocketError/Code/cancelled`` when the task is cancelled while it waits, which closes the WebSocket.
    public func send(_ message: WebSocketMessage) async throws {
        try await sendMessage(message)
    }

    /// ``send(_:)`` with the type of its errors.
    package func sendMessage(_ message: WebSocketMessage) async throws(WebSocketError) {
        let rest = try channel.beginSending(message)
        if rest != .nothing { try await channel.finishSending(message, rest) }
    }

    /// Sends a message whose length is not known before, a fragment for each chunk (RFC 6455 §5.4). Other messages wait until its end. On Apple
    /// platforms, the chunks are collected in memory first, as `URLSession` sends whole messages; a text that is not UTF-8 is then
    /// ``WebSocketError/Code/coding``.
    ///
    /// - Parameters:
    ///   - chunks: The parts of the message. Those of a text may be split at any byte. Iterated on the calling task.
    ///   - kind: The type of the message. The bytes of a text are not validated.
    /// - Throws: ``WebSocketError``. If the sequence throws, the WebSocket is closed with the code 1011, and the error is
    ///   ``WebSocketError/underlying``.
    public func send<Chunks: AsyncSequence>(
        _ chunks: Chunks, as kind: WebSocketMessage.Kind
    ) async throws where Chunks.Element == Data {
        try await channel.send(chunks, as: kind)
    }

    /// Sends a value as a text of JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: Default: a new one, which writes dates as RFC 3339.
    /// - Throws: ``WebSocketError``, with ``WebSocketError/Code/coding`` if the value cannot be encoded; nothing is sent then.
    public func send(
        json value: some Encodable, encoder: TransferJSONEncoder = TransferJSONEncoder()
    ) async throws {
        try await send(.json(value, encoder))
    }

    // MARK: Receiving

    /// Returns the next message, and suspends until there is one. Only one task may receive at a time.
    ///
    /// - Returns: `nil` after the end, if the peer has closed the connection with the code 1000 or 1001, or none, or this side has closed it.
    /// - Throws: ``WebSocketError`` if it has ended otherwise. Messages that were received completely are returned before.
    public func receive() async throws -> WebSocketMessage? {
        try await nextMessage()
    }

    /// ``receive()`` with the type of its errors.
    package func nextMessage() async throws(WebSocketError) -> WebSocketMessage? {
        if let message = try channel.beginReceiving() { return message }
        return try await channel.finishReceiving()
    }

    /// The messages, from the next one on. The sequence ends, and throws, as ``receive()`` does.
    public var messages: WebSocketSequence<WebSocketMessage> { WebSocketSequence { [self] in try await receive() } }

    /// The messages as sequences of chunks, each of which is returned as soon as it has begun, for those that are larger than memory, or whose beginning is needed before their end. On Apple platforms,
    /// each has one chunk, as `URLSession` receives whole messages. What is not read of a message is skipped when the next one is requested.
    ///
    /// ```swift
    /// for try await message in socket.streams {
    ///     for try await chunk in message { file.write(chunk) }
    /// }
    /// ```
    public var streams: WebSocketSequence<WebSocketStream> {
        WebSocketSequence { [self] in try await channel.nextStream().map { WebSocketStream(kind: $0, socket: self) } }
    }

    /// The messages, decoded.
    ///
    /// ```swift
    /// for try await event in socket.messages(as: .json(Event.self)) { print(event) }
    /// ```
    public func messages<Value>(as decoder: WebSocketDecoder<Value>) -> WebSocketSequence<Value> {
        WebSocketSequence { [self] in
            guard let message = try await receive() else { return nil }
            do {
                return try decoder.decode(message)
            } catch {
                throw WebSocketError(.coding, "a message (\(message)) cannot be decoded as \(Value.self)", underlying: error)
            }
        }
    }

    // MARK: Pings and the end

    /// Sends a ping, and returns the time until its pong.
    ///
    /// - Parameter limit: The maximum time to wait. Default: 20 seconds.
    /// - Throws: ``WebSocketError``, with ``WebSocketError/Code/pingTimeout`` if there is no pong in time. The WebSocket is not closed.
    public func ping(within limit: Duration = .seconds(20)) async throws -> Duration {
        try await channel.ping(within: limit)
    }

    /// Closes the WebSocket: sends a close frame, and waits for that of the peer, for at most ``WebSocketOptions/closeTimeout``.
    ///
    /// Messages that arrive meanwhile are still received, until about 256 KiB of them are queued. Messages whose sending has ended are sent before; a
    /// message of which only some fragments were sent is cut off. Further calls have no effect.
    ///
    /// - Parameters:
    ///   - code: Why. Default: 1000. One that must not be sent (RFC 6455 §7.4.1) is replaced by it.
    ///   - reason: For people, at most 123 bytes of UTF-8; more are cut off.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async {
        await channel.close(code.mayBeSent ? code : .normal, reason: reason)
    }

    /// Closes the WebSocket at once, without waiting for the peer. Everything that waits ends with ``WebSocketError/Code/cancelled``.
    public func cancel() {
        channel.cancel()
    }

    /// The code and the reason of the peer's close frame; `nil` if none was received.
    public var closeStatus: (code: WebSocketCloseCode, reason: String)? { channel.closeStatus }
}

/// What a WebSocket uses: frames over a connection of the engine, `URLSession`, or a test double.
package protocol WebSocketChannel: AnyObject, Sendable {
    /// Sends a message as far as that is possible without suspending. Unless nothing is left, ``finishSending(_:_:)`` has to be called.
    func beginSending(_ message: WebSocketMessage) throws(WebSocketError) -> WebSocketSendingRest
    func finishSending(_ message: WebSocketMessage, _ rest: WebSocketSendingRest) async throws(WebSocketError)
    func send<Chunks: AsyncSequence>(
        _ chunks: Chunks, as kind: WebSocketMessage.Kind
    ) async throws(WebSocketError) where Chunks.Element == Data
    /// Returns the next message if that is possible without suspending. Otherwise, ``finishReceiving()`` has to be called.
    func beginReceiving() throws(WebSocketError) -> WebSocketMessage?
    func finishReceiving() async throws(WebSocketError) -> WebSocketMessage?
    /// Begins the next message, and returns its type; `nil` at the end.
    func nextStream() async throws(WebSocketError) -> WebSocketMessage.Kind?
    /// Returns the next part of the message that was begun; `nil` at its end.
    func nextChunk() async throws(WebSocketError) -> Data?
    func ping(within limit: Duration) async throws(WebSocketError) -> Duration
    func close(_ code: WebSocketCloseCode, reason: String) async
    func cancel()
    /// The user has released the WebSocket.
    func abandon()
    var closeStatus: (code: WebSocketCloseCode, reason: String)? { get }
}

/// What is left of the sending of a message.
package enum WebSocketSendingRest: Sendable {
    case nothing
    /// To wait until there is room for the next message.
    case room
    /// Everything.
    case message
}

// Each call of an async function costs a switch of executors, more so for a task that prefers an executor. So what has to wait for nothing is
// done without.
extension WebSocketChannel {
    package func beginSending(_ message: WebSocketMessage) throws(WebSocketError) -> WebSocketSendingRest { .message }

    package func beginReceiving() throws(WebSocketError) -> WebSocketMessage? { nil }
}

extension WebSocket: RedactedStringConvertible {}
