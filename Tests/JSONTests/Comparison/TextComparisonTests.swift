import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// Documents as a whole, compared with Foundation.
@Suite struct `Text as with Foundation` {
    @Test(arguments: ["1", "-1.5", "\"a\"", "true", "null", "[]", "{}", " 1 ", "\n\t\r [ ] \r\n"])
    func `fragments and white space are accepted`(text: String) {
        expectSame(AnyValue.self, text)
        expectSame(Double?.self, text)
    }

    @Test(arguments: ["", " ", "\n", "\u{FEFF}", "\u{B}1", "\u{A0}1", "1 2", "[1]]", "[1],", "nul", "tru", "{]", "[}", "\u{0}"])
    func `text that is not JSON is refused`(text: String) {
        expectSame(AnyValue.self, text)
    }

    @Test(arguments: [
        String.Encoding.utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32BigEndian, .utf32LittleEndian,
    ])
    func `encodings are detected`(encoding: String.Encoding) throws {
        for text in ["[1]", "{\"é\":\"😀\"}", "12", "\"a\"", " []"] {
            expectSame(AnyValue.self, try #require(text.data(using: encoding)))
        }
    }

    @Test(
        arguments: [
            [0xEF, 0xBB, 0xBF, 0x31], [0xFE, 0xFF, 0, 0x31], [0xFF, 0xFE, 0x31, 0], [0, 0, 0xFE, 0xFF, 0, 0, 0, 0x31],
        ] as [[UInt8]])
    func `a byte order mark is skipped`(bytes: [UInt8]) {
        expectSame(Int.self, Data(bytes))
    }

    @Test func `UTF-32 with a little-endian byte order mark is accepted`() throws {
        // A difference: Foundation reads the mark as that of UTF-16.
        #expect(try TransferJSONDecoder().decode(Int.self, from: Data([0xFF, 0xFE, 0, 0, 0x31, 0, 0, 0])) == 1)
    }

    @Test(arguments: [1, 511, 512, 513, 600])
    func `arrays and objects may be nested 512 times`(depth: Int) {
        struct Skipped: Decodable, Equatable { init(from decoder: any Decoder) {} }
        expectSame(Skipped.self, String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
        expectSame(Skipped.self, String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth))
    }

    @Test(arguments: ["{a:1,}", "{'a':0x1F}", "/**/{a:+1}", "{a:Infinity}", "[1]", "{\"a\":1}"])
    func `JSON5 is decoded as by Foundation`(text: String) {
        expectSame([String: Double].self, text) { $0.allowsJSON5 = true }
        #expect(throws: DecodingError.self) { try TransferJSONDecoder().decode([Int: Int].self, from: Data("{a:1}".utf8)) }
    }

    @Test(arguments: ["\"a\":1,\"b\":2", "{\"a\":1}", " {\"a\":1} ", "", "1", "\"a\":1}", "}", "\"a\":[1"])
    func `an assumed dictionary is decoded as by Foundation`(text: String) {
        expectSame([String: Int].self, text) { $0.assumesTopLevelDictionary = true }
    }

    @Test(arguments: [
        "{\"a\":1,\"b\":1.2.3}", "{\"a\":1,\"b\":[01]}", #"{"a":1,"b":"\q"}"#, #"{"a":1,"b":"\ud800"}"#, "{\"a\":1,}",
    ])
    func `invalid text in a value that is not decoded is an error`(text: String) throws {
        // A difference: Foundation validates only what is decoded.
        struct One: Decodable { var a: Int }
        #expect(throws: DecodingError.self) { try TransferJSONDecoder().decode(One.self, from: Data(text.utf8)) }
    }
}
