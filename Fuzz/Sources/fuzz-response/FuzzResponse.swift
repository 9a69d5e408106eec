@testable import Endpoints

@testable import NetworkTransport
@testable import NetworkSupport

/// The first four bytes of an input say what was asked for, how the rest is cut into reads, and how large a head may be.
private struct Input {
    let exchange: HTTP1Exchange
    let sizes: [Int]

    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        exchange = HTTP1Exchange(
            bytes: Array(bytes.dropFirst(4)), isHead: bytes[0] & 1 == 1, expectsUpgrade: bytes[0] & 2 == 2,
            maximumHeaderBytes: bytes[1] < 128 ? 1 << 18 : Int(bytes[1]))
        var state = UInt32(bytes[2]) << 8 | UInt32(bytes[3])
        sizes = (0..<min(bytes.count, 200)).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 24) % (Int(bytes[2]) % 60 + 1)
        }
    }
}

/// Neither a line end nor white space around it.
private func isClean(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let isEndClean = [bytes.first, bytes.last].allSatisfy { $0 != 0x20 && $0 != 0x09 }
    return isEndClean && !bytes.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }
}

/// libFuzzer calls it with each of its inputs.
@_cdecl("LLVMFuzzerTestOneInput")
public func runInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard let input = Input(UnsafeBufferPointer(start: start, count: count)) else { return 0 }
    let (whole, failure) = input.exchange.outcome()
    for cut in [HTTP1Exchange.Cut.sizes(input.sizes), .all] {
        let (parts, partFailure) = input.exchange.outcome(cut)
        precondition(parts == whole && partFailure == failure, "cut, it is another response:\n\(parts)\n\(whole)")
    }
    let expected = input.exchange.expected
    precondition(whole == expected, "the model reads it otherwise:\n\(whole)\n\(expected)")
    for field in whole.headers + whole.trailers {
        precondition(field.name.utf8.allSatisfy(\.isTokenByte) && isClean(field.value), "not clean: \(field)")
    }
    return 0
}
