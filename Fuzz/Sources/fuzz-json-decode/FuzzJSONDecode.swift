@testable import Endpoints
import Foundation
import JSONDocuments

/// Any document.
struct Skipped: Decodable {
    init(from decoder: any Decoder) {}
}

/// The values of a stream that arrives in pieces of `size` bytes; nil if it is not valid.
func values(_ format: StreamFormat<AnyValue>, _ data: Data, size: Int) -> [AnyValue]? {
    var parser = format.makeParser()
    var values: [AnyValue] = []
    do {
        for start in stride(from: 0, to: data.count, by: size) {
            parser.receive(data[start..<min(data.count, start + size)])
            while let value = try parser.next() { values.append(value) }
        }
        parser.finish()
        while let value = try parser.next() { values.append(value) }
        return values
    } catch {
        return nil
    }
}

/// libFuzzer calls it with each of its inputs: a document. Its first byte also chooses the size of pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return -1 }
    let data = Data(bytes: start, count: count)
    let decoder = TransferJSONDecoder()
    let isJSON = (try? decoder.decode(Skipped.self, from: data)) != nil
    let whole = try? decoder.decode(AnyValue.self, from: data)
    _ = try? decoder.decode(Exotic.self, from: data)
    _ = try? decoder.decode(Numbers.self, from: data)
    _ = try? decoder.decode(Nested.self, from: data)
    if isJSON, count < 4096 {
        let isAccepted = (try? JSONDecoder().decode(Skipped.self, from: data)) != nil
        precondition(isAccepted, "Foundation refuses a document")
    }
    precondition(isJSON || whole == nil, "a value of a text that is not JSON")

    let size = 1 + Int(start[0] % 17)
    // Other encodings and byte order marks are detected in whole documents only.
    let isPlain = start[0] < 0x80 && start[0] != 0 && (count < 2 || start[1] != 0)
    let elements = values(.elements(at: "/a/0"), data, size: size)
    if isPlain, elements != nil { precondition(isJSON, "elements of a text that is not JSON") }
    precondition(values(.ndjson(), data, size: size) == values(.ndjson(), data, size: count), "lines depend on pieces")
    precondition(
        values(.jsonSequence(), data, size: size) == values(.jsonSequence(), data, size: count), "texts depend on pieces")
    return 0
}
