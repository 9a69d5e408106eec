import JSONDocuments

/// Changes documents at random: bytes, tokens, members and elements.
struct Mutator {
    var random: Random

    /// Replacements for values and keys.
    static let tokens = [
        "null", "true", "false", "0", "-0", "1", "-1", "127", "128", "255", "256", "1e2", "1.0", "1.5", "1e-400", "1e400",
        "-1e400", "0.1e1",
        "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e19",
        "1e18",
        "-9223372036854775808", "-9223372036854775809", "1.0000000000000000000001", "123456789012345678901234567890123456789",
        "4e-324", "2e-324",
        "1.7976931348623159e308", "3.4028236e38", "1e39", "1e-46", "16777217", "16777217.5", "0.30000000000000004", "\"\"",
        "\"a\"", "\"1\"",
        "\"é\"", "\"\\u00e9\"", "\"e\\u0301\"", "\"\\ud83d\\ude00\"", "\"\\ud83d\"", "\"\\n\\t\\/\\\\\"", "\"\\q\"",
        "\"\\u12g4\"", "\"inf\"",
        "\"2024-01-31T12:00:00Z\"", "\"2024-02-30T12:00:00Z\"", "\"2024-01-31T12:00:00.5Z\"", "\"aGVsbG8=\"", "\"aGVsbG8\"", "[]",
        "{}", "[1]", "[null]",
        "{\"a\":1}", "{\"name\":\"x\"}", "01", "1.", ".5", "1.2.3", "+1", "1e", "1e+", "--1", "-", "tru", "nul", "NaN",
        "Infinity", "'a'", "/**/", "\u{FEFF}",
        "100000000000000000000000000000000000000000", "1e127", "1e128", "1e-128", "1e-129", "0e999", "-0.0", "-0e1",
        "0.000000000000000000000000001",
    ].map { Array($0.utf8) }

    /// Replacements for single bytes.
    static let bytes: [UInt8] =
        Array("{}[],:\"\\ \n\t0123456789-+.eEtfnu/".utf8) + [
            0, 1, 0x1F, 0x7F, 0x80, 0xBF, 0xC0, 0xC3, 0xE2, 0xED, 0xA0, 0xF0, 0xF4, 0xFF,
        ]

    /// The approximate ranges of the values and keys in a document: strings, containers, and text between commas.
    func spans(_ text: [UInt8]) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var open: [Int] = []
        var i = 0
        while i < text.count {
            let start = i
            switch text[i] {
            case 0x22:
                i += 1
                while i < text.count, text[i] != 0x22 { i += text[i] == 0x5C ? 2 : 1 }
                i += 1
                if i <= text.count { result.append(start..<i) }
            case 0x7B, 0x5B:
                open.append(i)
                i += 1
            case 0x7D, 0x5D:
                i += 1
                if let from = open.popLast() { result.append(from..<i) }
            case 0x30...0x39, 0x2D, 0x61...0x7A:
                while i < text.count, ![0x2C, 0x7D, 0x5D, 0x20, 0x0A, 0x3A].contains(text[i]) { i += 1 }
                result.append(start..<i)
            default:
                i += 1
            }
        }
        return result
    }

    /// The document with one to three changes.
    mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var text = original
        for _ in 0..<(1 + random.below(3)) {
            guard !text.isEmpty else { break }
            switch random.below(12) {
            case 0:
                text[random.below(text.count)] = random.pick(Self.bytes)
            case 1:
                text.insert(random.pick(Self.bytes), at: random.below(text.count + 1))
            case 2:
                let start = random.below(text.count)
                text.removeSubrange(start..<min(text.count, start + 1 + random.below(4)))
            case 3:
                if random.below(4) == 0 { text.removeLast(random.below(text.count)) }
            case 4, 5, 6:
                let spans = spans(text)
                if !spans.isEmpty { text.replaceSubrange(random.pick(spans), with: random.pick(Self.tokens)) }
            case 7:
                let spans = spans(text)
                if !spans.isEmpty {
                    let source = Array(text[random.pick(spans)])
                    text.replaceSubrange(random.pick(spans), with: source)
                }
            case 8:
                // Repeats a member or element.
                if let range = member(text) { text.insert(contentsOf: [0x2C] + text[range], at: range.upperBound) }
            case 9:
                if let range = member(text) {
                    let end =
                        range.upperBound < text.count && text[range.upperBound] == 0x2C ? range.upperBound + 1 : range.upperBound
                    text.removeSubrange(range.lowerBound..<end)
                }
            case 10:
                text.insert(
                    contentsOf: random.pick([
                        [0x20], [0x0A], [0x0D, 0x0A], [0x09], [0x2C], [0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20],
                    ]), at: random.below(text.count + 1))
            default:
                // Replaces a letter with an escape.
                let i = random.below(text.count)
                if text[i] >= 0x61, text[i] <= 0x7A {
                    let digits = Array("0123456789abcdef".utf8)
                    text.replaceSubrange(
                        i...i, with: Array("\\u00".utf8) + [digits[Int(text[i] >> 4)], digits[Int(text[i] & 15)]])
                }
            }
        }
        return text
    }

    /// A member with its value, or an element.
    private mutating func member(_ text: [UInt8]) -> Range<Int>? {
        let spans = spans(text)
        guard !spans.isEmpty else { return nil }
        let first = random.pick(spans)
        if first.upperBound < text.count, text[first.upperBound] == 0x3A,
            let value = spans.first(where: { $0.lowerBound == first.upperBound + 1 })
        {
            return first.lowerBound..<value.upperBound
        }
        return first
    }
}
