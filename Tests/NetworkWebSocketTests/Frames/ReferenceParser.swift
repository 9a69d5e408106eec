import Foundation
import NetworkWebSocket

/// What a stream of frames consists of, whatever the reads in which it is received.
enum FrameEvent: Equatable, Sendable {
    case begin(UInt8, isCompressed: Bool)
    case payload([UInt8])
    case end(isLast: Bool)
    case control(UInt8, [UInt8])
    case violation(WebSocketViolation)
}

/// A stream of one side, and the options of its parser.
struct FrameStream: Sendable {
    var role = WebSocketFrameParser.Role.client
    var allowsCompression = false
    var bytes: [UInt8]

    /// Returns what the parser under test finds, in pieces that end at these positions.
    func parsed(splits: [Int] = []) -> [FrameEvent] {
        var parser = WebSocketFrameParser(role, allowsCompression: allowsCompression)
        var events: [FrameEvent] = []
        var start = 0
        for end in splits + [bytes.count] {
            var piece = Array(bytes[start..<end])
            start = end
            let violation = piece.withUnsafeMutableBytes { piece in
                Self.read(UnsafeMutableRawBufferPointer(piece), &parser, &events)
            }
            guard let violation else { continue }
            events.append(.violation(violation))
            break
        }
        return Self.joined(events)
    }

    private static func read(
        _ piece: UnsafeMutableRawBufferPointer, _ parser: inout WebSocketFrameParser, _ events: inout [FrameEvent]
    ) -> WebSocketViolation? {
        var offset = 0
        do throws(WebSocketViolation) {
            while true {
                switch try parser.next(UnsafeRawBufferPointer(piece), at: &offset) {
                case .needsMore: return nil
                case .data(let head): events.append(.begin(head.opcode.rawValue, isCompressed: head.isCompressed))
                case .payload(let range):
                    let part = UnsafeMutableRawBufferPointer(rebasing: piece[range])
                    parser.unmask(part)
                    events.append(.payload(Array(part)))
                case .end(let isLast): events.append(.end(isLast: isLast))
                case .control(let opcode, let payload): events.append(.control(opcode.rawValue, payload))
                }
            }
        } catch {
            return error
        }
    }

    /// Returns the events with the parts of each payload as one.
    private static func joined(_ events: [FrameEvent]) -> [FrameEvent] {
        events.reduce(into: []) { joined, event in
            if case .payload(let part) = event, case .payload(let before)? = joined.last {
                joined[joined.count - 1] = .payload(before + part)
            } else {
                joined.append(event)
            }
        }
    }

    /// Returns what the stream consists of, in the plainest way: the bytes are complete, and are read from first to last (RFC 6455 §5.2).
    func expected() -> [FrameEvent] {
        var events: [FrameEvent] = []
        var rest = bytes[...]
        var isInMessage = false
        while let first = rest.popFirst() {
            let (isFinal, isCompressed, opcode) = (first & 0x80 != 0, first & 0x40 != 0, first & 0x0F)
            if first & 0x30 != 0 { return events + [.violation(.reservedBits)] }
            guard [0, 1, 2, 8, 9, 10].contains(opcode) else { return events + [.violation(.unknownOpcode(opcode))] }
            if isCompressed, !allowsCompression || ![1, 2].contains(opcode) { return events + [.violation(.reservedBits)] }
            if opcode >= 8, !isFinal { return events + [.violation(.fragmentedControlFrame)] }
            if opcode == 0, !isInMessage { return events + [.violation(.unexpectedContinuation)] }
            if opcode == 1 || opcode == 2, isInMessage { return events + [.violation(.interruptedMessage)] }

            guard let second = rest.popFirst() else { break }
            let isMasked = second & 0x80 != 0
            if isMasked, role == .client { return events + [.violation(.maskedFrame)] }
            if !isMasked, role == .server { return events + [.violation(.unmaskedFrame)] }
            var length = UInt64(second & 0x7F)
            if opcode >= 8, length > 125 { return events + [.violation(.oversizedControlFrame)] }
            if length > 125 {
                let count = length == 126 ? 2 : 8
                guard rest.count >= count else { break }
                length = 0
                for byte in rest.prefix(count) { length = length * 256 + UInt64(byte) }
                rest = rest.dropFirst(count)
                if length >= 1 << 63 || length < (count == 2 ? 126 : 65_536) { return events + [.violation(.invalidLength)] }
            }
            var key: [UInt8] = [0, 0, 0, 0]
            if isMasked {
                guard rest.count >= 4 else { break }
                key = Array(rest.prefix(4))
                rest = rest.dropFirst(4)
            }
            let payload = rest.prefix(Int(length)).enumerated().map { $1 ^ key[$0 % 4] }
            rest = rest.dropFirst(payload.count)
            let isWhole = payload.count == Int(length)
            if opcode >= 8 {
                if isWhole { events.append(.control(opcode, payload)) }
                continue
            }
            events.append(.begin(opcode, isCompressed: isCompressed))
            if !payload.isEmpty { events.append(.payload(payload)) }
            guard isWhole else { break }
            events.append(.end(isLast: isFinal))
            isInMessage = !isFinal
        }
        return events
    }
}
