import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct LineParserTests {
    @Test(arguments: [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("a\n\nb\n\n", ["a", "", "b", ""]),
        ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]), ("\r\n", [""]), ("a\r", ["a\r"]),
        ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
        ("\u{FEFF}", [""]), ("é\n日本\n", ["é", "日本"]), ("a\u{2028}b\u{85}c\u{B}d\n", ["a\u{2028}b\u{85}c\u{B}d"]),
    ])
    func `lines end with LF or CRLF`(text: String, lines: [String]) {
        for chunks in [[Data(text.utf8)], text.utf8.map { Data([$0]) }] {
            let outcome = StreamOutcome(LineParser(), chunks)
            #expect(outcome.elements.map { Array($0.utf8) } == lines.map { Array($0.utf8) } && outcome.error == nil)
        }
    }

    @Test func `bytes that are not UTF-8 are replaced`() {
        let outcome = StreamOutcome(LineParser(), [0x61, 0xFF, 0x0A, 0xE2, 0x82, 0x0A, 0x62])
        #expect(outcome.elements == ["a\u{FFFD}", "\u{FFFD}", "b"] && outcome.error == nil)
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func `a line as long as the limit is returned, and a longer one ends the stream`(end: String) {
        for chunkSize in [1, 2, 5, 100] {
            let split = { (text: String) in
                stride(from: 0, to: text.utf8.count, by: chunkSize).map {
                    Data(Array(text.utf8)[$0..<min($0 + chunkSize, text.utf8.count)])
                }
            }
            #expect(StreamOutcome(LineParser(maximumLineBytes: 4), split("abcd" + end)).elements == ["abcd"])
            let outcome = StreamOutcome(LineParser(maximumLineBytes: 4), split("ab\nabcde" + end + "x\n"))
            #expect(outcome.elements == ["ab"])
            #expect(outcome.error?.contains("longer than 4 bytes (maximumLineBytes)") == true)
        }
    }

    @Test func `after an error, every further call throws it again`() {
        var parser = LineParser(maximumLineBytes: 1)
        parser.receive(Data("abc".utf8))
        for _ in 0..<2 {
            let error = #expect(throws: StreamParsingError.self) { try parser.next() }
            #expect(error?.endsStream == true && error?.index == 0)
            parser.receive(Data("\na\n".utf8))
        }
    }

    @Test func `an endless line is refused at the limit, and only its beginning is read`() throws {
        let chunk = Data(repeating: 0x61, count: 64 << 10)
        var chunks = 0
        let counted = repeatElement(chunk, count: 1000).lazy.map { chunk in
            chunks += 1
            return chunk
        }
        let error = try #require(StreamSplits.failure(of: LineParser(), in: counted))
        #expect(chunks <= 18)
        guard case .limitExceeded(.line, 1_048_576) = error.kind else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func `chunks that are received before lines are read are not lost`() throws {
        var parser = LineParser()
        for piece in ["a\nb", "c\n", "", "d"] { parser.receive(Data(piece.utf8)) }
        #expect(try parser.next() == "a")
        parser.receive(Data("e\nf".utf8))
        parser.finish()
        parser.receive(Data("ignored".utf8))
        #expect(try parser.next() == "bc")
        #expect(try parser.next() == "de")
        #expect(try parser.next() == "f")
        #expect(try parser.next() == nil)
        #expect(try parser.next() == nil)
    }
}
