import Foundation
import TransferTestSupport

@testable import NetworkEngine
@testable import NetworkTransport
@testable import NetworkURLSession

/// A WebSocket task whose events the test causes.
final class FakeWebSocketTask: WebSocketTask {
    struct State {
        var maximumBytes: Int?
        var sent: [(message: UpgradedMessage, completion: @Sendable ((any Error)?) -> Void)] = []
        var receivers: [@Sendable (Result<UpgradedMessage, any Error>) -> Void] = []
        var pings: [@Sendable ((any Error)?) -> Void] = []
        var closes: [(code: Int, reason: String)] = []
        var cancellations = 0
        var frame: (code: Int, reason: Data?) = (0, nil)
    }

    let state = Watched(State())

    /// Passes a message, or a failure, to the receiver that waits.
    func deliver(_ result: Result<UpgradedMessage, any Error>) {
        let receiver = state.withLock { $0.receivers.isEmpty ? nil : $0.receivers.removeFirst() }
        receiver?(result)
    }

    /// Drops the completions at the end of a test, so that the task and its WebSocket do not retain each other.
    func release() {
        // What they retain is released without the lock, as it may call this task.
        _ = state.withLock { state in
            let completions = (state.sent, state.receivers, state.pings)
            (state.sent, state.receivers, state.pings) = ([], [], [])
            return completions
        }
    }

    static func posix(_ code: CInt) -> NSError { NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [:]) }

    var closes: [Int] { state.withLock { $0.closes.map(\.code) } }
    var cancellations: Int { state.withLock(\.cancellations) }

    // MARK: WebSocketTask

    func limitMessages(toBytes maximum: Int) { state.withLock { $0.maximumBytes = maximum } }

    func send(_ message: UpgradedMessage, completion: @escaping @Sendable ((any Error)?) -> Void) {
        state.withLock { $0.sent.append((message, completion)) }
    }

    func receive(completion: @escaping @Sendable (Result<UpgradedMessage, any Error>) -> Void) {
        state.withLock { $0.receivers.append(completion) }
    }

    func ping(completion: @escaping @Sendable ((any Error)?) -> Void) { state.withLock { $0.pings.append(completion) } }

    func close(code: Int, reason: Data) {
        state.withLock { $0.closes.append((code, String(decoding: reason, as: UTF8.self))) }
    }

    func cancel() { state.withLock { $0.cancellations += 1 } }

    var closeFrame: (code: Int, reason: Data?) { state.withLock(\.frame) }
}

/// Records what a channel receives.
final class RecordingReceiver: MessageReceiver {
    struct State {
        var messages: [UpgradedMessage] = []
        var tooLarge = 0
        var ends: [MessageEnd] = []
        var closings = 0
    }

    let state = Watched(State())

    func receive(_ message: UpgradedMessage) { state.withLock { $0.messages.append(message) } }
    func messageIsTooLarge() { state.withLock { $0.tooLarge += 1 } }
    func connectionDidEnd(_ end: MessageEnd) { state.withLock { $0.ends.append(end) } }
    func sessionWillClose() { state.withLock { $0.closings += 1 } }

    /// The ends as texts, such as `closed 1000 done` and `lost connectionLost`.
    var ends: [String] {
        state.withLock(\.ends).map { end in
            switch end {
            case .closed(let code, let reason): "closed \(code) \(reason)"
            case .lost(let error): "lost \(error?.code.rawValue ?? "")"
            }
        }
    }
}

extension NetworkRequest {
    /// A request that opens a WebSocket at a host that does not exist.
    static func webSocket(_ url: String = "https://host.invalid/live?room=7") throws -> NetworkRequest {
        var request = try unsent(url)
        request.isStreamed = true
        for (name, value) in [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", "x"), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Protocol", "chat, other"), ("Authorization", "Bearer x"),
        ] {
            request.headers.set(value, for: name)
        }
        return request
    }
}
