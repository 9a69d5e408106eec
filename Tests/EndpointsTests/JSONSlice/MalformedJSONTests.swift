import Endpoints
import Foundation
import Testing

@Suite struct MalformedJSONTests {
    private static let texts: [(String, String)] = [
        ("2", "1 1"), ("2", "[1 2]"), ("2", "[1]\u{C}"), ("2", "[1\u{B}]"), ("2", "[\u{A0}1]"), ("2", "[1]\0"), ("2", "/**/1"),
        ("2", "//\n1"), ("2", "[1}"), ("2", "{\"a\":1]"), ("2", "]"), ("2", "}"), ("2", ","), ("2", ":"),
        ("3", "True"), ("3", "TRUE"), ("3", "truee"), ("3", "tru"), ("3", "fals"), ("3", "nul"), ("3", "nil"), ("3", "undefined"),
        ("3", "'a'"), ("3", "a"),
        ("4", "{,}"), ("4", "{\"a\"}"), ("4", "{\"a\" 1}"), ("4", "{\"a\":}"), ("4", "{\"a\"::1}"), ("4", "{a:1}"),
        ("4", "{1:1}"),
        ("4", "{'a':1}"), ("4", "{\"a\":1,}"), ("4", "{\"a\":1,,\"b\":2}"), ("4", "{\"a\":1;\"b\":2}"),
        ("4", "{\"a\":1 \"b\":2}"),
        ("4", "{null:1}"), ("4", "{\"a\":1"), ("4", "{\"a\":"), ("4", "{\"a\""), ("4", "{\"a"), ("4", "{"), ("4", "{\"a\":1,"),
        ("5", "[,]"), ("5", "[,1]"), ("5", "[1,]"), ("5", "[1,,2]"), ("5", "[1;2]"), ("5", "["), ("5", "[1"), ("5", "[1,"),
        ("5", "[1:2]"),
        ("6", "01"), ("6", "-01"), ("6", "00"), ("6", "1."), ("6", "-1."), ("6", ".5"), ("6", "-.5"), ("6", "+1"), ("6", "-"),
        ("6", "--1"), ("6", "1e"), ("6", "1e+"), ("6", "1E-"), ("6", "1.e5"), ("6", "1.5.5"), ("6", "1e5.5"), ("6", "1e5e5"),
        ("6", "1-2"), ("6", "0x10"), ("6", "1a"), ("6", "NaN"), ("6", "-NaN"), ("6", "Infinity"), ("6", "-Infinity"),
        ("6", "1_000"),
        ("6", "１"),
        ("7", "\""), ("7", "\"a"), ("7", "\"\\"), ("7", "\"\\\""), ("7", "\"a\tb\""), ("7", "\"a\nb\""), ("7", "\"a\0b\""),
        ("7", "\"1234567\u{1F}\""), ("7", "\"12345678\u{1F}\""), ("7", "\"\\x\""), ("7", "\"\\'\""), ("7", "\"\\U0041\""),
        ("7", "\"\\u\""), ("7", "\"\\u12\""), ("7", "\"\\u12G4\""), ("7", "\"\\u+123\""), ("7", "\"\\u 123\""), ("7", "\"\\é\""),
        ("7", "\"\\u{41}\""),
        ("8.2", "\"\\ud800\""), ("8.2", "\"\\udc00\""), ("8.2", "\"\\udc00\\udc00\""), ("8.2", "\"\\ud800\\ud800\""),
        ("8.2", "\"\\ud83dx\""),
        ("8.2", "\"\\ud83d\\n12345\""), ("8.2", "\"\\ud83d\\u0041\""), ("8.2", "\"\\udc00\\ud800\""),
        ("8.2", "\"\\uDBFF\\uE000\""),
        ("8.2", "\"\\ud83d\\"), ("8.2", "\"\\ud83d\\u"), ("8.2", "\"\\ud83d\\udc0"),
    ]

    /// Malformed values, each with the section of RFC 8259 that it violates.
    static let values: [(section: String, bytes: [UInt8])] = texts.map { (section: $0, bytes: Array($1.utf8)) }

