import Endpoints
import Foundation
import Testing

@Suite struct TextDecoderTests {
    @Test(
        arguments: [
            (nil, [0xC3, 0xA9], "é"),
            ("text/plain", [0xC3, 0xA9], "é"),
            ("text/plain; charset=UTF-8", [0xEF, 0xBB, 0xBF, 0x61], "a"),
            ("text/plain;charset=iso-8859-1", [0xE9], "é"),
            // RFC 9110 §5.6.6: parameter names are case-insensitive, and values can be quoted.
            ("text/plain; Charset=\"ISO-8859-1\"", [0xE9], "é"),
            ("text/plain; a=b; charset=latin1 ; c=d", [0xE9], "é"),
            ("text/plain; title=\"a; charset=utf-16\"; charset=latin1", [0xE9], "é"),
            ("text/plain; title=\"a\\\"; charset=utf-16\"; charset=latin1", [0xE9], "é"),
            ("text/plain; charset=windows-1252", [0x80], "€"),
            ("text/plain; charset=windows-1251", [0xC6], "Ж"),
            ("text/plain; charset=shift_jis", [0x93, 0xFA], "日"),
            ("text/plain; charset=us-ascii", [0x61], "a"),
            ("text/plain; charset=utf-16", [0xFE, 0xFF, 0, 0x61], "a"),
            ("text/plain; charset=utf-16", [0xFF, 0xFE, 0x61, 0], "a"),
            // WHATWG Encoding Standard §4.2: `utf-16` is a label of UTF-16LE, and `us-ascii` one of windows-1252.
            ("text/plain; charset=utf-16", [0x61, 0], "a"), ("text/plain; charset=us-ascii", [0xE9], "é"),
            ("text/plain; charset=utf-16be", [0xFE, 0xFF, 0, 0x61], "a"),
            ("text/plain; charset=utf-16le", [0x61, 0], "a"),
            ("text/plain; charset=utf-32be", [0, 0, 0, 0x61], "a"),
            ("text/plain", [], ""),
            ("text/plain; charset=utf-16", [], ""),
        ] as [(String?, [UInt8], String)]
    )
    func `text is decoded in the charset of the response`(contentType: String?, bytes: [UInt8], text: String) throws {
        let body = ResponseData(Data(bytes), contentType: contentType)
        #expect(try TextResponseDecoder().decode(String.self, from: body) == text)
    }

    @Test(
        arguments: [
            (nil, [0xFF]), (nil, [0xC3]), (nil, [0xED, 0xA0, 0x80]), (nil, [0xC0, 0x80]),
            ("text/plain; charset=utf-16be", [0xD8, 0]), ("text/plain; charset=utf-16le", [0x61, 0, 0x62]),
            ("text/plain; charset=utf-32", [0, 0, 0x61]), ("text/plain; charset=iso-8859-3", [0xA5]),
            ("text/plain; charset=shift_jis", [0x93]),
        ] as [(String?, [UInt8])]
    )
    func `bytes that are invalid in their charset are an error`(contentType: String?, bytes: [UInt8]) throws {
        let error = try #require(throws: ResponseDecodingError.self) {
            try TextResponseDecoder().decode(String.self, from: ResponseData(Data(bytes), contentType: contentType))
        }
        guard case .invalidText = error.kind else { return #expect(Bool(false), "\(error)") }
    }

    @Test(arguments: ["text/plain; charset=klingon", "text/plain; charset=utf-7", "text/plain; charset=\"\u{1B}[2J\""])
    func `the error for an unknown charset contains no control characters`(contentType: String) throws {
        let error = try #require(throws: ResponseDecodingError.self) {
            try TextResponseDecoder().decode(String.self, from: ResponseData(Data("a".utf8), contentType: contentType))
        }
        guard case .unknownCharset = error.kind else { return #expect(Bool(false), "\(error)") }
        #expect(!error.description.contains("\u{1B}"))
    }

    @Test func `the text decoder returns only String`() throws {
        let body = ResponseData(Data("7".utf8))
        #expect(try TextResponseDecoder().decode(String?.self, from: body) == "7")
        #expect(throws: ResponseDecodingError.self) { try TextResponseDecoder().decode(Int.self, from: body) }
    }
}
