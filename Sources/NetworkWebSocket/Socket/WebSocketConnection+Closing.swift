import Foundation
import NetworkCore
import NetworkSupport

// The end, by either side.
extension WebSocketConnection {
    /// Records the end, unless there was one, and wakes everything that waits. A close frame of the peer takes precedence over `end`.
    func finish(_ end: End) {
        let (reader, pings, waiters, task, final) = state.withLock { state in
            if state.end == nil { state.end = state.peerClose?.end ?? end }
            state.isOver = true
            let taken = (state.reader, state.pings, state.closeWaiters, state.keepAliveTask, state.end ?? end)
            state.reader = nil
            state.pings = []
            state.closeWaiters = []
            state.keepAliveTask = nil
            return taken
        }
        task?.cancel()
        reader?.resume()
        for waiter in waiters { waiter.resolve(()) }
        guard !pings.isEmpty else { return }
        let error = if case .failed(let error) = final { error } else { closedError() }
        for ping in pings { ping.promise.resolve(.failure(error)) }
    }

    /// Ends the connection because of an error, which is reported to the peer.
    func fail(_ error: WebSocketError) {
        sendClose(error.closeCode ?? .goingAway, error.closeCode == nil ? "" : error.message)
        var error = error
        error.closeCode = error.closeCode ?? .goingAway
        finish(.failed(error))
        transport.close(awaitsPeer: true)
    }

    /// Ends the connection at once.
    package func cancel() {
        sendClose(.goingAway, "")
        finish(.failed(.cancelled))
        transport.close(awaitsPeer: false)
    }

    /// Ends the connection after its user has released it.
    package func abandon() {
        let isOver = state.withLock { $0.end != nil }
        guard !isOver else { return transport.close(awaitsPeer: true) }
        sendClose(.goingAway, "")
        finish(.failed(.cancelled))
        transport.close(awaitsPeer: true)
    }

    func beginClosing(_ code: WebSocketCloseCode, _ reason: String) {
        let isPaused = state.withLock { state in
            if !state.isClosing { state.hasClosedFirst = true }
            state.isClosing = true
            defer { state.isPaused = false }
            return state.isPaused
        }
        sendClose(code, reason)
        if isPaused { transport.resumeReading() }
    }

    private func sendClose(_ code: WebSocketCloseCode, _ reason: String) {
        state.withLock { $0.isClosing = true }
        let payload = WebSocketClosePayload.make(code, reason)
        _ = try? sendFrame(.close, payload)
    }

    /// Sends a close frame, and waits for that of the peer, for at most the close timeout.
    package func close(_ code: WebSocketCloseCode, _ reason: String) async {
        beginClosing(code, reason)
        let promise = Promise<Void>()
        let isOver = state.withLock { state in
            if state.end == nil { state.closeWaiters.append(promise) }
            return state.end != nil
        }
        if !isOver {
            let limit = limits.closeTimeout
            await promise.value(within: { limit }, on: time, lateness: {}, cancellation: {})
        }
        finish(.orderly)
        transport.close(awaitsPeer: role == .client)
    }

    /// The code and the reason of the peer's close frame.
    package var closeStatus: (code: WebSocketCloseCode, reason: String)? { state.withLock(\.closeStatus) }

    func closedError() -> WebSocketError {
        WebSocketError(.closed, "the WebSocket is closed", closeCode: state.withLock { $0.peerClose?.code })
    }

    /// The error of a call after the end.
    var endError: WebSocketError {
        if case .failed(let error) = state.withLock({ $0.end ?? $0.peerClose?.end }) { error } else { closedError() }
    }
}
