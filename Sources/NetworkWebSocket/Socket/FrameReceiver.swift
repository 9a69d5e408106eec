import Foundation
import NetworkCore
import NetworkSupport

/// Makes events of the bytes that are received: a state machine over the parser of frames.
struct FrameReceiver: Sendable {
    /// What is to be done for the bytes of one read.
    struct Outcome {
        /// The payloads of pongs, and then of a close frame, that are to be sent.
        var pongs: [[UInt8]] = []
        var close: [UInt8]?
        /// The pings whose pongs were received.
        var measured: [(number: UInt64, sentAt: Duration)] = []
    }

    /// The maximum number of pings to which a pong is sent for the bytes of one read.
    private static let pongsPerRead = 64
    /// The maximum number of bytes of a text that is validated when it is received, rather than by the task that reads it.
    private static let shortBytes = 16 << 10

    private let role: WebSocketFrameParser.Role
    private var parser: WebSocketFrameParser
    /// The message whose frames are being received. Its bytes are those that were received with the current read.
    private var current: (kind: WebSocketMessage.Kind, isCompressed: Bool, hasBegun: Bool, announced: Int, bytes: Data)?

    init(_ role: WebSocketFrameParser.Role, allowsCompression: Bool) {
        self.role = role
        parser = WebSocketFrameParser(role, allowsCompression: allowsCompression)
    }

    /// Passes what is in these bytes to the state of a WebSocket. The bytes may be changed: the buffer belongs to the transport, and is not read again.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, at now: Duration, into state: inout SocketState, _ outcome: inout Outcome
    ) throws(WebSocketViolation) {
        var offset = 0
        // The payload in these bytes that was not copied yet.
        var part = UnsafeRawBufferPointer(start: nil, count: 0)
        while true {
            switch try parser.next(bytes, at: &offset) {
            case .needsMore:
                keep(&part)
                return flushPart(to: &state, isLast: false)
            case .data(let head):
                guard head.opcode != .continuation else { continue }
                current = (WebSocketMessage.Kind(head.opcode), head.isCompressed, false, head.length, Data())
            case .payload(let range):
                keep(&part)
                part = UnsafeRawBufferPointer(rebasing: bytes[range])
                if role == .server { parser.unmask(UnsafeMutableRawBufferPointer(mutating: part)) }
            case .end(let isLast):
                guard isLast else { continue }
                state.keepAlive.lastMessage = now
                if isShortText(part) {
                    guard let text = String(validUTF8: part) else { throw .invalidUTF8 }
                    state.receive(.text(text))
                    part = UnsafeRawBufferPointer(start: nil, count: 0)
                } else {
                    keep(&part)
                    flushPart(to: &state, isLast: true)
                }
                current = nil
            case .control(.ping, let payload):
                // RFC 6455 §5.5.3: a pong may respond to several pings, to the latest of them.
                if outcome.pongs.count >= Self.pongsPerRead { outcome.pongs.removeLast() }
                outcome.pongs.append(payload)
            case .control(.pong, let payload):
                guard payload.count == 8 else { continue }
                outcome.measured += state.receivePong(payload.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
            case .control(_, let payload):
                let (code, reason) = try WebSocketClosePayload.parse(payload)
                if state.receiveClose(code, reason) { outcome.close = Array(payload.prefix(2)) }
                return
            }
        }
    }

    /// Whether the current message is a text of which nothing was kept, and this is all of it.
    private func isShortText(_ part: UnsafeRawBufferPointer) -> Bool {
        guard !part.isEmpty, part.count <= Self.shortBytes, let current else { return false }
        return current.kind == .text && !current.isCompressed && !current.hasBegun && current.bytes.isEmpty
    }

    /// Copies a part of the payload that was received, and empties it.
    private mutating func keep(_ part: inout UnsafeRawBufferPointer) {
        guard !part.isEmpty else { return }
        if current?.bytes.isEmpty == true {
            current?.bytes = Data(part)
        } else {
            current?.bytes.append(contentsOf: part)
        }
        part = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    private mutating func flushPart(to state: inout SocketState, isLast: Bool) {
        guard let current, isLast || !current.bytes.isEmpty else { return }
        if isLast, !current.hasBegun {
            return state.receive(.message(current.kind, current.bytes, isCompressed: current.isCompressed))
        }
        if !current.hasBegun {
            state.receive(.begin(current.kind, isCompressed: current.isCompressed, announced: current.announced))
        }
        state.receive(.part(current.bytes, isLast: isLast))
        self.current?.hasBegun = true
        self.current?.bytes = Data()
    }
}
