import Foundation
import NetworkCore
import NetworkSupport
import NetworkWebSocket
import Testing
import TransferTestSupport

/// The transport of a connection whose peer is the test: it passes bytes on the calling thread, and collects what is sent.
final class ScriptedTransport: UpgradedTransport {
    struct State {
        var receiver: (any UpgradedReceiver)?
        var unread: ArraySlice<UInt8> = []
        var frames: [TestFrame] = []
        /// Whether all frames were masked, or none.
        var masks: Set<Bool> = []
        var isReadPaused = true
        var resumptions = 0
        /// Whether the connection was closed, and with which argument.
        var closes: [Bool] = []
        var failure: TransportError?
        var isFull = false
        var waiting: [Promise<TransportError?>] = []
        /// Called once, before the next bytes are sent, on the thread that sends them.
        var onSend: (@Sendable () -> Void)?
    }

    let state = Watched(State())

    // MARK: For the test

    /// Passes bytes to the connection, in pieces.
    ///
    /// - Returns: Whether it can receive more.
    @discardableResult
    func feed(_ bytes: [UInt8], pieces: Int = .max) -> Bool {
        var wantsMore = true
        var rest = bytes[...]
        repeat {
            guard let receiver = state.withLock(\.receiver) else { return false }
            var piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            wantsMore = piece.withUnsafeMutableBytes { receiver.receive(UnsafeRawBufferPointer($0)) }
            if !wantsMore { state.withLock { $0.isReadPaused = true } }
            receiver.flush()
        } while !rest.isEmpty
        return wantsMore
    }

    func end(_ error: TransportError? = nil) {
        let receiver = state.withLock { state in
            state.failure = error ?? TransportError(.connectionLost, "the connection has ended")
            defer { state.receiver = nil }
            return state.receiver
        }
        receiver?.connectionDidEnd(error)
    }

    /// Makes room, or takes it away.
    func setFull(_ isFull: Bool) {
        let waiting = state.withLock { state in
            state.isFull = isFull
            if isFull { return [Promise<TransportError?>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for promise in waiting { promise.resolve(nil) }
    }

    var frames: [TestFrame] { state.withLock(\.frames) }
    var isClosed: Bool { state.withLock { !$0.closes.isEmpty } }

    /// Returns the frames that were sent, when there are so many.
    func frames(count: Int) async -> [TestFrame] {
        await state.wait { $0.frames.count >= count }
        return frames
    }

    func waitForClose() async { await state.wait { !$0.closes.isEmpty } }

    // MARK: UpgradedTransport

    func start(_ receiver: any UpgradedReceiver) {
        state.withLock { state in
            state.receiver = receiver
            state.isReadPaused = false
        }
    }

    func send(_ append: (inout [UInt8]) -> Void) throws(TransportError) -> Bool {
        let onSend = state.withLock { state in
            defer { state.onSend = nil }
            return state.onSend
        }
        onSend?()
        let result: Result<Bool, TransportError> = state.withLock { state in
            if let failure = state.failure { return .failure(failure) }
            var buffer: [UInt8] = []
            append(&buffer)
            if buffer.count >= 2 { state.masks.insert(buffer[1] & 0x80 != 0) }
            state.unread += buffer
            state.frames += TestFrame.read(from: &state.unread)
            return .success(!state.isFull)
        }
        return try result.get()
    }

    func waitForRoom() async throws(TransportError) {
        let promise = Promise<TransportError?>()
        let isFull = state.withLock { state in
            if state.isFull { state.waiting.append(promise) }
            return state.isFull
        }
        guard isFull else { return }
        if let error = await promise.value(cancellation: { TransportError(.cancelled, "cancelled") }) { throw error }
    }

    func resumeReading() {
        state.withLock { state in
            state.isReadPaused = false
            state.resumptions += 1
        }
    }

    func close(awaitsPeer: Bool) {
        state.withLock { state in
            state.closes.append(awaitsPeer)
            state.receiver = nil
            state.failure = TransportError(.cancelled, "the connection was closed")
        }
    }
}

/// One side of a WebSocket whose peer is the test.
struct ScriptedSocket: Sendable {
    let transport = ScriptedTransport()
    let socket: WebSocket
    private let masks: Bool

    init(
        _ role: WebSocketFrameParser.Role = .client, compression: AgreedCompression? = nil,
        _ change: (inout WebSocketOptions) -> Void = { _ in }
    ) throws {
        let options = WebSocketOptions {
            $0.pingInterval = nil
            change(&$0)
        }
        masks = role == .server
        let channel = WebSocketConnection(role, transport: transport, options: options, compression: compression)
        channel.start()
        socket = WebSocket(
            channel: channel, subprotocol: nil,
            response: NetworkResponse(statusCode: 101, url: URL(fileURLWithPath: "/")))
    }

    /// Passes frames of the peer to the connection.
    @discardableResult
    func feed(_ frames: TestFrame..., pieces: Int = .max) -> Bool { feed(frames, pieces: pieces) }

    @discardableResult
    func feed(_ frames: [TestFrame], pieces: Int = .max) -> Bool {
        transport.feed(frames.flatMap { $0.bytes(mask: masks ? [0x37, 0xFA, 0x21, 0x3D] : nil) }, pieces: pieces)
    }
}

extension WebSocket {
    /// Receives until the end, and returns the messages and the error.
    func collected() async -> (messages: [WebSocketMessage], error: WebSocketError?) {
        var collected: [WebSocketMessage] = []
        do {
            while let message = try await receive() { collected.append(message) }
            return (collected, nil)
        } catch {
            return (collected, #expect(throws: WebSocketError.self) { throw error })
        }
    }
}
