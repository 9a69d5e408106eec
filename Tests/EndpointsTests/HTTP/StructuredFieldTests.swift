import Foundation
import Testing
import TestSupport

@testable import Endpoints

/// Dictionaries and lists of structured fields (RFC 9651 §4.2).
struct StructuredFieldTests {
    @Test(
        arguments: [
            ("1", .integer(1)), ("-15", .integer(-15)), ("999999999999999", .integer(999_999_999_999_999)), ("1.5", .other),
            ("-999999999999.999", .other), (#""a\"b""#, .string("a\"b")), ("a/b", .token("a/b")), ("*x", .token("*x")),
            (":aGk=:", .bytes(Data("hi".utf8))), ("?1", .other), ("(1 \"2\";q=1)", .other),
            // The padding may be missing, and the last digit may have bits that encode nothing (§4.2.7).
            (":aGk:", .bytes(Data("hi".utf8))), (":aGl=:", .bytes(Data("hi".utf8))), ("::", .bytes(Data())),
            ("@1659578233", .other),
            ("@-1", .other), (#"%"f%c3%bc, \""#, .other), ("%\"\"", .other), ("( )", .other),
        ] as [(String, StructuredField.Value)])
    func `the value of an item is parsed`(text: String, value: StructuredField.Value) {
        #expect(StructuredField.list(text) == [.init(value: value, parameters: [:])])
    }

    @Test func `members have parameters, of which the last one of a name counts`() {
        let members = StructuredField.list("a;q=1;x, \"b\" ; q=2;q=3")
        #expect(members?.map(\.value) == [.token("a"), .string("b")])
        #expect(members?.map(\.parameters) == [["q": .integer(1), "x": .other], ["q": .integer(3)]])
        #expect(StructuredField.dictionary("a=1;q=2, b, a=3")?["a"] == .init(value: .integer(3), parameters: [:]))
        #expect(StructuredField.dictionary("a=1, b;x")?["b"] == .init(value: .other, parameters: ["x": .other]))
        #expect(StructuredField.list(" ") == [])
    }

    @Test(
        arguments: [
            "a,", ",", "a b", "a;", "a;Q", "a;q=", "\"a", ":a", "(a", "a;q=(1)", "\u{7F}", "9999999999999999", "1.", "1.5555",
            "-", "--1",
            "1234567890123.1", "\"é\"", "\"\\a\"", "?2", "?", "@", "@a", "@1.5", "%", "%a", "%\"%C3%BC\"", "%\"%ff\"", "%\"%a\"",
            "%\"é\"",
            "%\"a", ":a:", ":aGk==:", ":aGk=a:", ":=:", ":a b:", ":é:", "(1\"2\")", "(1", "a\u{301}", "a;\u{301}", "a\u{37E}q=1",
            "\u{301}", "=a",
        ])
    func `text that is not a list is refused`(text: String) {
        #expect(StructuredField.list(text) == nil)
    }

    @Test(arguments: 9651...9654 as ClosedRange<UInt64>)
    func `random fields are refused or parsed as by the grammar of appendix C`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let grammar = try StructuredGrammar()
        let words = [
            "a", "sha-256=", ":aGk=:", ":aGk:", "1", "-1.5", "\"x\"", "@12", "?1", "%\"a%c3%bc\"", "%\"%ff\"", ", ", ";q=1",
            "(1 2)", "*t/u:v", ";r=0", ";t=\"x\"",
        ]
        for _ in 0..<4000 {
            let text = random.hostileText(of: words, maximumPieces: 8)
            #expect(StructuredField.dictionary(text) == grammar.dictionary(text), "\(text.debugDescription)")
            #expect(StructuredField.list(text) == grammar.list(text), "\(text.debugDescription)")
        }
    }
}

/// The grammar of RFC 9651 appendix C as regular expressions, with white space before semicolons.
private struct StructuredGrammar {
    /// A percent-encoded character (RFC 3629 §4).
    private static let character = [
        "%[0-7]x", "%(?:c[2-9a-f]|dx)t", "%e0%[ab]xt", "%e[1-9a-cef]tt", "%ed%[89]xt", "%f0%[9ab]xtt", "%f[1-3]ttt", "%f4%8xtt",
    ].map { $0.replacing("t", with: "%[89ab]x").replacing("x", with: "[0-9a-f]") }.joined(separator: "|")
    private static let bare = [
        "-?[0-9]{1,12}\\.[0-9]{1,3}", "-?[0-9]{1,15}", #""(?:[ !#-\[\]-~]|\\["\\])*""#, "[A-Za-z*][-!#$%&'*+.^_`|~0-9A-Za-z:/]*",
        ":(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?:", "[?][01]", "@-?[0-9]{1,15}",
        "%\"(?:[ !#\\x24\\x26-~]|\(character))*\"",
    ].joined(separator: "|")
    private static let key = "[a-z*][-a-z0-9_.*]*"
    private static let parameters = "(?:[ \t]*; *\(key)(?:=(?:\(bare)))?)*"
    private static let item = "(?:\(bare))\(parameters)"
    private static let value = "(?:\(bare)|\\( *(?:\(item)(?: +\(item))*)? *\\))"

