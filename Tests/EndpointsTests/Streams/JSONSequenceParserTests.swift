import Endpoints
import Foundation
import Testing

@Suite struct JSONSequenceParserTests {
    /// Valid texts unchanged, truncated texts in angle brackets, malformed texts after an exclamation mark.
    private func texts(_ stream: String, _ chunkSize: Int) -> [String] {
        let bytes = Array(stream.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: chunkSize).map { Data(bytes[$0..<min($0 + chunkSize, bytes.count)]) }
        let outcome = StreamOutcome(JSONSequenceParser(), chunks)
        #expect(outcome.error == nil)
        return outcome.elements.map {
            let text = String(decoding: $0.data, as: UTF8.self)
            return switch $0.error {
            case nil: text
            case .truncated: "<\(text)>"
            case .malformed: "!\(text)"
            }
        }
    }

    @Test(arguments: [
        // RFC 7464 §2.1: several separators count as one, and texts can span lines.
        ("", []), ("\u{1E}{\"a\":1}\n", ["{\"a\":1}"]), ("\u{1E}\u{1E}\u{1E}1\n\u{1E}", ["1"]),
        ("\u{1E}[1,\n2]\n\u{1E}[]\n", ["[1,\n2]", "[]"]),
        ("\u{1E} \n\u{1E}\n", []), ("\u{1E}  \"a\\u001e\"  \n", ["\"a\\u001e\""]),
        // §2.3: a malformed text does not end the sequence.
        ("\u{1E}{\"a\":\u{1E}1\n", ["<{\"a\":>", "1"]), ("\u{1E}nul!\n\u{1E}2\n", ["!nul!\n", "2"]),
        ("\u{1E}1 2\n\u{1E}3\n", ["1", "!2\n", "3"]),
        ("\u{1E}{} x\u{1E}[]", ["{}", "!x", "[]"]), ("\u{1E}}\u{1E}[]", ["!}", "[]"]), ("\u{1E}{}[]\n", ["{}", "![]\n"]),
        // §2.4: numbers, true, false and null are complete only if white space follows.
        ("\u{1E}12\u{1E}true\u{1E}null\u{1E}[]\u{1E}\"a\"\u{1E}{}", ["<12>", "<true>", "<null>", "[]", "\"a\"", "{}"]),
        ("\u{1E}12", ["<12>"]), ("\u{1E}12 ", ["12"]), ("\u{1E}true\t\u{1E}false\r", ["true", "false"]), ("\u{1E}-", ["<->"]),
        ("\u{1E}truex\n", ["!truex\n"]), ("\u{1E}12x\n", ["!12x\n"]), ("\u{1E}tru", ["<tru>"]), ("\u{1E}\"abc", ["<\"abc>"]),
    ])
    func `each text follows a record separator`(stream: String, expected: [String]) {
        for chunkSize in [1, 2, 3, 1000] { #expect(texts(stream, chunkSize) == expected) }
    }

    @Test func `a text is returned when it is complete, before the next separator`() throws {
        var parser = JSONSequenceParser()
        parser.receive(Data("\u{1E}{\"a\":1}".utf8))
        #expect(try parser.next()?.data == Data("{\"a\":1}".utf8))
        parser.receive(Data("\n\u{1E}7".utf8))
        #expect(try parser.next() == nil)
        parser.receive(Data("\n".utf8))
        #expect(try parser.next()?.data == Data("7".utf8))
        #expect(try parser.next() == nil)
    }

    @Test(arguments: ["{}", "\n\u{1E}{}", "\u{FEFF}\u{1E}{}"])
    func `bytes before the first separator are an error`(stream: String) {
        let outcome = StreamOutcome(JSONSequenceParser(), Array(stream.utf8))
        #expect(outcome.elements.isEmpty && outcome.error?.contains("a record separator (0x1E) is expected at byte 0") == true)
    }

    @Test(arguments: ["\"a\"", "12345 ", "[   ]", "[ [", "1234567"])
    func `a text that is longer than the limit ends the stream`(text: String) {
        for chunks in [[Data("\u{1E}1\n\u{1E}\(text)".utf8)], "\u{1E}1\n\u{1E}\(text)".utf8.map { Data([$0]) }] {
            let fits = StreamOutcome(JSONSequenceParser(maximumElementBytes: 7), chunks)
            #expect(fits.error == nil && fits.elements.count == 2)
            let outcome = StreamOutcome(JSONSequenceParser(maximumElementBytes: 2), chunks)
            #expect(outcome.elements.map(\.data) == [Data("1".utf8)])
            #expect(outcome.error?.contains("longer than 2 bytes (maximumElementBytes)") == true)
        }
    }

    @Test func `only the beginning of an endless malformed text is stored`() throws {
        var parser = JSONSequenceParser(maximumElementBytes: 4096)
        parser.receive(Data([0x1E, 0x21]))
        for _ in 0..<1000 {
            parser.receive(Data(repeating: 0x61, count: 4096))
            #expect(try parser.next() == nil)
        }
        parser.finish()
        let text = try #require(try parser.next())
        #expect(text.data == Data("!".utf8) + Data(repeating: 0x61, count: 1023))
        #expect(try parser.next() == nil)
        // This also applies if the syntax error is late in the text.
        let late = StreamOutcome(JSONSequenceParser(), Array(("\u{1E}[" + String(repeating: "1,", count: 2000) + "x").utf8))
        #expect(late.elements.map(\.data.count) == [1024] && late.elements[0].error != nil)
    }
}
