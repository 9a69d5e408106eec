import Foundation
import NetworkSupport

/// What the reader of a WebSocket receives.
enum SocketEvent: Sendable {
    /// A text in one piece, which was validated when it was received.
    case text(String)
    /// A message in one piece.
    case message(WebSocketMessage.Kind, Data, isCompressed: Bool)
    /// A message of which a part was received, and the length of the payload of its first frame.
    case begin(WebSocketMessage.Kind, isCompressed: Bool, announced: Int)
    case part(Data, isLast: Bool)

    /// The number of bytes, with 64 for the event itself.
    var weight: Int {
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

/// Events that were received and not read, in their order.
struct SocketEvents: PipeQueue {
    private var events: [SocketEvent] = []
    /// The index of the next event.
    private var first = 0
    private(set) var weight = 0

    var isNextWhole: Bool { first < events.count && events[first].isWhole }

    mutating func append(_ event: SocketEvent) {
        events.append(event)
        weight += event.weight
    }

    mutating func take() -> SocketEvent? {
        guard first < events.count else { return nil }
        let event = events[first]
        first += 1
        weight -= event.weight
        if first == events.count {
            events.removeAll(keepingCapacity: events.count <= 256)
            first = 0
        } else if first == 1024 {
            events.removeFirst(first)
            first = 0
        }
        return event
    }

    mutating func removeAll() {
        self = SocketEvents()
    }
}
