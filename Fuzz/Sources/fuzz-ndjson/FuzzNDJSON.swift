@testable import Endpoints
import Foundation
import Splitting

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let stream = FuzzedStream(start, count) else { return -1 }
    for limit in [stream.limit, 1 << 20] {
        let records = stream.check(NDJSONParser(maximumLineBytes: limit)) { "\(Array($0))" }
        let lines = stream.check(LineParser(maximumLineBytes: limit)) { "\(Array($0.utf8))" }
        precondition(records.count <= lines.count, "more records than lines")
        _ = stream.check(JSONSequenceParser(maximumElementBytes: limit)) { text in
            if text.error == nil {
                // A text that is returned as valid is valid.
                let slice = try? JSONSlicer().slice(of: text.data, at: "")
                precondition(slice == text.data, "no JSON: \(Array(text.data))")
            }
            return "\(Array(text.data)) \(text.error.map { "\($0)" } ?? "")"
        }
    }
    let feeds = stream.bytes.filter { $0 == 0x0A }.count
    let lines = stream.check(LineParser()) { "\(Array($0.utf8))" }
    precondition(lines.count == feeds + (stream.bytes.last.map { $0 == 0x0A ? 0 : 1 } ?? 0), "a line is lost")
    return 0
}
