import Foundation

@testable import NetworkTransport

let codings = ["gzip", "deflate", "br", "zstd", "gzip, br", "zstd, gzip", "deflate, zstd", "br, deflate, zstd"]
let ratio = 50

/// What comes of a content, cut into pieces and with some room for output: 0 for all at once.
func outcome(_ coding: String, _ bytes: UnsafeRawBufferPointer, seed: UInt8) -> (
    output: [UInt8], failure: ContentDecodingFailure?
) {
    guard let decoder = ContentDecoder(contentEncoding: coding, maximumRatio: ratio) else {
        preconditionFailure("a library is missing")
    }
    var state = UInt32(seed) &* 2_654_435_761 | 1
    func next(_ most: Int) -> Int {
        state = state &* 1_664_525 &+ 1_013_904_223
        return seed == 0 ? most : min(most, Int(state >> 24) % (Int(seed) % 60 + 2) + 1)
    }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var output: [UInt8] = []
    var rest = bytes[...]
    do throws(ContentDecodingFailure) {
        while !rest.isEmpty {
            var piece = rest.prefix(next(rest.count))
            rest = rest.dropFirst(piece.count)
            while !piece.isEmpty || decoder.mayHoldOutput {
                // Some room at first, then a lot: else a long output takes long.
                let room = output.count < 4096 ? next(buffer.count) : buffer.count
                let result = buffer.withUnsafeMutableBytes { buffer in
                    Result { () throws(ContentDecodingFailure) in
                        try decoder.decode(
                            UnsafeRawBufferPointer(rebasing: piece),
                            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
                    }
                }
                let (consumed, produced) = try result.get()
                precondition(consumed <= piece.count && produced <= room, "out of bounds")
                precondition(consumed > 0 || produced > 0 || piece.isEmpty, "no progress")
                output += buffer[..<produced]
                piece = piece.dropFirst(consumed)
            }
        }
        try decoder.finish()
    } catch {
        return (output, error)
    }
    return (output, nil)
}

func isDamage(_ failure: ContentDecodingFailure?) -> Bool {
    if case .damaged? = failure { true } else { false }
}

/// Encodes content in gzip format, with zlib loaded anew, and decodes it again.
func roundTrip(_ content: Data, level: Int) {
    do {
        guard let encoder = GzipEncoder(level: level, libraries: CodingLibraries()) else {
            preconditionFailure("a library is missing")
        }
        var (coded, offset) = (Data(), 0)
        while let piece = try encoder.encode(content, from: &offset) { coded += piece }
        precondition(offset == content.count, "content is left")
        while let piece = try encoder.finish() { coded += piece }
        let decoded = coded.withUnsafeBytes { outcome("gzip", $0, seed: 0) }
        // Content that is compressed to less than a fiftieth is refused.
        if case .ratio? = decoded.failure { return }
        precondition(decoded.failure == nil && decoded.output == Array(content), "decoded: \(decoded)")
    } catch {
        preconditionFailure("cannot encode: \(error)")
    }
}

/// libFuzzer calls it with each of its inputs: the coding, the cuts, the content.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count >= 2 else { return -1 }
    let coding = codings[Int(start[0]) % codings.count]
    let bytes = UnsafeRawBufferPointer(start: start + 2, count: count - 2)
    roundTrip(Data(bytes), level: Int(start[1]) % 9 + 1)
    let whole = outcome(coding, bytes, seed: 0)
    let cut = outcome(coding, bytes, seed: start[1])
    precondition(whole.failure != .damaged("no progress"), "a decoder stands still")
    precondition(
        whole.output.count <= max(1 << 20, ratio * (bytes.count + 1 << 14)) + 1, "\(whole.output.count) of \(bytes.count) bytes")
    // Brotli drops what it holds when it meets damage, and has several words for some.
    if coding.contains("br"), isDamage(whole.failure), isDamage(cut.failure) { return 0 }
    precondition(
        whole.failure == cut.failure, "whole: \(String(describing: whole.failure)), cut: \(String(describing: cut.failure))")
    precondition(whole.output == cut.output, "whole: \(whole.output.count) bytes, cut: \(cut.output.count)")
    return 0
}
