import NetworkJSON
import Testing

struct TokenTests {
    private func tokens<Result>(_ text: String, _ body: (JSONTokens) -> Result) -> Result {
        Array(text.utf8).withUnsafeBufferPointer { body(JSONTokens($0)) }
    }

    private func list(_ text: String) -> [String] {
        tokens(text) { tokens in
            var list: [String] = []
            var index = 0
            while index < tokens.count {
                if tokens.isBetweenTokens(at: index) {
                    index += 1
                } else {
                    let token = tokens.token(at: index)
                    list.append(String(decoding: tokens[token.start..<token.end], as: UTF8.self))
                    index = token.end
                }
            }
            return list
        }
    }

    @Test(
        arguments: [
            (#"{"a":[1,true, -2.5e3]}"#, [#""a""#, "1", "true", "-2.5e3"]),
            (#"{'a"b':x"c"}"#, ["'a\"b'", "x", "\"c\""]), (#"["a\"b\\","c"]"#, [#""a\"b\\""#, "\"c\""]),
            ("it's=\u{1E}", ["it's", "\u{1E}"]), (#"["abcdefghijklmn\"#, [#""abcdefghijklmn\"#]), ("\"abcdefg", ["\"abcdefg"]),
            ("\"é€😀\u{1}\0\"x", ["\"é€😀\u{1}\0\"", "x"]), ("", []), (" ,", []),
        ] as [(String, [String])])
    func `any text is a sequence of tokens`(text: String, expected: [String]) {
        #expect(list(text) == expected)
    }

    @Test func `a string ends at any distance from the end of the text`() {
        for length in 0..<40 {
            for rest in 0..<10 {
                let string = "\"" + String(repeating: "a", count: length) + "\""
                #expect(list(string + String(repeating: ",", count: rest)) == [string])
                let open = String(string.dropLast()) + #"\""#
                #expect(list(open) == [open])
            }
        }
    }

    @Test(
        arguments: [
            (#"[1,{"a":"]"}],2"#, 13), ("1 ,", 2), ("}", 0), ("[1", nil), (#""a,b""#, nil), ("", nil), ("[[}],", 4),
        ] as [(String, Int?)])
    func `the end of a value is found by counting brackets`(text: String, expected: Int?) {
        #expect(tokens(text) { $0.endOfValue(from: 0, before: $0.count) } == expected)
    }

    @Test(arguments: [
        (#"a\u00e4\ud83d\ude00\n\/"#, "aä😀\n/"), (#"\ud83dx\ude00"#, "\u{FFFD}x\u{FFFD}"), (#"\q\u12g4\"#, #"qu12g4\"#),
        (#"\u00e"#, "u00e"), (#"\ud83d\u0041"#, "\u{FFFD}A"), ("", ""),
    ])
    func `escapes are decoded, also invalid ones`(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(String(decoding: JSONEscapes.decoded(bytes), as: UTF8.self) == expected)
        var output: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                index += JSONEscapes.append(escapeIn: bytes, at: index, to: &output)
            } else {
                output.append(bytes[index])
                index += 1
            }
        }
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (#"{"a":[1,{}],"b":[ ]}"#, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"), ("a b  {}", "a b{}"), ("]", "\n]"),
    ])
    func `a text is indented by its brackets`(text: String, expected: String) {
        #expect(String(decoding: tokens(text) { $0.indented() }, as: UTF8.self) == expected)
    }
}
