import Endpoints
import Foundation
import Testing

@Suite struct JSONTextEncodingTests {
    static let texts = ["1", "[]", "{\"a\":{\"é\":\"日本 😀\"}}", "{\"a\":{\"é\":\"x\"},\"b\":[1, 2]} "]
    static let encodings: [(String.Encoding, mark: [UInt8])] = [
        (.utf8, [0xEF, 0xBB, 0xBF]),
        (.utf16LittleEndian, [0xFF, 0xFE]),
        (.utf16BigEndian, [0xFE, 0xFF]),
        (.utf32LittleEndian, [0xFF, 0xFE, 0, 0]),
        (.utf32BigEndian, [0, 0, 0xFE, 0xFF]),
    ]

    @Test(arguments: texts, encodings.indices)
    func `a document is read in each encoding that JSONDecoder supports`(text: String, encoding: Int) throws {
        let (encoding, mark) = Self.encodings[encoding]
        let bytes = try #require(text.data(using: encoding))
        for data in [bytes, Data(mark) + bytes] {
            let expected = try? JSONDecoder().decode(AnyJSON.self, from: data)
            let actual = (try? JSONSlicer().slice(of: data, at: "")).flatMap { try? JSONDecoder().decode(AnyJSON.self, from: $0) }
            // JSONDecoder mistakes the mark of little-endian UTF-32 for that of UTF-16. It refuses no other row.
            let isRefused = encoding == .utf32LittleEndian && data != bytes
            #expect((expected == nil) == isRefused)
            #expect(isRefused ? actual != nil : actual == expected)
        }
    }

    @Test(arguments: encodings.indices)
    func `a path can contain names that are not ASCII in every encoding`(encoding: Int) throws {
        let data = try #require(Self.texts[2].data(using: Self.encodings[encoding].0))
        let slice = try JSONSlicer().slice(of: data, at: "a.é")
        #expect(String(decoding: slice, as: UTF8.self) == "\"日本 😀\"")
    }

    @Test(
        arguments: [
            [0x31, 0, 0], [0x5B, 0, 0x5D, 0, 0x20], [0xFF, 0xFE, 0x31], [0xFE, 0xFF, 0, 0x31, 0],
            [0, 0, 0, 0x31, 0], [0x31, 0, 0, 0, 0, 0, 0],
        ] as [[UInt8]]
    )
    func `a truncated code unit is refused`(bytes: [UInt8]) {
        #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(bytes), at: "") }
    }

    @Test(
        arguments: [
            // Unpaired surrogates in UTF-16; a surrogate and a value above U+10FFFF in UTF-32.
            [0x22, 0, 0x61, 0, 0x00, 0xD8, 0x22, 0], [0x22, 0, 0x61, 0, 0x00, 0xDC, 0x22, 0], [0x22, 0, 0x61, 0, 0x00, 0xD8],
            [0x22, 0, 0, 0, 0x00, 0xD8, 0, 0, 0x22, 0, 0, 0], [0x22, 0, 0, 0, 0, 0, 0x11, 0, 0x22, 0, 0, 0],
        ] as [[UInt8]]
    )
    func `invalid Unicode is an error with its byte offset`(bytes: [UInt8]) {
        #expect((try? JSONDecoder().decode(String.self, from: Data(bytes))) == nil)
        let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(bytes), at: "") }
        #expect(error?.byteOffset == 4)
    }

    @Test(
        arguments: [
            [0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF], [0, 0, 0xFE, 0xFF], [], [0x20, 0x0A], [0x20, 0, 0x0A, 0],
        ] as [[UInt8]]
    )
    func `a document of only a byte order mark or whitespace is empty`(bytes: [UInt8]) {
        let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(bytes), at: "a") }
        #expect(error?.kind == .emptyDocument)
    }

    @Test(
        arguments: [
            // A second byte order mark, or zeros that look like another encoding after the first mark is removed.
            [0xFF, 0xFE, 0xFF, 0xFE, 0x31, 0], [0xFE, 0xFF, 0xFE, 0xFF, 0, 0x31],
            [0, 0, 0xFE, 0xFF, 0, 0, 0xFE, 0xFF, 0, 0, 0, 0x31],
            [0xFF, 0xFE, 0x31, 0, 0, 0], [0x31, 0, 0, 0, 0, 0, 0, 0], [0xEF, 0xBB, 0xBF, 0x31, 0],
            [0xEF, 0xBB, 0xBF, 0xFF, 0xFE, 0x31, 0],
        ] as [[UInt8]]
    )
    func `the encoding is detected only once`(bytes: [UInt8]) {
        #expect((try? JSONDecoder().decode(Int.self, from: Data(bytes))) == nil)
        #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(bytes), at: "") }
    }

    @Test func `a byte order mark is accepted only once and only at the start`() {
        for text in ["\u{FEFF}\u{FEFF}1", " \u{FEFF}1", "1\u{FEFF}"] {
            #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(text.utf8), at: "") }
        }
    }
}
