import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A WebSocket that opens another connection when one is lost.
///
/// ```swift
/// let live = ReconnectingWebSocket {
///     try await service.webSocket(for: Endpoint<Void>(path: "live"))
/// } onOpen: { socket in
///     try await socket.send(json: Subscription(room: 7))
/// }
/// for try await message in live.messages { print(message) }
/// ```
///
/// A handshake is a GET request, which is safe to repeat; a message is never sent again.
///
/// Messages that were sent or received around the loss of a connection may be lost: `onOpen` says again what the server must know, such as
/// subscriptions and the number of the last message. The connection is opened, and opened again, by the task that receives.
public final class ReconnectingWebSocket: Sendable {
    /// Opens a connection. The policy decides about a ``WebSocketError``; any other error ends the ``ReconnectingWebSocket``, as
    /// ``WebSocketError/underlying`` of a ``WebSocketError/Code/requestFailed``.
    public typealias Open = @Sendable () async throws -> WebSocket
    /// Sends what the server must know on each connection. A ``WebSocketError`` that it throws ends that connection; any other error ends
    /// the ``ReconnectingWebSocket``.
    public typealias OnOpen = @Sendable (WebSocket) async throws -> Void

    private struct State {
        var socket: WebSocket?
        var failures = 0
        var isClosed = false
        /// Ends the pause before the next attempt.
        var pause: Promise<Void>?
    }

    private let open: Open
    private let onOpen: OnOpen
    private let policy: WebSocketReconnection
    private let time: TimeSource
    private let state = Locked(State())

    /// Creates a WebSocket without opening a connection.
    ///
    /// - Parameters:
    ///   - policy: When to reconnect, and when to fail.
    ///   - open: Opens a connection. Called for each, on the task that receives.
    ///   - onOpen: Called on each connection, before its messages are received. Default: does nothing.
    public init(
        _ policy: WebSocketReconnection = WebSocketReconnection(), open: @escaping Open, onOpen: @escaping OnOpen = { _ in }
    ) {
        self.policy = policy
        self.open = open
        self.onOpen = onOpen
        time = TimeSource(policy.clock)
    }

    /// The current connection; `nil` while it is not connected.
    public var socket: WebSocket? { state.withLock(\.socket) }

    /// Sends a message on the current connection.
    ///
    /// - Throws: ``WebSocketError``: ``WebSocketError/Code/connectionLost`` while it is not connected.
    public func send(_ message: WebSocketMessage) async throws {
        guard let socket else { throw WebSocketError(.connectionLost, "the WebSocket is not connected at the moment") }
        try await socket.send(message)
    }

    /// Sends a value as a text of JSON on the current connection.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: Default: a new one, which writes dates as RFC 3339.
    /// - Throws: ``WebSocketError``: ``WebSocketError/Code/coding`` if the value cannot be encoded; ``WebSocketError/Code/connectionLost`` while it is not
    ///   connected.
    public func send(
        json value: some Encodable, encoder: TransferJSONEncoder = TransferJSONEncoder()
    ) async throws {
        try await send(.json(value, encoder))
    }

    /// Returns the next message, of this or another connection. Only one task may receive at a time.
    ///
    /// - Returns: `nil` after ``close(_:reason:)``, or if the server has closed the connection with the code 1000 or without one.
    /// - Throws: ``WebSocketError``, if the policy permits no further attempt.
    public func receive() async throws -> WebSocketMessage? {
        while true {
            let failure: WebSocketError
            do throws(WebSocketError) {
                guard let socket = try await connected() else { return nil }
                if let message = try await socket.nextMessage() {
                    state.withLock { $0.failures = 0 }
                    return message
                }
                let status = socket.closeStatus
                guard status?.code == .goingAway, !state.withLock(\.isClosed) else { return nil }
                failure = WebSocketError(.closed, "the server has closed the WebSocket", closeCode: .goingAway)
            } catch {
                // The connection belongs to the other task.
                if error.code == .concurrentReceive { throw error }
                failure = error
            }
            try await pause(after: failure)
        }
    }

    /// The messages, from the next one on. The sequence ends, and throws, as ``receive()`` does.
    public var messages: AsyncThrowingStream<WebSocketMessage, any Error> {
        AsyncThrowingStream { try await self.receive() }
    }

    /// The messages, decoded. One that cannot be decoded ends the sequence.
    public func messages<Value: Sendable>(as decoder: WebSocketDecoder<Value>) -> AsyncThrowingStream<Value, any Error> {
        AsyncThrowingStream { try await self.receive().map(decoder.decode) }
    }

    /// Closes the current connection, as ``WebSocket/close(_:reason:)`` does, and opens no other.
    public func close(_ code: WebSocketCloseCode = .normal, reason: String = "") async {
        let (socket, pause) = state.withLock { state in
            state.isClosed = true
            return (state.socket, state.pause)
        }
        pause?.resolve(())
        await socket?.close(code, reason: reason)
    }

    /// Returns the current connection, or opens one; `nil` if it was closed.
    private func connected() async throws(WebSocketError) -> WebSocket? {
        let (socket, isClosed) = state.withLock { ($0.socket, $0.isClosed) }
        if let socket { return socket }
        if isClosed { return nil }
        let new: WebSocket
        do {
            new = try await open()
        } catch let error as WebSocketError {
            throw error
        } catch {
            throw WebSocketError(.requestFailed, "the WebSocket could not be opened", underlying: error)
        }
        do {
            try await onOpen(new)
        } catch let error as WebSocketError {
            throw error
        } catch {
            await new.close(.internalError)
            throw WebSocketError(.coding, "onOpen has failed", underlying: error)
        }
        let mustClose = state.withLock { state in
            if !state.isClosed { state.socket = new }
            return state.isClosed
        }
        guard mustClose else { return new }
        await new.close()
        return nil
    }

    /// Waits before another attempt.
    ///
    /// - Throws: The failure, if there is none.
    private func pause(after failure: WebSocketError) async throws(WebSocketError) {
        let promise = Promise<Void>()
        let (failures, isClosed) = state.withLock { state in
            state.socket = nil
            state.failures += 1
            state.pause = promise
            return (state.failures, state.isClosed)
        }
        if isClosed { return }
        guard !Task.isCancelled else { throw .cancelled }
        guard WebSocketReconnection.isTemporary(failure), failures <= max(1, policy.maximumAttempts) else { throw failure }
        let asked = (failure.underlying as? NetworkError)?.response.flatMap { RetryAfter($0.headers).pause }
        let duration = policy.backoff.pause(afterFailures: failures, requested: asked, random: .random(in: 0..<1))
        await promise.value(within: { duration }, on: time, lateness: {}, cancellation: {})
        if Task.isCancelled { throw .cancelled }
    }
}

extension ReconnectingWebSocket: RedactedStringConvertible {}
