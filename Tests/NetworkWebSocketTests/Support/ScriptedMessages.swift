import Foundation
import NetworkCore
import NetworkWebSocket
import TransferTestSupport

/// The transport of a WebSocket whose engine handles the frames itself. The test is that engine.
final class ScriptedMessages: MessageTransport {
    struct State {
        var receiver: (any MessageReceiver)?
        var maximumBytes = 0
        var sent: [UpgradedMessage] = []
        var completions: [@Sendable () -> Void] = []
        /// Whether messages are passed to the system at once.
        var sendsAtOnce = true
        var requests = 0
        var pings: [@Sendable () -> Void] = []
        var closes: [(code: UInt16, reason: String)] = []
        var cancellations = 0
    }

    let state = Watched(State())

    // MARK: For the test

    /// Passes a message to the channel, if it has requested one.
    ///
    /// - Returns: Whether it has.
    @discardableResult
    func feed(_ message: UpgradedMessage) -> Bool {
        let receiver = state.withLock { state -> (any MessageReceiver)? in
            guard state.requests > 0 else { return nil }
            state.requests -= 1
            return state.receiver
        }
        receiver?.receive(message)
        return receiver != nil
    }

    func end(_ end: MessageEnd) {
        let receiver = state.withLock { state in
            defer { state.receiver = nil }
            return state.receiver
        }
        receiver?.connectionDidEnd(end)
    }

    /// Passes the messages that were sent to the system.
    func flush() {
        let completions = state.withLock { state in
            defer { state.completions = [] }
            return state.completions
        }
        for completion in completions { completion() }
    }

    /// Ends the connection at the end of a test, so that the transport and the channel do not retain each other.
    func release() {
        end(.lost(nil))
        flush()
        // What they retain is released without the lock, as it may call this transport.
        _ = state.withLock { state in
            defer { state.pings = [] }
            return state.pings
        }
    }

    func pong() {
        let ping = state.withLock { $0.pings.isEmpty ? nil : $0.pings.removeFirst() }
        ping?()
    }

    var sent: [UpgradedMessage] { state.withLock(\.sent) }
    var closes: [UInt16] { state.withLock { $0.closes.map(\.code) } }
    var cancellations: Int { state.withLock(\.cancellations) }

    // MARK: MessageTransport

    func start(_ receiver: any MessageReceiver, maximumMessageBytes: Int) {
        state.withLock { state in
            state.receiver = receiver
            state.maximumBytes = maximumMessageBytes
        }
    }

    func send(_ message: UpgradedMessage, completion: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            state.sent.append(message)
            if !state.sendsAtOnce { state.completions.append(completion) }
            return state.sendsAtOnce
        }
        if isNow { completion() }
    }

    func requestMessage() { state.withLock { $0.requests += 1 } }
    func ping(onPong: @escaping @Sendable () -> Void) { state.withLock { $0.pings.append(onPong) } }
    func close(code: UInt16, reason: String) { state.withLock { $0.closes.append((code, reason)) } }
    func cancel() { state.withLock { $0.cancellations += 1 } }
}

extension WebSocket {
    /// A WebSocket over a transport of messages.
    static func over(
        _ transport: ScriptedMessages, _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) -> WebSocket {
        let options = WebSocketOptions {
            $0.pingInterval = nil
            change(&$0)
        }
        let channel = WebSocketConnection(UpgradedMessages(transport, subprotocol: nil), options: options)
        channel.start()
        return WebSocket(
            channel: channel, subprotocol: nil, response: NetworkResponse(statusCode: 101, url: URL(fileURLWithPath: "/")))
    }
}
