import NetworkLogging
import Testing

/// The parts of header fields (RFC 9110 §5.6).
struct FieldScannerTests {
    @Test(arguments: [
        ("\"\"", "", ""), ("\"a b\" c", "a b", " c"), (#""a\"b\\" "#, #"a"b\"#, " "), ("\"é\"", "é", ""),
        ("a", nil, "a"), ("", nil, ""), ("\"a", nil, "\"a"), (#""a\""#, nil, #""a\""#), ("\"", nil, "\""),
    ])
    func `a quoted string is read without quotes and escapes, or not at all`(text: String, expected: String?, rest: String) {
        var scanner = FieldScanner(text[...])
        #expect(scanner.takeQuotedString() == expected)
        #expect(scanner.rest.elementsEqual(rest.utf8))
    }

    @Test(arguments: [("\"a", "a"), (#""a\"#, "a"), ("a\"b", "a\"b"), (#""a\"b"#, "a\"b"), ("\"a\" b", "a"), ("", "")])
    func `the value of a parameter may lack its closing quote`(text: String, expected: String) {
        #expect(FieldParameters.unquoted(text[...]) == expected)
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), (" a ;\tb ", ["a", "b"]), ("a;", ["a"]), (";a", ["", "a"]),
        (#""a;\";" ; b"#, [#""a;\";""#, "b"]),
        ("\"a;b", ["\"a;b"]), (#"a\";b"#, [#"a\";b"#]),
    ])
    func `separators in quoted strings do not end a part`(text: String, expected: [Substring]) {
        var scanner = FieldScanner(text[...])
        var parts: [Substring] = []
        while let part = scanner.takePart(endingAt: ";") { parts.append(part) }
        #expect(parts == expected)
    }

    @Test func `names of parameters are in lower case, and values are as written`() {
        let field = FieldParameters(#" Text/HTML ; Charset = "UTF-8";flag; q=1=2"#[...])
        #expect(field.value == "text/html")
        #expect(field.parameters.map(\.name) == ["charset", "flag", "q"])
        #expect(field.parameters.map(\.value) == ["\"UTF-8\"", nil, "1=2"])
    }

    @Test func `lists have no empty elements, and media types no parameters`() {
        #expect(" a ,,\tb,c d , ".listElements == ["a", "b", "c d"])
        #expect("".listElements.isEmpty)
        #expect(" Application/JSON ; charset=utf-8".mediaType == "application/json")
        #expect(" \t".trimmed.isEmpty)
    }

    @Test(
        arguments: [
            ("0", 0, 0), ("007", 7, 7), ("9223372036854775807", .max, 100), ("9223372036854775808", nil, 100), ("100", 100, 100),
            ("99999999999999999999999", nil, 100), ("", nil, nil), ("-1", nil, nil), ("+1", nil, nil), ("1 ", nil, nil),
            ("١", nil, nil),
        ] as [(String, Int64?, Int64?)])
    func `a number has digits only`(text: String, exact: Int64?, clamped: Int64?) {
        #expect(text.utf8.decimal == exact)
        #expect(text.utf8.decimal(clampedTo: 100) == clamped)
    }

    @Test func `the characters of a token are those of RFC 9110`() {
        let symbols = Set("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8.min...UInt8.max {
            let isLetterOrDigit = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & ~0x20)
            #expect(byte.isTokenByte == (symbols.contains(byte) || isLetterOrDigit && byte < 0x80))
        }
    }
}
