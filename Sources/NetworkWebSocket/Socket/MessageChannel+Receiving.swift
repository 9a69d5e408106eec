import Foundation
import NetworkCore
import NetworkSupport

/// Messages that were received and not read, in their order.
struct MessageQueue {
    private var messages: [UpgradedMessage] = []
    /// The index of the next message.
    private var first = 0
    /// The number of bytes, with 64 for each message.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == messages.count }

    mutating func append(_ message: UpgradedMessage) {
        messages.append(message)
        byteCount += message.byteCount + 64
    }

    mutating func takeFirst() -> UpgradedMessage? {
        guard !isEmpty else { return nil }
        let message = messages[first]
        first += 1
        byteCount -= message.byteCount + 64
        if isEmpty || first == 1024 {
            messages.removeFirst(first)
            first = 0
        }
        return message
    }
}

// Reading from a WebSocket whose engine handles the frames itself.
extension MessageChannel {
    package func receive() async throws(WebSocketError) -> WebSocketMessage? {
        try claim()
        defer { unclaim() }
        state.withLock { $0.stream = nil }
        return try await nextMessage()
    }

    /// Waits for the whole next message, as `URLSession` receives whole messages.
    package func nextStream() async throws(WebSocketError) -> WebSocketMessage.Kind? {
        try claim()
        defer { unclaim() }
        state.withLock { $0.stream = nil }
        let message = try await nextMessage()
        if let data = message?.data, !data.isEmpty { state.withLock { $0.stream = data } }
        return message?.kind
    }

    package func nextChunk() async throws(WebSocketError) -> Data? {
        try claim()
        defer { unclaim() }
        return state.withLock { state in
            defer { state.stream = nil }
            return state.stream
        }
    }

    /// Requests a message, if there is room for it and none was requested.
    func requestMessage() {
        let isWanted = state.withLock { state in
            guard state.end == nil, !state.isGone, !state.isRequested else { return false }
            state.isRequested = state.queue.byteCount < Self.capacity || state.isClosing
            return state.isRequested
        }
        if isWanted { transport.requestMessage() }
    }

    /// Claims the right to receive.
    private func claim() throws(WebSocketError) {
        let isFree = state.withLock { state in
            defer { state.isClaimed = true }
            return !state.isClaimed
        }
        guard isFree else { throw WebSocketError(.concurrentReceive, "two tasks receive from one WebSocket at the same time") }
    }

    private func unclaim() {
        state.withLock { $0.isClaimed = false }
    }

    /// Returns the next message, and suspends until there is one; `nil` after an orderly end.
    private func nextMessage() async throws(WebSocketError) -> WebSocketMessage? {
        while true {
            let (message, end) = state.withLock { state in (state.queue.takeFirst(), state.end) }
            if let message {
                requestMessage()
                return WebSocketMessage(message)
            }
            switch end {
            case .orderly: return nil
            case .failed(let error): throw error
            case nil: break
            }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.queue.isEmpty, state.end == nil {
                            state.reader = continuation
                            return false
                        }
                        return true
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                cancel()
            }
        }
    }
}

extension WebSocketMessage {
    fileprivate init(_ message: UpgradedMessage) {
        switch message {
        case .text(let text): self = .text(text)
        case .binary(let data): self = .binary(data)
        }
    }
}
