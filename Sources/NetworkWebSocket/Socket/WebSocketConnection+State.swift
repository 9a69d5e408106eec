import Foundation
import NetworkCore
import NetworkSupport

// What a connection holds: events for the reader, pings, and how it has ended.
extension WebSocketConnection {
    /// What the reader receives.
    enum Event {
        /// A short text in one piece, which was validated when it was received.
        case text(String)
        /// A message in one piece.
        case message(Kind, Data, isCompressed: Bool)
        /// A message of which a part was received, and the length of the payload of its first frame.
        case begin(Kind, isCompressed: Bool, announced: Int)
        case part(Data, isLast: Bool)

        var byteCount: Int {
            switch self {
            case .text(let text): text.utf8.count + 64
            case .message(_, let data, _), .part(let data, _): data.count + 64
            case .begin: 64
            }
        }

        /// Whether it is a message that needs no other event, and no decoding.
        var isWhole: Bool {
            switch self {
            case .text, .message(_, _, isCompressed: false): true
            case .message, .begin, .part: false
            }
        }
    }

    /// How the connection has ended.
    enum End {
        case orderly
        case failed(WebSocketError)
    }

    struct Ping {
        var payload: [UInt8]
        var sentAt: Duration
        var promise: Promise<Result<Duration, WebSocketError>>
    }

    struct State {
        var parser: WebSocketFrameParser
        var events: [Event] = []
        /// The index of the next event.
        var first = 0
        var buffered = 0
        var isPaused = false
        /// Whether nothing more is queued, because something was dropped: what is received is always a beginning of what was sent.
        var isDropping = false
        /// The message whose frames are being received. Its bytes are those that were received with the current read.
        var current: (kind: Kind, isCompressed: Bool, hasBegun: Bool, announced: Int, bytes: Data)?
        var reader: UnsafeContinuation<Void, Never>?
        /// Whether a task receives.
        var isClaimed = false
        /// Whether a close frame was sent, or is about to be.
        var isClosing = false
        /// Whether this side has begun the close handshake.
        var hasClosedFirst = false
        /// Whether received bytes are ignored.
        var isOver = false
        var end: End?
        /// The peer's close frame, and the end that follows from it once it has been responded to.
        var peerClose: (code: WebSocketCloseCode, reason: String, end: End)?
        var pings: [Ping] = []
        var closeWaiters: [Promise<Void>] = []
        var keepAlive: KeepAlive
        var keepAliveTask: Task<Void, any Error>?

        /// Copies a part of the payload that was received, and empties it.
        mutating func keep(_ part: inout UnsafeRawBufferPointer) {
            guard !part.isEmpty else { return }
            if current?.bytes.isEmpty == true {
                current?.bytes = Data(part)
            } else {
                current?.bytes.append(contentsOf: part)
            }
            part = UnsafeRawBufferPointer(start: nil, count: 0)
        }

        /// Whether the current message is a text of which nothing was kept, and this is all of it.
        func isShortText(_ part: UnsafeRawBufferPointer) -> Bool {
            guard !part.isEmpty, part.count <= WebSocketConnection.shortBytes, let current else { return false }
            return current.kind == .text && !current.isCompressed && !current.hasBegun && current.bytes.isEmpty
        }

        /// What the peer's close frame says, as soon as there is an end.
        var closeStatus: (code: WebSocketCloseCode, reason: String)? {
            end == nil ? nil : peerClose.map { ($0.code, $0.reason) }
        }

        var isReadable: Bool { first < events.count || end != nil }

        mutating func append(_ event: Event) {
            // After this side has closed, messages beyond the capacity of the queue are dropped, so that the peer's close frame is found; and with it all that follows, so that
            // no message is received without its middle.
            if isClosing, buffered >= WebSocketConnection.capacity { isDropping = true }
            if isDropping { return }
            events.append(event)
            buffered += event.byteCount
        }

        var isNextWhole: Bool { first < events.count && events[first].isWhole }

        mutating func takeEvent() -> Event? {
            guard first < events.count else { return nil }
            let event = events[first]
            first += 1
            buffered -= event.byteCount
            if first == events.count {
                events.removeAll(keepingCapacity: events.count <= 256)
                first = 0
            } else if first == 1024 {
                events.removeFirst(first)
                first = 0
            }
            return event
        }
    }

    /// What is used only by the transport's lock, in the order in which frames are sent.
    final class Outgoing: @unchecked Sendable {
        var masks = WebSocketMaskSource()
        /// Whether the close frame was sent, after which nothing is (RFC 6455 §5.5.1).
        var isClosed = false
    }
}
