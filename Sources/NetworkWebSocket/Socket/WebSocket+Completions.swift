import Foundation
import NetworkCore

// A closure that is isolated to an actor, such as `{ @MainActor message in … }`, runs on that actor instead of a background thread.
extension WebSocket {
    /// Sends a message, and calls a completion when it was passed to the system.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - completion: Called exactly once, on ``NetworkCore/BackgroundThreads/completions``, where it may do work that blocks.
    /// - Returns: A handle that cancels the sending, which closes the WebSocket if it has begun.
    @discardableResult
    public func send(
        _ message: WebSocketMessage, completion: @escaping @isolated(any) @Sendable (Result<Void, WebSocketError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(completion: completion) { () async throws(WebSocketError) in try await self.sendMessage(message) }
    }

    /// Receives all messages, and passes each to a closure.
    ///
    /// - Parameters:
    ///   - onMessage: Called for each message, one call at a time, on threads that no transfer depends on; it may block, and the next message waits.
    ///   - completion: Called exactly once, after the last message: on ``NetworkCore/BackgroundThreads/completions``.
    /// - Returns: A handle that closes the WebSocket.
    @discardableResult
    public func receive(
        onMessage: @escaping @isolated(any) @Sendable (WebSocketMessage) -> Void,
        completion: @escaping @isolated(any) @Sendable (Result<Void, WebSocketError>) -> Void
    ) -> any NetworkCancellable {
        let onMessage = CallerClosure(onMessage)
        return TaskCancellable(completion: completion) { () async throws(WebSocketError) in
            while let message = try await self.nextMessage() {
                await onMessage.perform(message, on: BackgroundThreads.completions)
            }
        }
    }

    /// Closes the WebSocket, and calls a completion when the peer has responded, or the time has passed.
    ///
    /// - Parameters:
    ///   - code: Why. Default: 1000.
    ///   - reason: For people, at most 123 bytes of UTF-8; more are cut off.
    ///   - completion: Called exactly once, on ``NetworkCore/BackgroundThreads/completions``, where it may do work that blocks.
    public func close(
        _ code: WebSocketCloseCode = .normal, reason: String = "", completion: @escaping @isolated(any) @Sendable () -> Void
    ) {
        let completion = CallerClosure(completion)
        _ = TaskCancellable(completion: { (_: Result<Void, Never>) in completion.call(()) }) { () async throws(Never) in
            await self.close(code, reason: reason)
        }
    }
}
