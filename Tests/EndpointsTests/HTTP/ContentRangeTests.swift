import Endpoints
import Foundation
import Testing
import TestSupport

/// The `Content-Range` field (RFC 9110 §14.4).
struct ContentRangeTests {
    @Test(
        arguments: [
            ("bytes 42-1233/1234", ContentRange(42..<1234, of: 1234)), ("bytes 42-1233/*", ContentRange(42..<1234, of: nil)),
            ("bytes */1234", ContentRange(nil, of: 1234)), ("Bytes 0-0/1", ContentRange(0..<1, of: 1)),
            (" bytes 0-0/1\t", ContentRange(0..<1, of: 1)), ("bytes */0", ContentRange(nil, of: 0)),
            ("bytes 0-9223372036854775806/*", ContentRange(0..<Int64.max, of: nil)),
        ])
    func `a valid content range is parsed`(text: String, expected: ContentRange) {
        #expect(ContentRange(text) == expected)
    }

    @Test(
        arguments: [
            "", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/", "bytes /5", "bytes -1/5", "bytes 1-/5", "bytes 2-1/5",
            "bytes 0-5/5",
            "bytes */*", "items 0-1/5", "bytes 0-1/5/6", "bytes=0-1/5", "bytes +0-1/5", "bytes 0-1/-5", "bytes 0 -1/5",
            "bytes 0-1/5x",
            "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775808/*", "bytes 0-1/99999999999999999999", "bytes 0-1,2-3/5",
            "bytes ٠-١/٥",
        ])
    func `any other text is not a content range`(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test func `a random field is a content range if the grammar says so`() throws {
        var random = SeededGenerator(seed: 1444)
        let grammar = try NSRegularExpression(pattern: "\\A[ \t]*[Bb]ytes +(?:([0-9]+)-([0-9]+)|[*])/([0-9]+|[*])[ \t]*\\z")
        for _ in 0..<4000 {
            let text = random.hostileText(
                of: ["bytes ", "Bytes", "0-1", "/5", "bytes 2-3/4", "12", "*", "-", "/"], maximumPieces: 5)
            let match = grammar.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count))
            let part = { (group: Int) -> Int64? in
                guard let range = match?.range(at: group), range.location != NSNotFound else { return nil }
                return Int64((text as NSString).substring(with: range))
            }
            var expected: ContentRange?
            if match != nil {
                if let first = part(1), let last = part(2) {
                    if first <= last, last < part(3) ?? .max { expected = ContentRange(first..<(last + 1), of: part(3)) }
                } else if let total = part(3) {
                    expected = ContentRange(nil, of: total)
                }
            }
            #expect(ContentRange(text) == expected, "\(text.debugDescription)")
        }
    }
}
