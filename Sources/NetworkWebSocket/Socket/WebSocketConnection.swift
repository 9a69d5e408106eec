import Foundation
import NetworkCore
import NetworkSupport

/// One side of an established WebSocket (RFC 6455): does what its ``SocketState`` says.
///
/// Its transport sends frames over a connection of any kind, or whole messages with an engine that handles the frames itself. What is received is passed to it,
/// and queued for one reader. If about 256 KiB are queued, the transport is not read.
package final class WebSocketConnection: Sendable {
    struct Held {
        var state: SocketState
        /// Makes events of received bytes; `nil` for whole messages.
        var frames: FrameReceiver?
        /// For the task that has claimed the right to receive.
        let reading: MessageReading
        var reader: UnsafeContinuation<Void, Never>?
        var pings: [UInt64: Promise<Result<Duration, WebSocketError>>] = [:]
        var closers: [Promise<Void>] = []
        var keepAliveTask: Task<Void, any Error>?
    }

    let limits: WebSocketOptions
    let time: TimeSource
    let measuresTime: Bool
    let transport: any SocketTransport
    let turn = SendingTurn()
    private let held: Locked<Held>

    /// Creates a side of a connection, which receives nothing before ``start()``.
    package convenience init(
        _ role: WebSocketFrameParser.Role, transport: any UpgradedTransport, handle: UpgradedConnection? = nil,
        options: WebSocketOptions,
        compression: AgreedCompression?
    ) {
        self.init(
            FrameTransport(role, transport, handle: handle, compression: compression), options, TimeSource(options.clock),
            resumption: SocketState.capacity / 2, FrameReceiver(role, allowsCompression: compression != nil), compression)
    }

    /// Creates a WebSocket whose engine handles the frames itself. It receives nothing before ``start()``.
    package convenience init(_ messages: UpgradedMessages, options: WebSocketOptions) {
        let time = TimeSource(options.clock)
        self.init(WholeMessageTransport(messages, options, time), options, time, resumption: SocketState.capacity, nil, nil)
    }

    private init(
        _ transport: any SocketTransport, _ limits: WebSocketOptions, _ time: TimeSource, resumption: Int,
        _ frames: FrameReceiver?,
        _ compression: AgreedCompression?
    ) {
        self.transport = transport
        self.limits = limits
        self.time = time
        let keepAlive = KeepAlive(limits)
        measuresTime = !keepAlive.isIdle
        held = Locked(
            Held(
                state: SocketState(keepAlive: keepAlive, resumption: resumption), frames: frames,
                reading: MessageReading(compression)))
    }

    /// Begins to receive and to send pings.
    package func start() {
        transport.start(self)
        guard measuresTime else { return }
        let task = startKeepAlive()
        let isOver = held.withLock { held in
            held.keepAliveTask = task
            return held.state.queue.end != nil
        }
        if isOver { task.cancel() }
    }

    /// The current time for the limits; zero if there are none.
    var now: Duration { measuresTime ? time.elapsed : .zero }

    /// Changes the state, and then wakes the reader, and the transport, if they waited for that.
    ///
    /// - Parameter wakes: Whether they are woken now; if not, with a later call. Default: `true`.
    func access<Value>(wakes: Bool = true, _ change: (inout Held) -> Value) -> Value {
        guard wakes else { return held.withLock(change) }
        let (value, reader, resumes) = held.withLock { held -> (Value, UnsafeContinuation<Void, Never>?, Bool) in
            let value = change(&held)
            let wakes = held.state.queue.settle()
            var reader: UnsafeContinuation<Void, Never>?
            if wakes.contains(.readerTask) { swap(&reader, &held.reader) }
            return (value, reader, wakes.contains(.writerCallback) && held.state.queue.end == nil)
        }
        reader?.resume()
        if resumes { transport.resumeReading() }
        return value
    }

    /// Resumes the continuation when there is an event, or the end.
    func wait(_ continuation: UnsafeContinuation<Void, Never>) {
        let waits = held.withLock { held in
            guard held.state.queue.awaitContent(.task) else { return false }
            held.reader = continuation
            return true
        }
        if !waits { continuation.resume() }
    }

    // MARK: The end

    /// Records the end, unless there was one, and wakes everything that waits. A close frame of the peer takes precedence over `end`.
    func finish(_ end: SocketState.End) {
        let (pings, closers, task) = access { held in
            held.state.finish(end)
            defer { (held.pings, held.closers, held.keepAliveTask) = ([:], [], nil) }
            return (held.pings, held.closers, held.keepAliveTask)
        }
        task?.cancel()
        for closer in closers { closer.resolve(()) }
        transport.socketDidEnd()
        guard !pings.isEmpty else { return }
        let error = endError
        for ping in pings.values { ping.resolve(.failure(error)) }
    }

    /// Ends the connection because of an error, which is reported to the peer.
    func fail(_ error: WebSocketError) {
        sendClose(error.closeCode ?? .goingAway, error.closeCode == nil ? "" : error.message)
        var error = error
        error.closeCode = error.closeCode ?? .goingAway
        finish(.failure(error))
        transport.close(.afterPeer)
    }

    /// Ends the connection at once.
    package func cancel() {
        if transport.frames != nil { sendClose(.goingAway, "") }
        finish(.failure(.cancelled))
        transport.close(.atOnce)
    }

    /// Ends the connection after its user has released it.
    package func abandon() {
        if access(wakes: false, { $0.state.queue.end == nil }) {
            sendClose(.goingAway, "")
            finish(.failure(.cancelled))
        }
        transport.close(.afterPeer)
    }

    func beginClosing(_ code: WebSocketCloseCode, _ reason: String) {
        let (sendsClose, resumesReading) = access { $0.state.beginClosing() }
        if sendsClose { transport.sendClose(code, reason) }
        if resumesReading { transport.resumeReading() }
    }

    private func sendClose(_ code: WebSocketCloseCode, _ reason: String) {
        if access(wakes: false, { $0.state.markClosing() }) { transport.sendClose(code, reason) }
    }

    /// Sends a close frame, and waits for that of the peer, for at most the close timeout.
    package func close(_ code: WebSocketCloseCode, reason: String) async {
        beginClosing(code, reason)
        let promise = Promise<Void>()
        let isOver = access(wakes: false) { held in
            if held.state.queue.end == nil { held.closers.append(promise) }
            return held.state.queue.end != nil
        }
        if !isOver {
            let limit = limits.closeTimeout
            await promise.value(within: { limit }, on: time, lateness: {}, cancellation: {})
        }
        finish(.success(()))
        transport.close(.afterHandshake)
    }

    package var closeStatus: (code: WebSocketCloseCode, reason: String)? { access(wakes: false, { $0.state.closeStatus }) }

    /// The error of a call after the end.
    var endError: WebSocketError { access(wakes: false, { $0.state.endError }) }
}
