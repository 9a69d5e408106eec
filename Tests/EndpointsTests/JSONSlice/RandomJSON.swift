import Endpoints
import TestSupport

/// Creates random well-formed documents, and paths that often exist in them.
struct RandomJSON {
    var random: SeededGenerator
    let repeatsNames: Bool
    private static let names = ["a", "b", "items", "0", "1", "", "é", "e\u{301}", "x.y", "日本", "😀", "a/b", "~", "K", "a\nb"]
    private static let pieces = ["plain text", "é", "日本語", "😀", "/", "12345678", " ", "a", "\u{7F}", "\u{2028}", "€"]

    /// - Parameter repeatsNames: Whether an object can contain a name twice. `JSONDecoder` never reads the second value.
    init(seed: UInt64, repeatsNames: Bool = true) {
        self.repeatsNames = repeatsNames
        random = SeededGenerator(seed: seed)
    }

    mutating func document() -> String {
        space() + value(depth: Int.random(in: 0...4, using: &random)) + space()
    }

    mutating func path() -> JSONKeyPath {
        JSONKeyPath(
            components: (0..<Int.random(in: 0...4, using: &random)).map { _ in
                Int.random(in: 0..<3, using: &random) == 0
                    ? .index(Int.random(in: 0..<3, using: &random)) : .key(pick(Self.names))
            }
        )
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 0 ? 12 : 5), using: &random) {
        case 0: return number()
        case 1, 2: return string()
        case 3: return pick(["true", "false", "null"])
        case 4: return number()
        case 5..<8:
            let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in space() + value(depth: depth - 1) + space() }
            return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
        default:
            let first = Int.random(in: 0..<Self.names.count, using: &random)
            let members = (0..<Int.random(in: 0...4, using: &random)).map { count in
                let other = Self.names[(first + 4 * count) % Self.names.count]
                return space() + quoted(repeatsNames ? pick(Self.names) : other) + space() + ":" + space()
                    + value(depth: depth - 1) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        }
    }

    private mutating func number() -> String {
        // JSONDecoder refuses some well-formed zeros that have an exponent, such as 0e3.
        let integer = pick(["0", "7", "10", "4096", "123456789012"])
        if integer == "0" { return pick(["0", "-0", "0.0", "0.5", "-0.25e-3"]) }
        return pick(["", "-"]) + integer + pick(["", "", ".0", ".125", ".50"]) + pick(["", "", "", "e3", "E+2", "e-7", "E05"])
    }

    private mutating func string() -> String {
        quoted((0..<Int.random(in: 0...4, using: &random)).map { _ in pick(Self.pieces) }.joined())
    }

    /// Returns the text as a JSON string. Required escapes are always written, optional ones at random.
    private mutating func quoted(_ text: String) -> String {
        var quoted = "\""
        let escapesMuch = Int.random(in: 0..<4, using: &random) == 0
        for scalar in text.unicodeScalars {
            if scalar.value < 0x20 || (escapesMuch && Bool.random(using: &random)) {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                    quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            } else {
                quoted.unicodeScalars.append(scalar)
            }
        }
        if Int.random(in: 0..<10, using: &random) == 0 {
            quoted += pick(["\\n", "\\\"", "\\\\", "\\/", "\\t", "\\b", "\\f", "\\r"])
        }
        return quoted + "\""
    }

    private mutating func space() -> String {
        pick(["", "", "", "", " ", "\n", "\t", "\r\n  "])
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: choices.indices, using: &random)]
    }
}
