import Foundation
import NetworkCore
import NetworkSupport

/// One side of an established WebSocket connection (RFC 6455): frames, pings and the close handshake, over any transport.
///
/// The transport calls it with received bytes. It parses the frames, responds to pings and close frames, and queues the content of messages for
/// one reader, which decodes them (``MessageContent``). If about 256 KiB are queued, the transport is not read.
package final class WebSocketConnection: UpgradedReceiver, KeptAliveConnection {
    typealias Kind = WebSocketMessage.Kind

    /// The number of queued bytes at which the transport is not read.
    static let capacity = 256 << 10
    /// The number of bytes of a frame in which larger messages are sent.
    static let fragmentBytes = 256 << 10
    /// The maximum number of pings to which a pong is sent for the bytes of one read.
    static let pongsPerRead = 64
    /// The maximum number of bytes of a text that is validated when it is received, rather than by the task that reads it.
    static let shortBytes = 16 << 10

    let role: WebSocketFrameParser.Role
    let transport: any UpgradedTransport
    /// Keeps the connection open until the transport releases this receiver.
    let handle: UpgradedConnection?
    let limits: WebSocketOptions
    let time: TimeSource
    let measuresTime: Bool
    let state: Locked<State>
    let outgoing = Outgoing()
    let turn = SendingTurn()
    /// The compression of the messages that are sent. Used by the holder of the turn.
    // Sendable although not checked: only the holder of the turn uses it.
    nonisolated(unsafe) let deflater: MessageDeflater?
    // Only the task that has claimed the right to receive uses it.
    nonisolated(unsafe) let content: MessageContent
    nonisolated(unsafe) var isReadingMessage = false
    nonisolated(unsafe) var lastPartWasRead = false

    /// Creates a connection, which receives nothing before ``start()``.
    package init(
        _ role: WebSocketFrameParser.Role, transport: any UpgradedTransport, handle: UpgradedConnection? = nil,
        options: WebSocketOptions,
        compression: AgreedCompression?
    ) {
        self.role = role
        self.transport = transport
        self.handle = handle
        limits = options
        time = TimeSource(options.clock)
        let keepAlive = KeepAlive(options)
        measuresTime = !keepAlive.isIdle
        state = Locked(
            State(
                parser: WebSocketFrameParser(role, allowsCompression: compression != nil), keepAlive: keepAlive))
        deflater = compression.map(MessageDeflater.init)
        content = MessageContent(compression)
    }

    /// Begins to receive and to send pings.
    package func start() {
        transport.start(self)
        guard measuresTime else { return }
        let task = startKeepAlive()
        let isOver = state.withLock { state in
            state.keepAliveTask = task
            return state.end != nil
        }
        if isOver { task.cancel() }
    }
}
