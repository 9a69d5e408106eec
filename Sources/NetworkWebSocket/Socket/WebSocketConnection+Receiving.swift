import Foundation
import NetworkCore
import NetworkSupport

// Receiving, on the thread of the transport.
extension WebSocketConnection {
    package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let now = measuresTime ? time.elapsed : .zero
        var replies: [(WebSocketOpcode, [UInt8])] = []
        var measured: [Ping] = []
        let (wantsMore, failure, isOver): (Bool, WebSocketViolation?, Bool) = state.withLock { state in
            guard !state.isOver else { return (true, nil, false) }
            state.keepAlive.received(at: now)
            do throws(WebSocketViolation) {
                try parse(bytes, &state, now, &replies, &measured)
            } catch {
                return (true, error, false)
            }
            if state.buffered >= Self.capacity, !state.isClosing { state.isPaused = true }
            return (!state.isPaused, nil, state.isOver)
        }
        for (opcode, payload) in replies { reply(opcode, payload) }
        for ping in measured { ping.promise.resolve(.success(time.elapsed - ping.sentAt)) }
        if let failure { fail(failure.error) }
        // The peer's close frame determines the end, which is set here, after the response was sent: a task that finds the end cannot send.
        if isOver { finish(.orderly) }
        return wantsMore
    }

    func parse(
        _ bytes: UnsafeRawBufferPointer, _ state: inout State, _ now: Duration, _ replies: inout [(WebSocketOpcode, [UInt8])],
        _ measured: inout [Ping]
    ) throws(WebSocketViolation) {
        var offset = 0
        // The payload in these bytes that was not copied yet.
        var part = UnsafeRawBufferPointer(start: nil, count: 0)
        while true {
            switch try state.parser.next(bytes, at: &offset) {
            case .needsMore:
                state.keep(&part)
                flushPart(&state, isLast: false)
                return
            case .data(let head):
                guard head.opcode != .continuation else { continue }
                state.current = (Kind(head.opcode), head.isCompressed, false, head.length, Data())
            case .payload(let range):
                state.keep(&part)
                part = UnsafeRawBufferPointer(rebasing: bytes[range])
                // The buffer of a read belongs to the transport, and is not read again.
                if role == .server { state.parser.unmask(UnsafeMutableRawBufferPointer(mutating: part)) }
            case .end(let isLast):
                guard isLast else { continue }
                state.keepAlive.lastMessage = now
                if state.isShortText(part) {
                    guard let text = String(validUTF8: part) else { throw .invalidUTF8 }
                    state.append(.text(text))
                    part = UnsafeRawBufferPointer(start: nil, count: 0)
                } else {
                    state.keep(&part)
                    flushPart(&state, isLast: true)
                }
                state.current = nil
            case .control(.ping, let payload):
                // RFC 6455 §5.5.3: a pong may respond to several pings, to the latest of them.
                if replies.count >= Self.pongsPerRead { replies.removeLast() }
                replies.append((.pong, payload))
            case .control(.pong, let payload):
                // A pong responds to all pings before (RFC 6455 §5.5.3).
                guard let index = state.pings.firstIndex(where: { $0.payload == payload }) else { continue }
                measured += state.pings[...index]
                state.pings.removeSubrange(...index)
            case .control(_, let payload):
                let (code, reason) = try WebSocketClosePayload.parse(payload)
                let isOrderly = code.isOrderly || state.hasClosedFirst
                state.peerClose = (code, reason, isOrderly ? .orderly : .failed(.closed(by: code, reason)))
                state.isOver = true
                if !state.isClosing { replies.append((.close, Array(payload.prefix(2)))) }
                state.isClosing = true
                replies.append((.continuation, []))
                return
            }
        }
    }

    private func flushPart(_ state: inout State, isLast: Bool) {
        guard var current = state.current, isLast || !current.bytes.isEmpty else { return }
        let bytes = current.bytes
        if isLast, !current.hasBegun {
            state.append(.message(current.kind, bytes, isCompressed: current.isCompressed))
            return
        }
        if !current.hasBegun {
            state.append(.begin(current.kind, isCompressed: current.isCompressed, announced: current.announced))
        }
        state.append(.part(bytes, isLast: isLast))
        current.hasBegun = true
        current.bytes = Data()
        state.current = current
    }

    /// Sends a pong or a close frame. The opcode of a continuation ends the connection instead: the close handshake is complete.
    private func reply(_ opcode: WebSocketOpcode, _ payload: [UInt8]) {
        if opcode == .continuation { return transport.close(awaitsPeer: role == .client) }
        // If the peer does not read, it gets no more pongs: they would need memory without bound.
        _ = try? sendFrame(opcode, payload, maximumQueued: opcode == .pong ? 64 << 10 : .max)
    }

    package func flush() {
        let reader = state.withLock { state -> UnsafeContinuation<Void, Never>? in
            guard state.isReadable else { return nil }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume()
    }

    package func connectionDidEnd(_ error: TransportError?) {
        finish(.failed(WebSocketError(error)))
    }

    package func sessionWillClose() {
        beginClosing(.goingAway, "")
    }
}
