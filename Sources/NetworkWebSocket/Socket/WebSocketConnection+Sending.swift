import Foundation
import NetworkCore
import NetworkSupport

// Sending frames, pings among them.
extension WebSocketConnection {
    /// Sends a frame.
    ///
    /// - Parameter maximumQueued: The number of bytes before it that may wait to be sent; with more, it is dropped.
    /// - Returns: Whether there is room for another frame.
    @discardableResult
    func sendFrame(
        _ opcode: WebSocketOpcode, _ payload: UnsafeRawBufferPointer, isFinal: Bool = true, isCompressed: Bool = false,
        maximumQueued: Int = .max
    ) throws(WebSocketError) -> Bool {
        var isClosed = false
        let hasRoom: Bool
        do throws(TransportError) {
            hasRoom = try transport.send { buffer in
                isClosed = outgoing.isClosed
                if isClosed || buffer.count > maximumQueued { return }
                if opcode == .close { outgoing.isClosed = true }
                let mask = role == .client ? outgoing.masks.next() : nil
                WebSocketFrameHead(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed, mask: mask)
                    .append(payload, to: &buffer)
            }
        } catch {
            throw sendingError(error)
        }
        if isClosed { throw endError }
        return hasRoom
    }

    @discardableResult
    func sendFrame(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], isFinal: Bool = true, isCompressed: Bool = false, maximumQueued: Int = .max
    ) throws(WebSocketError) -> Bool {
        let result = payload.withUnsafeBytes { payload in
            Result { () throws(WebSocketError) in
                try sendFrame(opcode, payload, isFinal: isFinal, isCompressed: isCompressed, maximumQueued: maximumQueued)
            }
        }
        return try result.get()
    }

    /// The error of sending over a connection that has failed, of which this side may not have been notified yet.
    private func sendingError(_ error: TransportError) -> WebSocketError {
        state.withLock { $0.end == nil } ? WebSocketError(error) : endError
    }

    /// Sends a message, or a part of one. The caller has the turn to send.
    func send(
        _ bytes: UnsafeRawBufferPointer, as opcode: WebSocketOpcode, isCompressed: Bool, isLast: Bool
    ) throws(WebSocketError) -> Bool {
        if measuresTime {
            let now = time.elapsed
            state.withLock { $0.keepAlive.lastMessage = max($0.keepAlive.lastMessage, now) }
        }
        guard isCompressed, let deflater else { return try sendFrame(opcode, bytes, isFinal: isLast) }
        let payload = try deflater.payload(bytes, isLast: isLast)
        return try sendFrame(opcode, payload, isFinal: isLast, isCompressed: opcode != .continuation)
    }

    /// Whether a message of that size is compressed.
    func compresses(_ count: Int) -> Bool { deflater?.compresses(count) ?? false }

    /// Suspends while the transport has no room.
    func waitForRoom() async throws(WebSocketError) {
        do throws(TransportError) {
            try await transport.waitForRoom()
        } catch {
            guard error.code == .cancelled, Task.isCancelled else { throw sendingError(error) }
            cancel()
            throw .cancelled
        }
    }

    /// Sends a ping, and returns the time until its pong.
    package func ping(within limit: Duration) async throws(WebSocketError) -> Duration {
        let promise = Promise<Result<Duration, WebSocketError>>()
        var generator = SystemRandomNumberGenerator()
        let payload = withUnsafeBytes(of: generator.next() as UInt64) { Array($0) }
        let now = time.elapsed
        let isOver = state.withLock { state in
            if state.end == nil { state.pings.append(Ping(payload: payload, sentAt: now, promise: promise)) }
            return state.end != nil
        }
        if isOver { throw endError }
        defer { state.withLock { state in state.pings.removeAll { $0.payload == payload } } }
        try sendFrame(.ping, payload)
        let result = await promise.value(
            within: { limit }, on: time, lateness: { .failure(.pingTimeout(limit)) }, cancellation: { .failure(.cancelled) })
        return try result.get()
    }

    func keepAliveAction(at now: Duration) -> KeepAlive.Action? {
        state.withLock { state in state.end == nil ? state.keepAlive.next(at: now) : nil }
    }

    func sendPing() {
        _ = try? sendFrame(.ping, [UInt8]())
    }
}
