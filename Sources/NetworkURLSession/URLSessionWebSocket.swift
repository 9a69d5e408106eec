import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The methods of `URLSessionWebSocketTask` that are used. All may be called on any thread, and completions are called on any.
protocol WebSocketTask: AnyObject, Sendable {
    func limitMessages(toBytes maximum: Int)
    func send(_ message: UpgradedMessage, completion: @escaping @Sendable ((any Error)?) -> Void)
    func receive(completion: @escaping @Sendable (Result<UpgradedMessage, any Error>) -> Void)
    func ping(completion: @escaping @Sendable ((any Error)?) -> Void)
    func close(code: Int, reason: Data)
    func cancel()
    /// The code and the reason of the close frame; the code is 0 if there was none.
    var closeFrame: (code: Int, reason: Data?) { get }
}

/// A WebSocket of `URLSession`: passes messages on, and decides how it has ended.
///
/// `URLSession` reports one end in several ways, whose order is not documented: failures of what waits, the close frame, and the end of the
/// task. The end here is that of the task, when the others are known, or a failure to receive after a close frame.
final class URLSessionWebSocket: MessageTransport {
    private struct State {
        var receiver: (any MessageReceiver)?
        /// The first failure of a message or a ping.
        var failure: (any Error)?
        var closeFrame: (code: Int, reason: Data?)?
        /// Whether this side has sent a close frame.
        var isClosing = false
        var isSessionClosing = false
        var end: MessageEnd?
    }

    private let task: any WebSocketTask
    private let request: NetworkRequest
    private let state = Locked(State())

    init(_ task: any WebSocketTask, request: NetworkRequest) {
        self.task = task
        self.request = request
    }

    // MARK: Of the channel

    func start(_ receiver: any MessageReceiver, maximumMessageBytes: Int) {
        task.limitMessages(toBytes: maximumMessageBytes)
        let (end, isSessionClosing) = state.withLock { state in
            if state.end == nil { state.receiver = receiver }
            return (state.end, state.isSessionClosing)
        }
        if let end { return receiver.connectionDidEnd(end) }
        if isSessionClosing { receiver.sessionWillClose() }
    }

    func send(_ message: UpgradedMessage, completion: @escaping @Sendable () -> Void) {
        task.send(message) { error in
            if let error { self.fail(error) } else { completion() }
        }
    }

    func requestMessage() {
        task.receive { result in
            switch result {
            case .success(let message): self.state.withLock(\.receiver)?.receive(message)
            case .failure(let error) where Self.isTooLarge(error): self.state.withLock(\.receiver)?.messageIsTooLarge()
            case .failure(let error) where self.state.withLock({ $0.closeFrame != nil }): self.didComplete(error)
            case .failure(let error): self.fail(error)
            }
        }
    }

    func ping(onPong: @escaping @Sendable () -> Void) {
        task.ping { error in
            if let error { self.fail(error) } else { onPong() }
        }
    }

    func close(code: UInt16, reason: String) {
        let isFirst = state.withLock { state in
            defer { state.isClosing = true }
            return !state.isClosing && state.end == nil
        }
        if isFirst { task.close(code: Int(code), reason: Data(reason.utf8)) }
    }

    func cancel() {
        close(code: 1001, reason: "")
        task.cancel()
    }

    /// Records a failure, and ends the task, unless it is about to end: a failure may follow from a close frame.
    private func fail(_ error: any Error) {
        let ends = state.withLock { state in
            if state.failure == nil { state.failure = error }
            return !state.isClosing
        }
        if ends { task.cancel() }
    }

    /// `URLSession` fails with EMSGSIZE if a message is larger than `maximumMessageSize`.
    private static func isTooLarge(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSPOSIXErrorDomain && error.code == Int(EMSGSIZE)
    }

    // MARK: Of the session

    /// A close frame was received.
    func didClose(code: Int, reason: Data?) {
        state.withLock { $0.closeFrame = (code, reason) }
    }