    private let list: NSRegularExpression
    private let dictionary: NSRegularExpression
    private let element: NSRegularExpression
    private let entry: NSRegularExpression
    private let parameter: NSRegularExpression

    init() throws {
        func whole(_ member: String) throws -> NSRegularExpression {
            try NSRegularExpression(pattern: "\\A *(?:\(member)(?:[ \t]*,[ \t]*\(member))*[ \t]*)?\\z")
        }
        let (value, key, parameters) = (Self.value, Self.key, Self.parameters)
        list = try whole(value + parameters)
        dictionary = try whole("\(key)(?:=\(value))?\(parameters)")
        element = try NSRegularExpression(pattern: "\\G[ \t,]*(\(value))(\(parameters))")
        entry = try NSRegularExpression(pattern: "\\G[ \t,]*(\(key))(?:=(\(value)))?(\(parameters))")
        parameter = try NSRegularExpression(pattern: "\\G[ \t]*; *(\(key))(?:=(\(Self.bare)))?")
    }

    func list(_ text: String) -> [StructuredField.Member]? {
        matches(list, text) ? groups(element, text).map { member($0[0], $0[1]) } : nil
    }

    func dictionary(_ text: String) -> [String: StructuredField.Member]? {
        guard matches(dictionary, text) else { return nil }
        return Dictionary(groups(entry, text).map { ($0[0], member($0[1], $0[2])) }) { $1 }
    }

    private func member(_ text: String, _ parameters: String) -> StructuredField.Member {
        let pairs = groups(parameter, parameters).map { ($0[0], value(of: $0[1])) }
        return StructuredField.Member(value: value(of: text), parameters: Dictionary(pairs) { $1 })
    }

    /// The texts of the groups in each match, which are empty for groups that match nothing.
    private func groups(_ grammar: NSRegularExpression, _ text: String) -> [[String]] {
        grammar.matches(in: text, range: NSRange(location: 0, length: text.utf16.count)).map { match in
            (1..<match.numberOfRanges).map { group in
                let range = match.range(at: group)
                return range.location == NSNotFound ? "" : (text as NSString).substring(with: range)
            }
        }
    }

    private func matches(_ grammar: NSRegularExpression, _ text: String) -> Bool {
        grammar.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
    }

    private func value(of text: String) -> StructuredField.Value {
        guard let first = text.first else { return .other }
        if first == "\"" {
            let end = text.dropFirst().replacing("\\\\", with: "\u{1}").replacing("\\\"", with: "\u{2}").prefix { $0 != "\"" }
            return .string(String(end).replacing("\u{1}", with: "\\").replacing("\u{2}", with: "\""))
        }
        if first == ":" {
            let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            let bits = text.dropFirst().prefix { $0 != ":" && $0 != "=" }.map { digit in
                let value = String(alphabet.firstIndex(of: digit) ?? 0, radix: 2)
                return String(repeating: "0", count: 6 - value.count) + value
            }.joined()
            return .bytes(
                Data(stride(from: 0, to: bits.count / 8 * 8, by: 8).map { UInt8(bits.dropFirst($0).prefix(8), radix: 2) ?? 0 }))
        }
        let word = String(text.prefix { !" \t;".contains($0) })
        if let number = Int64(word), number.magnitude < 1_000_000_000_000_000 { return .integer(number) }
        return first.isLetter || first == "*" ? .token(word) : .other
    }
}