    /// Bytes that are not valid UTF-8, for use inside quotes (RFC 8259 §8.1, RFC 3629 §4).
    static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xC3, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
        [0xE2, 0x82, 0x41], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x41], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        [0xC3, 0xA9, 0xA9], [0xF0, 0x9F, 0x41, 0x80], [0xE2, 0x28, 0xA1],
    ]

    /// Expects that a document with the malformed value is refused, for paths to that value, to a valid one and to none.
    private func expectRefused(_ value: [UInt8], _ comment: Comment) {
        let places: [(before: String, after: String, path: JSONKeyPath)] = [
            ("", "", ""), ("", "", "a[0]"), ("[", "]", ""), ("[", ",1]", "[1]"), ("[1,", "]", "[0]"), ("[", "]", "[0]"),
            (#"{"x":"#, #","a":1}"#, "a"), (#"{"a":1,"x":"#, "}", "a"), (#"{"x":"#, "}", "x"), (#"{"x":"#, "}", "missing"),
            (#"{"x":[{"y":["#, #"]}],"a":{"b":1}}"#, "a.b"), (#"{"a":{"b":[1,{"c":"#, #"}]}}"#, "/a/b/0"),
        ]
        for (before, after, path) in places {
            let document = Data(Array(before.utf8) + value + Array(after.utf8))
            let error = #expect(throws: JSONSliceError.self, comment) { try JSONSlicer().slice(of: document, at: path) }
            guard case .malformedDocument(let offset, _) = error?.kind else {
                Issue.record("\(comment) at \(path): \(String(describing: error))")
                continue
            }
            #expect(0...document.count ~= offset, comment)
            #expect(error?.byteOffset == offset, comment)
        }
    }

    @Test(arguments: values)
    func `a document that violates RFC 8259 is refused wherever the error is`(section: String, bytes: [UInt8]) {
        // An unterminated string or comment can include the text after it, which makes the document malformed as well.
        expectRefused(bytes, "§\(section): \(String(decoding: bytes, as: UTF8.self))")
    }

    @Test(arguments: notUTF8)
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        for padding in 0..<9 {
            let value = [0x22] + Array(repeating: 0x61, count: padding) + bytes + [0x22]
            expectRefused(value, "\(bytes)")
            expectRefused(Array("{".utf8) + value + Array(":1}".utf8), "name \(bytes)")
        }
        expectRefused(bytes, "outside a string: \(bytes)")
    }

    @Test func `each unescaped control character is refused at any position in a string`() {
        for control in 0..<0x20 as Range<UInt8> {
            for padding in 0..<17 {
                let value = [0x22] + Array(repeating: 0x61, count: padding) + [control, 0x61, 0x22]
                let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(value), at: "") }
                #expect(error?.byteOffset == padding + 1)
            }
        }
    }

    @Test func `ASCII characters from U+0020 except quote and backslash need no escape`() throws {
        for byte in 0x20..<0x80 as Range<UInt8> where byte != 0x22 && byte != 0x5C {
            for padding in 0..<17 {
                let value = [0x22] + Array(repeating: 0x61, count: padding) + [byte, 0x62, 0x22]
                #expect(try JSONSlicer().slice(of: Data(value), at: "") == Data(value))
            }
        }
    }

    @Test func `every truncated document is refused`() {
        let bytes = Array(#"{"é\u00e9😀":[-0.5e+10,12,"a\ud83d\ude00\n","日本語",true,false,null,{"x":{}},[]],"a":{"b":[1,2]}}"#.utf8)
        for path in ["", "a.b", "a.b[1]", "missing", "/a/-"] as [JSONKeyPath] {
            for count in bytes.indices {
                // A separate copy, so that an address sanitizer detects reads past the end of the document.
                let error = #expect(throws: JSONSliceError.self) {
                    try JSONSlicer().slice(of: Data(bytes.prefix(count)), at: path)
                }
                switch error?.kind {
                case .malformedDocument(let offset, _): #expect(offset <= count)
                case let kind: #expect(count == 0 && kind == .emptyDocument)
                }
            }
        }
    }

    @Test(arguments: ["[1e400]", "[-1e-400]", "[123456789012345678901234567890123456789]", "[1E5,0e0,-0,0.0,1e+0007]"])
    func `a number of any size is well-formed`(document: String) {
        #expect(throws: Never.self) { try JSONSlicer().slice(of: Data(document.utf8), at: "") }
    }
}