    /// The task has ended, or nothing more can be received. Further calls have no effect.
    func didComplete(_ error: (any Error)?) {
        let known = task.closeFrame
        let (receiver, end) = state.withLock { state -> ((any MessageReceiver)?, MessageEnd) in
            // With a close frame of this side, the properties of the task may be those of that one.
            let frame = state.closeFrame ?? (state.isClosing ? nil : known)
            let end = state.end ?? Self.end(frame, state.failure ?? error, request)
            state.end = end
            defer { state.receiver = nil }
            return (state.receiver, end)
        }
        receiver?.connectionDidEnd(end)
    }

    func sessionWillClose() {
        let receiver = state.withLock { state in
            state.isSessionClosing = true
            return state.receiver
        }
        receiver?.sessionWillClose()
    }

    /// Ends the connection because its session manager was closed.
    func cutOff() {
        state.withLock { state in
            if state.end == nil { state.end = .lost(.cutOff(request, phase: .receive)) }
        }
        task.cancel()
    }

    private static func end(
        _ frame: (code: Int, reason: Data?)?, _ error: (any Error)?, _ request: NetworkRequest
    ) -> MessageEnd {
        // 1006 and 1015 are in no frame: they mean a connection that was lost, or not established (RFC 6455 §7.4.1).
        if let frame, let code = UInt16(exactly: frame.code), code != 0, code != 1006, code != 1015 {
            return .closed(code: code, reason: String(decoding: frame.reason ?? Data(), as: UTF8.self))
        }
        return .lost(error.map { URLSessionErrors.transportError($0, phase: .receive, request: request) })
    }
}

// MARK: The request

extension URLRequest {
    /// The request for a WebSocket task, to which `URLSession` adds the header fields of the handshake.
    ///
    /// The subprotocols stay in `Sec-WebSocket-Protocol`. A request for a WebSocket has the scheme `ws` or `wss`.
    var forWebSocketTask: URLRequest {
        var request = self
        for name in ["Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version", "Sec-WebSocket-Extensions"] {
            request.setValue(nil, forHTTPHeaderField: name)
        }
        if let url, let scheme = ["http": "ws", "https": "wss"][url.scheme?.lowercased() ?? ""] {
            request.url = URL(string: scheme + url.absoluteString.drop { $0 != ":" }) ?? url
        }
        return request
    }
}

// MARK: The response

extension URLSessionExchange {
    /// The WebSocket was opened.
    func open(_ task: any WebSocketTask, subprotocol: String?) {
        transfer.move(to: .receive)
        transfer.endHeadBound()
        webSocket.withLock { $0 = (URLSessionWebSocket(task, request: request), subprotocol) }
    }

    /// Returns the response of an opened WebSocket, with its messages; `nil` if it was not opened.
    func openedResponse() -> (URLSessionWebSocket, ExchangeResponse)? {
        guard let (socket, subprotocol) = webSocket.withLock(\.self) else { return nil }
        let parts = take().parts
        let head = parts.response ?? task.response as? HTTPURLResponse
        let response = ExchangeResponse(
            status: 101, fields: .joined(head.map { HeaderFields(of: $0) } ?? [:]),
            content: .upgraded(.messages(UpgradedMessages(socket, subprotocol: subprotocol))), lazyURL: request.lazyURL,
            timings: timings(parts, transfer.activity.withLock { $0 }), isVerified: trust?.isVerified(request) == true)
        return (socket, response)
    }

    /// Whether the task has failed only because the server has responded with another status than 101. `URLSession` does not pass the body
    /// of that response.
    func isRefusal(_ error: any Error, _ response: HTTPURLResponse?) -> Bool {
        let error = error as NSError
        return request.requestsWebSocket && error.domain == NSURLErrorDomain
            && error.code == URLError.Code.badServerResponse.rawValue && response.map { $0.statusCode != 101 } == true
    }
}
