import Foundation
import JSONDocuments
@testable import NetworkJSON

func check<T: Codable & Equatable>(_ value: T) {
    let foundation = JSONEncoder()
    foundation.outputFormatting = [.sortedKeys]
    let encoder = TransferJSONEncoder(foundation)
    guard let text = try? encoder.encode(value), let expected = try? foundation.encode(value) else {
        preconditionFailure("a value is not encoded")
    }
    precondition(text == expected, "\(String(decoding: text, as: UTF8.self)) for \(String(decoding: expected, as: UTF8.self))")
    guard let again = try? TransferJSONDecoder().decode(T.self, from: TransferJSONEncoder().encode(value)) else {
        preconditionFailure("a text is not decoded")
    }
    // Integral doubles are written as integers, which `AnyValue` reads as such.
    precondition(value is AnyValue || again == value, "\(again) for \(value)")
}

/// libFuzzer calls it with each of its inputs: a document, or, if it is not JSON, a string and the bytes of doubles.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return -1 }
    let data = Data(bytes: start, count: count)
    if let value = try? TransferJSONDecoder().decode(AnyValue.self, from: data) {
        check(value)
        return 0
    }
    let string = String(decoding: data, as: UTF8.self)
    check(AnyValue.string(string))
    let doubles = stride(from: 0, to: count - 7, by: 8).map {
        UnsafeRawPointer(start).loadUnaligned(fromByteOffset: $0, as: Double.self)
    }.filter(\.isFinite)
    check(doubles)
    check([string: doubles.map { Float($0) }.filter(\.isFinite)])
    return 0
}
