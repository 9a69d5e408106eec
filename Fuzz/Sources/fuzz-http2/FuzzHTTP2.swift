import Foundation

@testable import NetworkEngine

/// What a connection makes of bytes of a server: each event in words. The parts of one piece of content are one event.
func outcome(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var limits = HTTP2Limits()
    (limits.headerBytes, limits.headerFields) = (2048, 20)
    var connection = HTTP2StateMachine(limits: limits)
    let requests: [(method: HTTP2Stream.Method, hasBody: Bool)] = [
        (.other, false), (.other, true), (.head, false), (.connect, true),
    ]
    for (method, hasBody) in requests { _ = connection.open(method, hasBody: hasBody) { _, _ in } }
    var events: [String] = []
    var content: (stream: UInt32, bytes: [UInt8])?
    func note(_ event: String) {
        if let (stream, bytes) = content { events.append("\(stream) content \(bytes)") }
        content = nil
        events.append(event)
    }
    for piece in pieces {
        let hasFailed = Array(piece).withUnsafeBytes { input in
            var offset = 0
            while true {
                let event = connection.next(input, at: &offset)
                precondition(offset <= input.count, "read beyond the input")
                switch event {
                case .needsMore:
                    precondition(offset == input.count, "input is left")
                    return false
                case .frame, .settings, .writable: continue
                case .data(let id, let range):
                    connection.take(range.count, of: id)
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
            }
        }
        if hasFailed { break }
    }
    note("\(connection.streams.count) open")
    precondition(connection.output.count < 64 << 10, "the replies are not bounded")
    return events
}

/// libFuzzer calls it with each of its inputs. The first byte says how long the pieces are; without the settings of the server, little would be reached.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = [0, 0, 0, 4, 0, 0, 0, 0, 0] + Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    let length = Int(start[0]) % 40 + 1
    let pieces = stride(from: 0, to: bytes.count, by: length).map { bytes[$0..<min($0 + length, bytes.count)] }
    let (whole, cut) = (outcome([bytes[...]]), outcome(pieces))
    precondition(whole == cut, "whole: \(whole)\ncut: \(cut)")
    return 0
}
