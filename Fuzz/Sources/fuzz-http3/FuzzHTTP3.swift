import Foundation

@testable import NetworkEngine

/// Something that arrives on a stream.
struct Step {
    /// The streams on which something arrives: those of requests, and those that the server has opened.
    static let streams: [UInt64] = [0, 4, 8, 12, 3, 7, 11, 15]

    let stream: UInt64
    var bytes: ArraySlice<UInt8>
    let isEnd: Bool
    let isReset: Bool

    /// Reads steps: a byte with a stream and what happens on it, a byte with a length, and these bytes.
    static func read(_ input: ArraySlice<UInt8>) -> [Step] {
        var (input, steps): (ArraySlice<UInt8>, [Step]) = (input, [])
        while let first = input.popFirst() {
            let count = Int(input.popFirst() ?? 0)
            let kind = first >> 3 & 7
            steps.append(Step(stream: streams[Int(first & 7)], bytes: input.prefix(count), isEnd: kind == 1, isReset: kind == 2))
            input = input.dropFirst(count)
        }
        return steps
    }
}

/// What a connection makes of the streams of a server: each event in words. The parts of one piece of content are one event.
func outcome(_ steps: [Step], piece: Int) -> [String] {
    var limits = HTTP3Limits()
    (limits.headerBytes, limits.headerFields) = (2048, 20)
    var connection = HTTP3StateMachine(limits: limits)
    let requests: [(method: HTTP3Stream.Method, hasBody: Bool)] = [
        (.other, false), (.other, true), (.head, false), (.connect, true),
    ]
    for (index, (method, hasBody)) in requests.enumerated() {
        _ = connection.open(UInt64(index) * 4, method, hasBody: hasBody) { _, _ in }
    }
    var events: [String] = []
    var content: (stream: UInt64, bytes: [UInt8])?
    func note(_ event: String) {
        if let (stream, bytes) = content { events.append("\(stream) content \(bytes)") }
        content = nil
        events.append(event)
    }
    /// - Returns: Whether the connection has failed.
    func receive(_ event: HTTP3StateMachine.Event, _ input: UnsafeRawBufferPointer) -> Bool {
        switch event {
        case .needsMore, .frame, .settings: break
        case .data(let id, let range):
            if content?.stream == id.number {
                content?.bytes += input[range]
            } else {
                if let (stream, bytes) = content { events.append("\(stream) content \(bytes)") }
                content = (id.number, Array(input[range]))
            }
        case .goAway:
            note("\(event)")
            for id in connection.takeUnprocessed() { note("\(id.number) unprocessed") }
        case .head, .interim, .trailers: note("\(event) \(connection.block.lines)")
        case .failed:
            note("\(event)")
            return true
        default: note("\(event)")
        }
        return false
    }
    func receive(_ step: Step) -> Bool {
        if step.isReset {
            return receive(
                connection.receiveReset(of: step.stream, .requestRejected), UnsafeRawBufferPointer(start: nil, count: 0))
        }
        var start = step.bytes.startIndex
        repeat {
            let end = start + min(piece, step.bytes.endIndex - start)
            let hasFailed = Array(step.bytes[start..<end]).withUnsafeBytes { input in
                var offset = 0
                while true {
                    let event = connection.next(
                        input, at: &offset, isEnd: step.isEnd && end == step.bytes.endIndex, of: step.stream)
                    precondition(offset <= input.count, "read beyond the input")
                    if receive(event, input) { return true }
                    if event == .needsMore {
                        precondition(offset == input.count, "input is left")
                        return false
                    }
                }
            }
            if hasFailed { return true }
            start = end
        } while start < step.bytes.endIndex
        return false
    }
    for number in [3, 7, 11, 15] as [UInt64] { _ = connection.accept(number) }
    for step in steps where receive(step) { break }
    note("\(connection.streams.count) open")
    note("\(connection.takeActions())")
    precondition(connection.heldBytes <= 4 * (limits.headerBytes + HTTP3Limits.encodingBytes), "what is held is not bounded")
    return events
}

/// libFuzzer calls it with each of its inputs. The first byte says how long the pieces are; without the settings of the server,
/// little would be reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let steps =
        [Step(stream: 3, bytes: [0, 4, 0], isEnd: false, isReset: false)]
        + Step.read(Array(UnsafeBufferPointer(start: start + 1, count: count - 1))[...])
    let (whole, cut) = (outcome(steps, piece: .max), outcome(steps, piece: Int(start[0]) % 40 + 1))
    precondition(whole == cut, "whole: \(whole)\ncut: \(cut)")
    return 0
}
