import NetworkLogging
import NetworkSupport
import Testing
import TestSupport

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

    @Test func `delimiters are octets, also before characters that combine with them`() {
        #expect("a;\u{301}b".parts(at: ";").map { Array($0.utf8) } == [[0x61], [0xCC, 0x81, 0x62]])
        #expect(
            "a\u{37E}b".parts(at: ";").count == 1 && "a;b;c".parts(at: ";", maximum: 2) == ["a", "b;c"]
                && "".parts(at: ";") == [""])
        #expect("a=\u{301}=".divided(at: "=")?.tail.utf8.elementsEqual("\u{301}=".utf8) == true && "a".divided(at: "=") == nil)
        #expect(
            "a;\u{301}".begins(with: "a;") && !"\u{37E}".begins(with: ";") && "\u{301}".ends(with: "\u{301}")
                && !"a".ends(with: "aa"))
        #expect(!"\u{212A}".hasSameBytes(as: "K") && "\u{212A}B".asciiLowercased.hasSameBytes(as: "\u{212A}b"))
        #expect("text/x\u{212A}".mediaType.utf8.count == 9)
    }

    /// RFC 9110 §5.6.4, §5.6.6.
    @Test(arguments: 5...8 as ClosedRange<UInt64>)
    func `random parameters are those of a reference parser`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<4000 {
            let text = random.hostileText(of: ["Text/A", "; charset", "name=", "\"x", "\\\"", "q=1;"])
            let field = FieldParameters(text[...])
            var (parts, isQuoted, isEscaped): ([[UInt8]], Bool, Bool) = ([[]], false, false)
            for byte in text.utf8 {
                if byte == 0x3B, !isQuoted {
                    parts.append([])
                    continue
                }
                parts[parts.count - 1].append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x22 {
                    isQuoted.toggle()
                } else {
                    isEscaped = isQuoted && byte == 0x5C
                }
            }
            // What follows the last semicolon is no parameter if it is empty.
            if parts.count > 1, parts.last == [] { parts.removeLast() }
            func lowercased(_ bytes: some Sequence<UInt8>) -> [UInt8] {
                bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            }
            #expect(Array(field.value.utf8) == lowercased(parts[0].trimmed), "\(text.debugDescription)")
            let expected = parts.dropFirst().map { part in
                let sides = part.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
                return [lowercased(sides[0].trimmed)] + sides.dropFirst().map { Array($0.trimmed) }
            }
            let found = field.parameters.map { [Array($0.name.utf8)] + ($0.value.map { [Array($0.utf8)] } ?? []) }
            #expect(found == expected, "\(text.debugDescription)")
        }
    }
}
