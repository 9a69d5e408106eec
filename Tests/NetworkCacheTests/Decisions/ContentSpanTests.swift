import Testing
import TransferTestSupport

@testable import NetworkCache

/// `Content-Range` (RFC 9110 §14.4).
struct ContentSpanTests {
    @Test(arguments: [
        ("bytes 0-9/10", 0..<10, 10), ("BYTES 3-3/9", 3..<4, 9), ("bytes 0-0/9223372036854775807", 0..<1, Int.max),
    ])
    func `one range of known content`(field: String, positions: Range<Int>, length: Int) {
        #expect(ContentSpan(field) == ContentSpan(positions, of: length))
    }

    @Test(arguments: [
        "", "bytes", "bytes ", "bytes 0-9", "bytes 0-9/*", "bytes */10", "bytes 0-10/10", "bytes 5-4/10", "bytes -1/10",
        "bytes 1-/10",
        "bytes 0-9/10/10", "bytes 0-9-9/10", "bytes=0-9/10", "lines 0-9/10", "bytes  0-9/10", "bytes +1-2/10",
        "bytes 0-99999999999999999999/99999999999999999999",
    ])
    func `other text is no range of known content`(field: String) {
        #expect(ContentSpan(field) == nil)
    }

    @Test
    func `random text never traps, and what is parsed is within the content`() {
        let random = SharedGenerator(9110)
        let alphabet = Array("bytes 0123456789-/*=,\u{E9}")
        for _ in 0..<20_000 {
            let count = random.next(below: 16)
            let text =
                (random.next(below: 2) == 0 ? "bytes " : "")
                + String((0..<count).map { _ in alphabet[random.next(below: alphabet.count)] })
            guard let span = ContentSpan(text) else { continue }
            #expect(!span.positions.isEmpty && span.positions.upperBound <= span.length)
            #expect(ContentSpan(span.field) == span)
        }
    }
}
