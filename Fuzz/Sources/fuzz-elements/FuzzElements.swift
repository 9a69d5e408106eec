@testable import Endpoints
import Foundation
@testable import NetworkJSON
import Splitting

let paths: [JSONKeyPath] = ["", "a", "a.b", "[0]", "/0/a", "/-", "a[1]", "[\"\"]", "é", "a..b"]

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 2, let stream = FuzzedStream(start + 1, count - 1) else { return -1 }
    let path = paths[Int(start[0]) % paths.count]
    _ = stream.check(JSONElementParser(at: path, maximumElementBytes: stream.limit)) { "\(Array($0))" }
    let elements = stream.check(JSONElementParser(at: path)) { "\(Array($0))" }
    let failed = elements.last?.hasPrefix("error") == true
    // What reads the document in one piece has to agree. It reads UTF-16 too.
    guard let array = try? JSONSlicer().slice(of: stream.bytes, at: path), array.first == UInt8(ascii: "[") else {
        precondition(failed, "accepted")
        return 0
    }
    guard !stream.bytes.contains(0) else { return 0 }
    precondition(!failed, "refused: \(elements)")
    for (index, element) in elements.enumerated().prefix(20) {
        let slice = try? JSONSlicer().slice(of: array, at: JSONKeyPath(components: [.index(index)]))
        precondition(slice.map { "\(Array($0))" } == element, "element \(index)")
    }
    precondition(
        (try? JSONSlicer().slice(of: array, at: JSONKeyPath(components: [.index(elements.count)]))) == nil, "one is lost")
    return 0
}
