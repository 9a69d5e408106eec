import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport
import NetworkWebSocket

/// Records what is sent and received over WebSockets.
///
/// All members are safe to use from any thread. One recorder is for one conversation at a time; further ones are appended.
public final class WebSocketRecorder: Sendable {
    private let state = Locked(WebSocketRecording())

    /// Creates a recorder without entries.
    public init() {}

    /// What was recorded so far.
    public var recording: WebSocketRecording { state.withLock { $0 } }

    /// Returns a WebSocket that passes everything to another one, and records it.
    ///
    /// Messages are recorded before they are sent, and when they were received completely. A sequence of chunks is recorded as a whole, and kept in
    /// memory for that. Use only the returned WebSocket from then on.
    public func recorded(_ socket: WebSocket) -> WebSocket {
        state.withLock { $0.subprotocol = socket.subprotocol }
        return WebSocket(
            channel: RecordedChannel(socket, self), subprotocol: socket.subprotocol, response: socket.response)
    }

    fileprivate func append(_ entry: WebSocketRecording.Entry) {
        state.withLock { $0.entries.append(entry) }
    }
}

/// Passes all calls to the channel of a WebSocket, and records messages and close frames.
private final class RecordedChannel: WebSocketChannel {
    private struct State {
        var kind: WebSocketMessage.Kind?
        var received = Data()
        var hasClosed = false
        var wasClosed = false
    }

    /// Kept, as its release would close the channel.
    private let socket: WebSocket
    private let recorder: WebSocketRecorder
    private let state = Locked(State())

    init(_ socket: WebSocket, _ recorder: WebSocketRecorder) {
        self.socket = socket
        self.recorder = recorder
    }

    func finishSending(_ message: WebSocketMessage, _ rest: WebSocketSendingRest) async throws(WebSocketError) {
        recorder.append(WebSocketRecording.Entry(.client, message))
        try await socket.sendMessage(message)
    }

    func send<Chunks: AsyncSequence>(
        _ chunks: Chunks, as kind: WebSocketMessage.Kind
    ) async throws(WebSocketError) where Chunks.Element == Data {
        var whole = Data()
        do {
            for try await chunk in chunks { whole.append(chunk) }
        } catch {
            socket.channel.cancel()
            throw WebSocketError(.coding, "the chunks of a message have failed", underlying: error)
        }
        try await finishSending(Self.message(kind, whole), .message)
    }

    func finishReceiving() async throws(WebSocketError) -> WebSocketMessage? {
        let result: Result<WebSocketMessage?, WebSocketError> = await .from(socket.nextMessage)
        switch result {
        case .success(let message?): recorder.append(WebSocketRecording.Entry(.server, message))
        case .success(nil), .failure: recordEnd()
        }
        return try result.get()
    }

    func nextStream() async throws(WebSocketError) -> WebSocketMessage.Kind? {
        let result: Result<WebSocketMessage.Kind?, WebSocketError> = await .from(socket.channel.nextStream)
        state.withLock { state in
            state.kind = (try? result.get()) ?? nil
            state.received = Data()
        }
        if (try? result.get()) == nil { recordEnd() }
        return try result.get()
    }

    func nextChunk() async throws(WebSocketError) -> Data? {
        let chunk = try await socket.channel.nextChunk()
        let whole = state.withLock { state -> WebSocketMessage? in
            guard let kind = state.kind else { return nil }
            if let chunk {
                state.received.append(chunk)
                return nil
            }
            state.kind = nil
            return Self.message(kind, state.received)
        }
        if let whole { recorder.append(WebSocketRecording.Entry(.server, whole)) }
        return chunk
    }

    func ping(within limit: Duration) async throws(WebSocketError) -> Duration {
        try await socket.channel.ping(within: limit)
    }

    func close(_ code: WebSocketCloseCode, reason: String) async {
        let isFirst = state.withLock { state in
            defer { state.hasClosed = true }
            return !state.hasClosed && !state.wasClosed
        }
        if isFirst { recorder.append(WebSocketRecording.Entry(.client, closing: code, reason: reason)) }
        await socket.channel.close(code, reason: reason)
    }

    func cancel() { socket.channel.cancel() }

    func abandon() { socket.channel.abandon() }

    var closeStatus: (code: WebSocketCloseCode, reason: String)? { socket.channel.closeStatus }

    /// Records the close frame of the server, once, unless it responds to that of the client.
    private func recordEnd() {
        guard let (code, reason) = closeStatus else { return }
        let isFirst = state.withLock { state in
            defer { state.wasClosed = true }
            return !state.wasClosed && !state.hasClosed
        }
        if isFirst { recorder.append(WebSocketRecording.Entry(.server, closing: code, reason: reason)) }
    }

    private static func message(_ kind: WebSocketMessage.Kind, _ data: Data) -> WebSocketMessage {
        kind == .text ? .text(String(decoding: data, as: UTF8.self)) : .binary(data)
    }
}

extension WebSocketRecorder: RedactedStringConvertible {}
