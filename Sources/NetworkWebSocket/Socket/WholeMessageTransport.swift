import Foundation
import NetworkCore
import NetworkSupport

/// Sends whole messages with an engine that handles the frames itself: `URLSession`. It adds what that lacks: a limit of what waits to be sent, and a
/// close handshake that ends.
///
/// One message is requested at a time, ahead of the reader, as long as less than 256 KiB are queued: so pongs and close frames are received while no task
/// reads. With more, nothing is requested, which in turn stops the peer.
final class WholeMessageTransport: SocketTransport {
    /// The messages that were not passed to the system.
    private struct Unsent: PipeContent {
        var count = 0
        var weight = 0
        /// The close frame that follows them.
        var close: (code: WebSocketCloseCode, reason: String)?
        /// Whether there is, or was, a close frame.
        var isClosing = false

        mutating func removeAll() {
            (count, weight) = (0, 0)
        }
    }

    private struct State {
        weak var socket: WebSocketConnection?
        /// Whether a message was requested that has not arrived.
        var isRequested = false
        var isEnding = false
        /// Whether the connection has ended.
        var isGone = false
    }

    /// Kept, as its release would end the connection.
    private let messages: UpgradedMessages
    private let limits: WebSocketOptions
    private let time: TimeSource
    private let unsent = BoundedPipe<Unsent, Never, TransportError>(Unsent(), capacity: 256 << 10)
    private let state = Locked(State())
    private let isEnded = Promise<Void>()

    init(_ messages: UpgradedMessages, _ limits: WebSocketOptions, _ time: TimeSource) {
        self.messages = messages
        self.limits = limits
        self.time = time
    }

    var frames: FrameTransport? { nil }

    func start(_ socket: WebSocketConnection) {
        state.withLock { $0.socket = socket }
        messages.transport.start(self, maximumMessageBytes: limits.maximumMessageBytes)
        resumeReading()
    }

    // MARK: Sending

    func send(_ message: WebSocketMessage) throws(SendingFailure) -> Bool {
        let weight = message.byteCount + 64
        let isOpen = unsent.access { state in
            guard state.end == nil, !state.content.isClosing else { return false }
            state.content.count += 1
            state.content.weight += weight
            return true
        }
        guard isOpen else { throw .closed }
        messages.transport.send(UpgradedMessage(message)) { self.didSend(weight) }
        return unsent.access { $0.hasRoom }
    }

    private func didSend(_ weight: Int) {
        let close = unsent.access { state -> (code: WebSocketCloseCode, reason: String)? in
            state.content.count -= 1
            state.content.weight -= weight
            guard state.content.count == 0 else { return nil }
            defer { state.content.close = nil }
            return state.content.close
        }
        if let close { pass(close.code, close.reason) }
    }

    func waitForRoom() async throws(TransportError) {
        try await unsent.waitForRoom(cancellation: .taskCancelled(phase: .send))
    }

    func ping(_ number: UInt64?, of socket: WebSocketConnection) throws(SendingFailure) {
        messages.transport.ping { [weak socket] in socket?.receivePong(number) }
    }

    func sendClose(_ code: WebSocketCloseCode, _ reason: String) {
        let isNow = unsent.access { state in
            state.content.isClosing = true
            if state.content.count > 0 { state.content.close = (code, reason) }
            return state.content.count == 0
        }
        if isNow { pass(code, reason) }
    }

    /// Passes a close frame to the system, of whose reason at most 123 bytes are sent.
    private func pass(_ code: WebSocketCloseCode, _ reason: String) {
        let payload = WebSocketClosePayload.make(code, reason)
        messages.transport.close(code: code.rawValue, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    }

    // MARK: Receiving

    /// Requests a message, unless one was requested.
    func resumeReading() {
        let isNew = state.withLock { state in
            if state.isRequested || state.isGone { return false }
            state.isRequested = true
            return true
        }
        if isNew { messages.transport.requestMessage() }
    }

    // MARK: The end

    func close(_ closing: SocketClosing) {
        guard closing == .afterPeer else {
            if closing == .atOnce || !state.withLock(\.isGone) { messages.transport.cancel() }
            return
        }
        let isFirst = state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding && !state.isGone
        }
        guard isFirst else { return }
        let limit = limits.closeTimeout
        Task {
            await isEnded.value(within: { limit }, on: time, lateness: {}, cancellation: {})
            // Has no effect after the end.
            messages.transport.cancel()
        }
    }

    func socketDidEnd() {
        unsent.finish(.failure(TransportError(.cancelled, "the WebSocket has ended", phase: .send)))
    }
}

extension WholeMessageTransport: MessageReceiver {
    func receive(_ message: UpgradedMessage) {
        let socket = state.withLock { state in
            state.isRequested = false
            return state.socket
        }
        if let socket, socket.receive(message) { resumeReading() }
    }

    func messageIsTooLarge() {
        state.withLock(\.socket)?.messageIsTooLarge()
    }

    func connectionDidEnd(_ end: MessageEnd) {
        let socket = state.withLock { state in
            state.isGone = true
            return state.socket
        }
        isEnded.resolve(())
        socket?.connectionDidEnd(end)
    }

    func sessionWillClose() {
        state.withLock(\.socket)?.sessionWillClose()
    }
}

extension UpgradedMessage {
    fileprivate init(_ message: WebSocketMessage) {
        switch message {
        case .text(let text): self = .text(text)
        case .binary(let data): self = .binary(data)
        }
    }
}
