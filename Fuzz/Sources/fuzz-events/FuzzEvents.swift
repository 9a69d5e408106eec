@testable import Endpoints
import Foundation
import Splitting

/// The fields of WHATWG HTML §9.2.6, in the plainest way: all at once, by characters.
func events(in bytes: Data) -> [ServerSentEvent] {
    var text = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
    if text.first == "\u{FEFF}" { text.removeFirst() }
    var lines: [String.UnicodeScalarView] = [.init()]
    for (index, scalar) in text.enumerated() {
        switch scalar {
        case "\n" where index > 0 && text[index - 1] == "\r": continue
        case "\n", "\r": lines.append(.init())
        default: lines[lines.count - 1].append(scalar)
        }
    }
    // The last one has no end.
    lines.removeLast()
    var events: [ServerSentEvent] = []
    var (data, type, id, retry) = ("", "", "", Duration?.none)
    for line in lines {
        guard !line.isEmpty else {
            if !data.isEmpty {
                data.unicodeScalars.removeLast()
                events.append(ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, lastEventID: id, retry: retry))
            }
            (data, type, retry) = ("", "", nil)
            continue
        }
        let colon = line.firstIndex(of: ":")
        let name = String(line[..<(colon ?? line.endIndex)])
        var value = colon.map { line[line.index(after: $0)...] } ?? line[line.endIndex...]
        if value.first == " " { value.removeFirst() }
        switch name {
        case "data":
            data.unicodeScalars.append(contentsOf: value)
            data.unicodeScalars.append("\n")
        case "event": type = String(value)
        case "id" where !value.contains("\0"): id = String(value)
        case "retry" where !value.isEmpty && value.allSatisfy({ ("0"..."9").contains($0) }):
            retry = .milliseconds(min(Int64(String(value)) ?? .max, 1_000_000_000_000))
        default: break
        }
    }
    return events
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let stream = FuzzedStream(start, count) else { return -1 }
    let text: (ServerSentEvent) -> String = {
        "\(Array($0.type.utf8)) \(Array($0.data.utf8)) \(Array($0.lastEventID.utf8)) \($0.retry ?? .zero)"
    }
    _ = stream.check(ServerSentEventParser(maximumEventBytes: stream.limit), text)
    let found = stream.check(ServerSentEventParser(), text)
    let expected = events(in: stream.bytes).map(text)
    precondition(found == expected, "\(found)\nexpected: \(expected)")
    return 0
}
