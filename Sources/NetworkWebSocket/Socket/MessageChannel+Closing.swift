import Foundation
import NetworkCore
import NetworkSupport

// The end of a WebSocket whose engine handles the frames itself.
extension MessageChannel {
    package func close(_ code: WebSocketCloseCode, reason: String) async {
        beginClosing(code, reason)
        await endTransport()
        finish(.orderly)
    }

    package func cancel() {
        finish(.failed(.cancelled))
        transport.cancel()
    }

    package func abandon() {
        let isGone = state.withLock(\.isGone)
        if !isGone { Task { await close(.goingAway, reason: "") } }
    }

    /// Ends the connection because of an error, which is reported to the peer.
    func fail(_ error: WebSocketError) {
        state.withLock { $0.isClosing = true }
        finish(.failed(error))
        passClose(error.closeCode ?? .goingAway, error.closeCode == nil ? "" : error.message)
        Task { await endTransport() }
    }

    /// Sends a close frame, after the messages that are being sent.
    private func beginClosing(_ code: WebSocketCloseCode, _ reason: String) {
        let isNow = state.withLock { state in
            guard !state.isClosing, state.end == nil else { return false }
            state.isClosing = true
            if state.unsent > 0 { state.pendingClose = (code, reason) }
            return state.unsent == 0
        }
        if isNow { passClose(code, reason) }
        // Messages beyond the capacity of the queue are dropped from now on, so that the peer's close frame is found.
        requestMessage()
    }

    /// Passes a close frame to the transport, of whose reason at most 123 bytes are sent.
    func passClose(_ code: WebSocketCloseCode, _ reason: String) {
        let payload = WebSocketClosePayload.make(code, reason)
        transport.close(code: code.rawValue, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    }

    /// Waits for the end of the transport, for at most the close timeout, and then ends it.
    private func endTransport() async {
        let promise = Promise<Void>()
        let isGone = state.withLock { state in
            if !state.isGone { state.goneWaiters.append(promise) }
            return state.isGone
        }
        if isGone { return }
        let limit = limits.closeTimeout
        await promise.value(within: { limit }, on: time, lateness: {}, cancellation: {})
        // Has no effect after the end.
        transport.cancel()
    }

    /// Records the end, unless there was one, and wakes everything that waits.
    private func finish(_ end: End) {
        let (reader, pings, senders, task) = state.withLock { state in
            if state.end == nil { state.end = end }
            let taken = (state.reader, state.pings, state.roomWaiters, state.keepAliveTask)
            state.reader = nil
            state.pings = []
            state.roomWaiters = []
            state.keepAliveTask = nil
            return taken
        }
        task?.cancel()
        reader?.resume()
        for sender in senders { sender.resolve(false) }
        guard !pings.isEmpty else { return }
        let error = endError
        for ping in pings { ping.promise.resolve(.failure(error)) }
    }

    /// The error of a call after the end.
    var endError: WebSocketError {
        let (end, status) = state.withLock { ($0.end, $0.closeStatus) }
        if case .failed(let error) = end { return error }
        return WebSocketError(.closed, "the WebSocket is closed", closeCode: status?.code)
    }
}

extension MessageChannel: MessageReceiver {
    package func receive(_ message: UpgradedMessage) {
        guard message.byteCount <= limits.maximumMessageBytes else { return messageIsTooLarge() }
        let now = now
        let reader = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            state.isRequested = false
            guard state.end == nil else { return nil }
            state.keepAlive.received(at: now)
            state.keepAlive.lastMessage = max(state.keepAlive.lastMessage, now)
            if state.isClosing, state.queue.byteCount >= Self.capacity { return nil }
            state.queue.append(message)
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
        requestMessage()
    }

    package func messageIsTooLarge() {
        fail(WebSocketViolation.messageTooLarge(limits.maximumMessageBytes).error)
    }

    package func connectionDidEnd(_ end: MessageEnd) {
        let (ending, waiters) = state.withLock { state -> (End, [Promise<Void>]) in
            state.isGone = true
            defer { state.goneWaiters = [] }
            switch end {
            case .closed(let number, let reason):
                let code = WebSocketCloseCode(rawValue: number)
                state.closeStatus = (code, reason)
                let isOrderly = code.isOrderly || state.isClosing
                return (isOrderly ? .orderly : .failed(.closed(by: code, reason)), state.goneWaiters)
            case .lost(let error):
                // `URLSession` may report no close frame of the peer if this side has sent one.
                let isCutOff = error?.code == .sessionClosed
                return (state.isClosing && !isCutOff ? .orderly : .failed(WebSocketError(error)), state.goneWaiters)
            }
        }
        finish(ending)
        for waiter in waiters { waiter.resolve(()) }
    }

    package func sessionWillClose() {
        beginClosing(.goingAway, "")
    }
}
