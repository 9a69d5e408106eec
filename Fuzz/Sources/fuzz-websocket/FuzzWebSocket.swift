import Foundation
@testable import NetworkWebSocket

/// The maximum number of bytes of a decoded message.
let maximumMessageBytes = 256 << 10

/// What a stream of frames consists of: whole messages, control frames, and the violation that ends it.
enum Event: Equatable {
    case message(isText: Bool, [UInt8])
    case control(UInt8, [UInt8])
    case violation(WebSocketViolation)
    /// The content of a message is invalid, or too large. Which of several reasons is found first depends on the splits.
    case invalidContent
}

/// One side of a connection: the parser and the content of messages.
struct Side {
    private let role: WebSocketFrameParser.Role
    private var parser: WebSocketFrameParser
    private let content: MessageContent
    /// The message that is being received.
    private var message: (isText: Bool, bytes: [UInt8], end: Bool)?
    private(set) var events: [Event] = []

    init(_ role: WebSocketFrameParser.Role, compression: AgreedCompression?) {
        self.role = role
        parser = WebSocketFrameParser(role, allowsCompression: compression != nil)
        content = MessageContent(compression)
    }

    /// Receives bytes, and returns whether more may follow.
    mutating func receive(_ piece: UnsafeMutableRawBufferPointer) -> Bool {
        do throws(WebSocketViolation) {
            return try parse(piece)
        } catch {
            events.append(.violation(error))
            return false
        }
    }

    private mutating func parse(_ piece: UnsafeMutableRawBufferPointer) throws(WebSocketViolation) -> Bool {
        var offset = 0
        while true {
            let before = offset
            let step = try parser.next(UnsafeRawBufferPointer(piece), at: &offset)
            precondition(offset >= before && offset <= piece.count, "out of bounds")
            switch step {
            case .needsMore:
                precondition(offset == piece.count, "bytes are left")
                return true
            case .data(let head):
                guard head.opcode != .continuation else { continue }
                precondition(message == nil, "a message within a message")
                message = (head.opcode == .text, [], false)
                content.begin(.init(head.opcode), isCompressed: head.isCompressed)
            case .payload(let range):
                precondition(!range.isEmpty, "an empty part")
                let part = UnsafeMutableRawBufferPointer(rebasing: piece[range])
                parser.unmask(part)
                guard decode(Data(part), isLast: false) else { return false }
            case .end(let isLast):
                guard isLast else { continue }
                guard decode(Data(), isLast: true) else { return false }
                guard let message else { preconditionFailure("the end of no message") }
                events.append(.message(isText: message.isText, message.bytes))
                if message.isText { precondition(String(bytes: message.bytes, encoding: .utf8) != nil, "not UTF-8") }
                self.message = nil
            case .control(let opcode, let payload):
                precondition(payload.count <= 125, "a large control frame")
                events.append(.control(opcode.rawValue, payload))
                guard opcode == .close else { continue }
                let (code, reason) = try WebSocketClosePayload.parse(payload)
                precondition(WebSocketClosePayload.make(code, reason) == payload, "written again, it differs")
                return false
            }
        }
    }

    /// Decodes a part of a message.
    private mutating func decode(_ part: Data, isLast: Bool) -> Bool {
        content.append(part, isLast: isLast)
        do throws(WebSocketViolation) {
            while let piece = try content.next() {
                precondition(!piece.isEmpty && piece.count <= max(64 << 10, part.count), "a piece of \(piece.count) bytes")
                message?.bytes += piece
                if message?.bytes.count ?? 0 > maximumMessageBytes { throw .messageTooLarge(maximumMessageBytes) }
            }
            return true
        } catch {
            events.append(.invalidContent)
            return false
        }
    }
}

/// Returns what the bytes consist of, in pieces whose sizes follow from the seed: 0 for one piece.
func events(_ bytes: UnsafeBufferPointer<UInt8>, options: UInt8, seed: UInt8) -> [Event] {
    var compression: AgreedCompression?
    if options & 2 != 0 {
        var agreed = AgreedCompression()
        agreed.receivesWithoutContext = options & 4 != 0
        compression = agreed
    }
    var side = Side(options & 1 == 0 ? .client : .server, compression: compression)
    var state = UInt32(seed) &* 2_654_435_761 | 1
    var rest = Array(bytes)[...]
    var wasEmpty = true
    while !rest.isEmpty {
        state = state &* 1_664_525 &+ 1_013_904_223
        // Some pieces are empty, but not two in a row.
        let count = seed == 0 ? rest.count : min(rest.count, max(wasEmpty ? 1 : 0, Int(state >> 24) % (Int(seed) % 30 + 2)))
        wasEmpty = count == 0
        var piece = Array(rest.prefix(count))
        rest = rest.dropFirst(count)
        guard piece.withUnsafeMutableBytes({ side.receive($0) }) else { break }
    }
    return side.events
}

/// libFuzzer calls it with each of its inputs: the options, the splits, the bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 2 else { return -1 }
    let bytes = UnsafeBufferPointer(start: start + 2, count: count - 2)
    let whole = events(bytes, options: start[0], seed: 0)
    let cut = events(bytes, options: start[0], seed: max(1, start[1]))
    precondition(whole == cut, "whole: \(whole)\ncut: \(cut)")
    return 0
}
