import Foundation
import NetworkCore
import NetworkSupport

/// Sends frames over the bytes of a connection, compressed ones and, as a client, masked ones.
final class FrameTransport: SocketTransport {
    /// What is used only by the transport's lock, in the order in which frames are sent.
    // Sendable although unchecked: the transport calls the closure that uses it under its lock.
    private final class Outgoing: @unchecked Sendable {
        var masks = WebSocketMaskSource()
        /// Whether the close frame was sent, after which nothing is (RFC 6455 §5.5.1).
        var isClosed = false
    }

    /// The number of bytes of a frame in which larger messages are sent.
    static let fragmentBytes = 256 << 10

    private let role: WebSocketFrameParser.Role
    private let connection: any UpgradedTransport
    /// Keeps the connection open until the transport releases the socket.
    private let handle: UpgradedConnection?
    private let outgoing = Outgoing()
    /// The compression of the messages that are sent, for the holder of the turn.
    private let deflater: Locked<MessageDeflater>?

    init(
        _ role: WebSocketFrameParser.Role, _ connection: any UpgradedTransport, handle: UpgradedConnection?,
        compression: AgreedCompression?
    ) {
        self.role = role
        self.connection = connection
        self.handle = handle
        deflater = compression.map { Locked(MessageDeflater($0)) }
    }

    var frames: FrameTransport? { self }

    func start(_ socket: WebSocketConnection) {
        connection.start(socket)
    }

    // MARK: Messages

    func send(_ message: WebSocketMessage) throws(SendingFailure) -> Bool {
        let result = message.withBytes { bytes in
            Result { () throws(SendingFailure) in
                try sendPart(bytes, as: message.kind.opcode, isCompressed: compresses(bytes.count), isLast: true)
            }
        }
        return try result.get()
    }

    /// Sends a part of a message. The caller has the turn to send.
    func sendPart(
        _ part: some ContiguousBytes, as opcode: WebSocketOpcode, isCompressed: Bool, isLast: Bool
    ) throws(SendingFailure) -> Bool {
        guard isCompressed, let deflater else { return try sendFrame(opcode, part, isFinal: isLast) }
        let payload = deflater.withLock { deflater in
            part.withUnsafeBytes { bytes in Result { () throws(WebSocketError) in try deflater.payload(bytes, isLast: isLast) } }
        }
        switch payload {
        case .success(let payload): return try sendFrame(opcode, payload, isFinal: isLast, isCompressed: opcode != .continuation)
        case .failure(let error): throw .failed(error)
        }
    }

    /// Whether a message of that size is compressed.
    func compresses(_ count: Int) -> Bool { deflater?.withLock { $0.compresses(count) } ?? false }

    func waitForRoom() async throws(TransportError) {
        try await connection.waitForRoom()
    }

    // MARK: Control frames

    func ping(_ number: UInt64?, of socket: WebSocketConnection) throws(SendingFailure) {
        let payload = number.map { number in withUnsafeBytes(of: number) { Array($0) } } ?? []
        _ = try sendFrame(.ping, payload)
    }

    /// Sends a pong. If the peer does not read, it gets no more of them: they would need memory without bound.
    func sendPong(_ payload: [UInt8]) {
        _ = try? sendFrame(.pong, payload, maximumQueued: 64 << 10)
    }

    func sendClose(_ code: WebSocketCloseCode, _ reason: String) {
        sendClose(WebSocketClosePayload.make(code, reason))
    }

    func sendClose(_ payload: [UInt8]) {
        _ = try? sendFrame(.close, payload)
    }

    // MARK: The connection

    func resumeReading() {
        connection.resumeReading()
    }

    func close(_ closing: SocketClosing) {
        // RFC 6455 §7.1.1: the server closes the connection first.
        connection.close(awaitsPeer: closing == .afterPeer || closing == .afterHandshake && role == .client)
    }

    // The connection itself fails what waits for room.
    func socketDidEnd() {}

    // MARK: Frames

    /// Sends a frame.
    ///
    /// - Parameter maximumQueued: The number of bytes before it that may wait to be sent; with more, it is dropped.
    /// - Returns: Whether there is room for another frame.
    private func sendFrame(
        _ opcode: WebSocketOpcode, _ payload: some ContiguousBytes, isFinal: Bool = true, isCompressed: Bool = false,
        maximumQueued: Int = .max
    ) throws(SendingFailure) -> Bool {
        var isClosed = false
        let result = payload.withUnsafeBytes { payload in
            Result { () throws(TransportError) in
                try connection.send { buffer in
                    isClosed = outgoing.isClosed
                    if isClosed || buffer.count > maximumQueued { return }
                    if opcode == .close { outgoing.isClosed = true }
                    let mask = role == .client ? outgoing.masks.next() : nil
                    WebSocketFrameHead(opcode, length: payload.count, isFinal: isFinal, isCompressed: isCompressed, mask: mask)
                        .append(payload, to: &buffer)
                }
            }
        }
        switch result {
        case .success(let hasRoom) where !isClosed: return hasRoom
        case .success: throw .closed
        case .failure(let error): throw .lost(error)
        }
    }
}
