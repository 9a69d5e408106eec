import Foundation
import NetworkCore
import NetworkSupport

// Bytes of a connection, on the thread of the transport.
extension WebSocketConnection: UpgradedReceiver {
    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let now = now
        var outcome = FrameReceiver.Outcome()
        let (wantsMore, failure, isOver) = access(wakes: false) { held -> (Bool, WebSocketViolation?, Bool) in
            guard !held.state.isOver else { return (true, nil, false) }
            held.state.keepAlive.received(at: now)
            do throws(WebSocketViolation) {
                try held.frames?.receive(bytes, at: now, into: &held.state, &outcome)
            } catch {
                return (true, error, false)
            }
            return (held.state.wantsMore(), nil, held.state.isOver)
        }
        for payload in outcome.pongs { transport.frames?.sendPong(payload) }
        resolve(outcome.measured)
        if let close = outcome.close { transport.frames?.sendClose(close) }
        if let failure { fail(failure.error) }
        // The peer's close frame determines the end, which is set here, after the response was sent: a task that finds the end cannot send.
        if isOver {
            transport.close(.afterHandshake)
            finish(.success(()))
        }
        return wantsMore
    }

    /// Wakes the reader, once for all bytes of one read.
    package func flush() {
        access { _ in }
    }

    package func connectionDidEnd(_ error: TransportError?) {
        finish(.failure(WebSocketError(error)))
    }

    package func sessionWillClose() {
        beginClosing(.goingAway, "")
    }
}

// Messages of an engine that handles the frames itself.
extension WebSocketConnection {
    /// Returns whether another message should be requested.
    func receive(_ message: UpgradedMessage) -> Bool {
        guard message.byteCount <= limits.maximumMessageBytes else {
            messageIsTooLarge()
            return false
        }
        let now = now
        return access { held in
            guard held.state.queue.end == nil else { return false }
            held.state.keepAlive.received(at: now)
            held.state.keepAlive.lastMessage = max(held.state.keepAlive.lastMessage, now)
            switch message {
            case .text(let text): held.state.receive(.text(text))
            case .binary(let data): held.state.receive(.message(.binary, data, isCompressed: false))
            }
            return held.state.wantsMore()
        }
    }

    func messageIsTooLarge() {
        fail(WebSocketViolation.messageTooLarge(limits.maximumMessageBytes).error)
    }

    func connectionDidEnd(_ end: MessageEnd) {
        switch end {
        case .closed(let code, let reason):
            _ = access(wakes: false) { $0.state.receiveClose(WebSocketCloseCode(rawValue: code), reason) }
            finish(.success(()))
        case .lost(let error):
            // `URLSession` may report no close frame of the peer if this side has sent one.
            let isOrderly = error?.code != .sessionClosed && access(wakes: false, { $0.state.isClosing })
            finish(isOrderly ? .success(()) : .failure(WebSocketError(error)))
        }
    }
}

// Pings and time limits.
extension WebSocketConnection {
    /// Sends a ping, and returns the time until its pong.
    package func ping(within limit: Duration) async throws(WebSocketError) -> Duration {
        let promise = Promise<Result<Duration, WebSocketError>>()
        var generator = SystemRandomNumberGenerator()
        // Random, so that only a peer that has received it can send its pong.
        let number: UInt64 = generator.next()
        let sentAt = time.elapsed
        let isOpen = access(wakes: false) { held in
            guard held.state.addPing(number, at: sentAt) else { return false }
            held.pings[number] = promise
            return true
        }
        guard isOpen else { throw endError }
        defer {
            access(wakes: false) { held in
                held.state.removePing(number)
                held.pings[number] = nil
            }
        }
        do throws(SendingFailure) {
            try transport.ping(number, of: self)
        } catch {
            throw sendingError(error)
        }
        let result = await promise.value(
            within: { limit }, on: time, lateness: { .failure(.pingTimeout(limit)) }, cancellation: { .failure(.cancelled) })
        return try result.get()
    }

    /// The pong of a ping was received; without a number, that of one that nothing waits for.
    func receivePong(_ number: UInt64?) {
        let now = now
        resolve(
            access(wakes: false) { held in
                held.state.keepAlive.received(at: now)
                return number.map { held.state.receivePong($0) } ?? []
            })
    }

    private func resolve(_ measured: [(number: UInt64, sentAt: Duration)]) {
        if measured.isEmpty { return }
        let now = time.elapsed
        for ping in measured {
            let promise = access(wakes: false) { $0.pings.removeValue(forKey: ping.number) }
            promise?.resolve(.success(now - ping.sentAt))
        }
    }

    /// Starts the task that sends pings and enforces the time limits. It does not retain the connection, and ends with it.
    func startKeepAlive() -> Task<Void, any Error> {
        let time = time
        return Task { [weak self] in
            while let pause = self?.checkTimes() { try await time.sleep(for: pause) }
        }
    }

    /// Returns the time until the next check; `nil` after the end.
    private func checkTimes() -> Duration? {
        let now = time.elapsed
        switch access(wakes: false, { $0.state.check(at: now) }) {
        case nil: return nil
        case .sleep(let until): return max(until - now, .milliseconds(1))
        case .ping:
            try? transport.ping(nil, of: self)
            return .zero
        case .fail(.ping): fail(.pingTimeout(limits.pingTimeout))
        case .fail(.idle): fail(WebSocketError(.idleTimeout, "no message for \(limits.idleTimeout ?? .zero) (idleTimeout)"))
        case .fail(.total):
            fail(WebSocketError(.totalTimeout, "the connection has lasted \(limits.totalTimeout ?? .zero) (totalTimeout)"))
        }
        return nil
    }
}

extension WebSocketError {
    fileprivate static func pingTimeout(_ limit: Duration) -> WebSocketError {
        WebSocketError(.pingTimeout, "nothing was received for \(limit) after a ping (pingTimeout)")
    }
}
