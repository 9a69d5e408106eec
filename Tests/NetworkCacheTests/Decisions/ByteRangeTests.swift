import Foundation
import Testing
import TransferTestSupport

@testable import NetworkCache

/// The ranges of requests (RFC 9110 §14.1.2).
struct ByteRangeTests {
    @Test(
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-", 0..<10), ("BYTES=9-9", 9..<10), ("bytes=9-99", 9..<10), ("bytes=10-", nil),
            ("bytes=-1", 9..<10), ("bytes=-10", 0..<10), ("bytes=-11", 0..<10), ("bytes=-0", nil),
            ("bytes=3-99999999999999999999", 3..<10), ("bytes=99999999999999999999-", nil),
            ("bytes=99999999999999999999-99999999999999999998", nil), ("bytes=-99999999999999999999", 0..<10),
        ] as [(String, Range<Int>?)])
    func `a range is limited to the content, or cannot be satisfied`(field: String, positions: Range<Int>?) throws {
        #expect(try #require(ByteRange(field)).positions(in: 10) == positions)
    }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=-", "bytes=1", "bytes=2-1", "bytes=0-1,3-4", "bytes=0-1, 3-4", "bytes= 0-1", "bytes=0 -1",
        "lines=0-1", "bytes=a-b", "bytes=0-1-2", "bytes=+0-1", "bytes=--1", "bytes 0-1",
    ])
    func `other text is not a single range of bytes`(field: String) {
        #expect(ByteRange(field) == nil)
    }

    @Test
    func `random ranges select what a simple filter selects`() throws {
        var random = SeededGenerator(seed: 14)
        for _ in 0..<5000 {
            let length = random.below(8)
            let (first, last) = (random.below(10), random.below(10))
            let hasFirst = random.chance(70)
            let hasLast = !hasFirst || random.chance(60)
            let field = "bytes=\(hasFirst ? "\(first)" : "")-\(hasLast ? "\(last)" : "")"
            guard let range = ByteRange(field) else {
                #expect(hasFirst && hasLast && last < first, "\(field)")
                continue
            }
            let wanted = (0..<length).filter { hasFirst ? $0 >= first && (!hasLast || $0 <= last) : $0 >= length - last }
            #expect(Array(range.positions(in: length) ?? 0..<0) == wanted, "\(field) of \(length)")
        }
    }
}
