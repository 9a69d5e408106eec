import Foundation

@testable import NetworkEngine

/// A field.
struct Field: Equatable {
    let name: [UInt8]
    let value: [UInt8]
}

/// Returns the fields of a section; `nil` if it is invalid.
func decode(_ section: [UInt8], with decoder: inout QPACKDecoder) -> [Field]? {
    var fields: [Field] = []
    let isValid = section.withUnsafeBytes { section in
        (try? decoder.decode(section) { fields.append(Field(name: Array($0), value: Array($1))) }) != nil
    }
    return isValid ? fields : nil
}

func encode(_ fields: [Field], _ indexing: FieldIndexing) -> [UInt8] {
    var encoder = QPACKEncoder()
    var section: [UInt8] = []
    encoder.begin(&section)
    for field in fields {
        field.name.withUnsafeBytes { name in
            field.value.withUnsafeBytes { encoder.append(name, $0, indexing, to: &section) }
        }
    }
    return section
}

/// What the instructions of a peer are: how many, and the error that ends them.
func outcome(_ sender: QPACKInstructions.Sender, _ bytes: [UInt8], piece: Int) -> String {
    var instructions = QPACKInstructions(from: sender)
    var count = 0
    do {
        for start in stride(from: 0, to: bytes.count, by: piece) {
            try Array(bytes[start..<min(start + piece, bytes.count)]).withUnsafeBytes { input in
                var offset = 0
                while try instructions.next(input, at: &offset) { count += 1 }
                precondition(offset == input.count, "input is left")
            }
        }
        return "\(count)"
    } catch {
        return "\(count) \(error)"
    }
}

/// libFuzzer calls it with each of its inputs: a field section, and instructions. The first byte says how long the pieces are.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
    var decoder = QPACKDecoder()
    let fields = decode(bytes, with: &decoder)
    // No section changes the next.
    precondition(decode(bytes, with: &decoder) == fields, "another section")
    if let fields {
        let limit = bytes.count * 110
        precondition(fields.reduce(0) { $0 + $1.name.count + $1.value.count } <= limit, "more than the bytes can represent")
        for indexing in [FieldIndexing.added, .never] {
            precondition(decode(encode(fields, indexing), with: &decoder) == fields, "not the same after encoding")
        }
    }
    for sender in [QPACKInstructions.Sender.encoder, .decoder] {
        let (whole, cut) = (
            outcome(sender, bytes, piece: max(bytes.count, 1)), outcome(sender, bytes, piece: Int(start[0]) % 7 + 1)
        )
        precondition(whole == cut, "whole: \(whole), cut: \(cut)")
    }
    return 0
}
