import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct JSONSlicerTests {
    static let document = #"""
         { "data" : {"items":[ {"name":"first","tags":[]}, {"name":"sec\"ond","n":-1.5e+3} ], "0": "zero", "": {"": 7},
          "x.y": [1, [2, 3]], "none": null, "yes":true , "no" : false }, "after": "\ud83d\ude00" }
        """#

    @Test(
        arguments: [
            ("data.items[0].name", #""first""#),
            ("/data/items/0/name", #""first""#),
            ("data.items[0].tags", "[]"),
            ("data.items[1].name", #""sec\"ond""#),
            ("data.items[1]", #"{"name":"sec\"ond","n":-1.5e+3}"#),
            ("/data/items/1/n", "-1.5e+3"),
            ("data.0", #""zero""#),
            ("/data/0", #""zero""#),
            (#"data[""][""]"#, "7"),
            ("/data//", "7"),
            (#"data["x.y"][1][0]"#, "2"),
            ("data.none", "null"),
            ("data.yes", "true"),
            ("data.no", "false"),
            ("after", #""\ud83d\ude00""#),
        ]
    )
    func `a slice is the value's bytes without the whitespace around it`(path: String, expected: String) throws {
        let slice = try JSONSlicer().slice(of: Data(Self.document.utf8), at: JSONKeyPath(path))
        #expect(String(decoding: slice, as: UTF8.self) == expected)
    }

    @Test(arguments: ["1", "\"a\"", "null", "{}", "[ ]", "-0", #"{"a":[1,{"b":"c"}]}"#])
    func `the empty path returns the whole document`(document: String) throws {
        for text in [document, " \n\t\r\(document)\r\n "] {
            let slice = try JSONSlicer().slice(of: Data(text.utf8), at: "")
            #expect(String(decoding: slice, as: UTF8.self) == document)
        }
    }

    @Test func `scalar and null values at a path are decoded`() throws {
        let data = Data(#"{"i":5,"s":"x","b":true,"n":null,"d":0.5}"#.utf8)
        func decoded<Value: Decodable>(_ type: Value.Type, _ path: JSONKeyPath) throws -> Value {
            try JSONDecoder().decode(type, from: JSONSlicer().slice(of: data, at: path))
        }
        #expect(try decoded(Int.self, "i") == 5)
        #expect(try decoded(String.self, "s") == "x")
        #expect(try decoded(Bool.self, "b"))
        #expect(try decoded(Double.self, "d") == 0.5)
        #expect(try decoded(Int?.self, "n") == nil)
        #expect(try decoded(Int?.self, "i") == 5)
    }

    @Test func `a slice shares its indices with the document, even if the document is a slice`() throws {
        let whole = Data("xxxx{\"a\": 12}yy".utf8)
        let slice = try JSONSlicer().slice(of: whole[4..<13], at: "a")
        #expect(slice.startIndex == 10)
        #expect(slice == Data("12".utf8))
    }

    @Test(
        arguments: [
            // The path is unescaped text; the document may escape any of it (RFC 8259 §7, §8.3).
            (#"{"\u00e9\n":1}"#, "é\n"),
            (#"{"\u0061\ud83d\ude00\/b":1}"#, "a😀/b"),
            (#"{"\"\\\b\f\r\t":1}"#, "\"\\\u{8}\u{c}\r\t"),
            (#"{"a\u0000b":1}"#, "a\0b"),
            (#"{"\u65E5\u672c":1}"#, "日本"),
            // Canonically equivalent names match, as equal Swift strings do.
            ("{\"e\u{301}\":1}", "\u{e9}"),
            ("{\"\u{e9}\":1}", "e\u{301}"),
            (#"{"e\u0301":1}"#, "\u{e9}"),
            ("{\"K\":1}", "\u{212A}"),
            ("{\"\u{212A}\":1}", "K"),
        ]
    )
    func `a name is found regardless of escapes and Unicode normalization`(document: String, name: String) throws {
        let path = JSONKeyPath(components: [.key(name)])
        #expect(try JSONSlicer().slice(of: Data(document.utf8), at: path) == Data("1".utf8))
        let decoded = try JSONDecoder().decode([String: Int].self, from: Data(document.utf8))
        #expect(decoded[name] == 1)
    }

    @Test(arguments: ["a", "ab", "abcd", "ABC", "abc\0"])
    func `a name matches only if it is complete and has the same case`(name: String) {
        let path = JSONKeyPath(components: [.key(name)])
        #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: Data(#"{"abc":1}"#.utf8), at: path) }
    }

    @Test(
        arguments: [
            #"{"a":1,"a":2}"#, #"{"b":0,"a":1,"\u0061":2}"#, #"{"\u0061":1,"a":[]}"#,
        ]
    )
    func `the first of two members with the same name is used, as in JSONDecoder`(document: String) throws {
        struct Keyed: Decodable { let a: Int }
        #expect(try JSONSlicer().slice(of: Data(document.utf8), at: "a") == Data("1".utf8))
        #expect(try JSONDecoder().decode(Keyed.self, from: Data(document.utf8)).a == 1)
    }

    @Test func `the second of two members with the same name is never searched`() {
        let data = Data(#"{"a":{"x":1},"a":{"y":2}}"#.utf8)
        #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: data, at: "a.y") }
    }

    @Test func `the resolved path contains a key or an index for each pointer token`() throws {
        let data = Data(#"{"0":[{"1":true}]}"#.utf8)
        let located = try JSONSlicer().locate("/0/0/1", in: data)
        #expect(located.path.components == [.key("0"), .index(0), .key("1")])
    }

    @Test func `nesting is limited to 512 levels, as in JSONDecoder`() throws {
        struct Ignored: Decodable { init(from decoder: any Decoder) {} }
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in [63, 64, 65, 128, 129, 511, 512, 513, 514, 100_000] {
                let text = String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
                let data = Data(text.utf8)
                let step: JSONKeyPath.Component = open == "[" ? .index(0) : .key("a")
                for path in [
                    JSONKeyPath(""), JSONKeyPath(components: [step]),
                    JSONKeyPath(components: Array(repeating: step, count: depth)),
                ] {
                    if depth <= 512 {
                        #expect(throws: Never.self) { try JSONSlicer().slice(of: data, at: path) }
                    } else {
                        let error = #expect(throws: JSONSliceError.self) { try JSONSlicer().slice(of: data, at: path) }
                        #expect(error?.kind == .depthExceeded(limit: 512))
                    }
                }
                let isAccepted = (try? JSONDecoder().decode(Ignored.self, from: data)) != nil
                #expect(isAccepted == (depth <= 512))
            }
        }
    }

    @Test func `mismatched brackets are refused at every depth`() {
        for seed in 0..<20 as Range<UInt64> {
            var random = SeededGenerator(seed: seed)
            let kinds = (0..<512).map { _ in Bool.random(using: &random) }
            let opening = kinds.map { $0 ? "[" : "{\"k\":" }.joined()
            var closing = kinds.reversed().map { $0 ? "]" : "}" }
            #expect(throws: Never.self) {
                try JSONSlicer().slice(of: Data((opening + "0" + closing.joined()).utf8), at: "")
            }
            let wrong = Int.random(in: 0..<512, using: &random)
            closing[wrong] = closing[wrong] == "]" ? "}" : "]"
            #expect(throws: JSONSliceError.self) {
                try JSONSlicer().slice(of: Data((opening + "0" + closing.joined()).utf8), at: "")
            }
        }
    }
}
