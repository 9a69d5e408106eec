import Foundation
import NetworkCore
import NetworkSupport

/// The channel of a WebSocket whose engine handles the frames itself: `URLSession`. It adds what that lacks: a queue with a limit, time limits,
/// errors with codes, and a close handshake that ends.
///
/// One message is requested at a time, ahead of the reader, as long as less than 256 KiB are queued: so pongs and close frames are received while
/// no task reads. With more, nothing is requested, which in turn stops the peer.
package final class MessageChannel: WebSocketChannel, KeptAliveConnection {
    /// How the connection has ended.
    enum End {
        case orderly
        case failed(WebSocketError)
    }

    struct State {
        var queue = MessageQueue()
        /// Whether a message was requested that has not arrived.
        var isRequested = false
        var reader: UnsafeContinuation<Void, Never>?
        /// Whether a task receives.
        var isClaimed = false
        /// The content of the message that ``nextStream()`` has begun, if it was not read.
        var stream: Data?
        /// The number of messages, and their bytes, that the transport has not passed to the system.
        var unsent = 0
        var unsentBytes = 0
        var roomWaiters: [Promise<Bool>] = []
        /// The close frame that follows the messages that are being sent.
        var pendingClose: (code: WebSocketCloseCode, reason: String)?
        /// Whether a close frame was sent, or is about to be.
        var isClosing = false
        var end: End?
        /// Whether the transport has ended.
        var isGone = false
        var goneWaiters: [Promise<Void>] = []
        var closeStatus: (code: WebSocketCloseCode, reason: String)?
        var pings: [(number: UInt64, promise: Promise<Result<Duration, WebSocketError>>)] = []
        var lastPing: UInt64 = 0
        var keepAlive = KeepAlive()
        var keepAliveTask: Task<Void, any Error>?
    }

    /// The number of bytes at which no message is requested, and at which senders are suspended.
    static let capacity = 256 << 10

    let transport: any MessageTransport
    /// Keeps the connection open until the transport releases this channel.
    private let handle: UpgradedMessages
    let limits: WebSocketOptions
    let time: TimeSource
    private let measuresTime: Bool
    let state = Locked(State())
    private let turn = SendingTurn()

    /// Creates a channel, which receives nothing before ``start()``.
    package init(_ messages: UpgradedMessages, options: WebSocketOptions) {
        handle = messages
        transport = messages.transport
        limits = options
        time = TimeSource(options.clock)
        let keepAlive = KeepAlive(options)
        measuresTime = !keepAlive.isIdle
        state.withLock { $0.keepAlive = keepAlive }
    }

    /// Begins to receive and to send pings.
    package func start() {
        transport.start(self, maximumMessageBytes: limits.maximumMessageBytes)
        requestMessage()
        guard measuresTime else { return }
        let task = startKeepAlive()
        let isOver = state.withLock { state in
            state.keepAliveTask = task
            return state.end != nil
        }
        if isOver { task.cancel() }
    }

    /// The current time for the limits; zero if there are none.
    var now: Duration { measuresTime ? time.elapsed : .zero }

    package var closeStatus: (code: WebSocketCloseCode, reason: String)? { state.withLock(\.closeStatus) }

    // MARK: Sending

    package func send(_ message: WebSocketMessage) async throws(WebSocketError) {
        try await takeTurn()
        defer { turn.release() }
        try await pass(UpgradedMessage(message))
    }

    /// Collects the chunks in memory, as `URLSession` sends whole messages.
    package func send<Chunks: AsyncSequence>(
        _ chunks: Chunks, as kind: WebSocketMessage.Kind
    ) async throws(WebSocketError) where Chunks.Element == Data {
        try await takeTurn()
        defer { turn.release() }
        var content = Data()
        do {
            for try await chunk in chunks { content.append(chunk) }
        } catch {
            var failure = WebSocketError(.coding, "the chunks of a message have failed", underlying: error)
            failure.closeCode = .internalError
            fail(failure)
            throw failure
        }
        if kind == .binary { return try await pass(.binary(content)) }
        guard let text = String(valid: content) else {
            throw WebSocketError(.coding, "the chunks of a text are not UTF-8; nothing was sent")
        }
        try await pass(.text(text))
    }

    private func takeTurn() async throws(WebSocketError) {
        if turn.take() { return }
        guard await turn.wait() else {
            cancel()
            throw .cancelled
        }
    }

    /// Passes a message to the transport, and suspends while there is no room for another.
    private func pass(_ message: UpgradedMessage) async throws(WebSocketError) {
        let count = message.byteCount + 64
        let now = now
        let isOpen = state.withLock { state in
            guard state.end == nil, !state.isClosing else { return false }
            state.keepAlive.lastMessage = max(state.keepAlive.lastMessage, now)
            state.unsent += 1
            state.unsentBytes += count
            return true
        }
        guard isOpen else { throw endError }
        transport.send(message) { self.didSend(count) }
        let promise = Promise<Bool>()
        let isFull = state.withLock { state in
            guard state.end == nil, state.unsentBytes >= Self.capacity else { return false }
            state.roomWaiters.append(promise)
            return true
        }
        guard isFull else { return }
        if await promise.value(cancellation: { false }) { return }
        if Task.isCancelled { cancel() }
        throw endError
    }

    private func didSend(_ count: Int) {
        let (waiters, close) = state.withLock { state -> ([Promise<Bool>], (code: WebSocketCloseCode, reason: String)?) in
            state.unsent -= 1
            state.unsentBytes -= count
            var (waiters, close): ([Promise<Bool>], (code: WebSocketCloseCode, reason: String)?) = ([], nil)
            if state.unsentBytes < Self.capacity { swap(&waiters, &state.roomWaiters) }
            if state.unsent == 0 { swap(&close, &state.pendingClose) }
            return (waiters, close)
        }
        for waiter in waiters { waiter.resolve(true) }
        if let close { passClose(close.code, close.reason) }
    }

    // MARK: Pings

    package func ping(within limit: Duration) async throws(WebSocketError) -> Duration {
        let promise = Promise<Result<Duration, WebSocketError>>()
        let sentAt = time.elapsed
        let number = state.withLock { state -> UInt64? in
            guard state.end == nil, !state.isClosing else { return nil }
            state.lastPing += 1
            state.pings.append((state.lastPing, promise))
            return state.lastPing
        }
        guard let number else { throw endError }
        transport.ping {
            self.didReceivePong()
            promise.resolve(.success(self.time.elapsed - sentAt))
        }
        let result = await promise.value(
            within: { limit }, on: time, lateness: { .failure(.pingTimeout(limit)) }, cancellation: { .failure(.cancelled) })
        state.withLock { state in state.pings.removeAll { $0.number == number } }
        return try result.get()
    }

    private func didReceivePong() {
        let now = now
        state.withLock { $0.keepAlive.received(at: now) }
    }

    func keepAliveAction(at now: Duration) -> KeepAlive.Action? {
        state.withLock { state in state.end == nil ? state.keepAlive.next(at: now) : nil }
    }

    func sendPing() {
        transport.ping { [weak self] in self?.didReceivePong() }
    }
}

extension UpgradedMessage {
    init(_ message: WebSocketMessage) {
        switch message {
        case .text(let text): self = .text(text)
        case .binary(let data): self = .binary(data)
        }
    }
}
