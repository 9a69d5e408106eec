import Foundation
import Testing
import TransferTestSupport

/// A text that is made longer by repetition: `a="⟨x,⟩"` is the beginning, the part that is repeated, and the end. A text without these brackets
/// is repeated as a whole. `№` becomes the number of the repetition.
struct HostileText: ExpressibleByStringLiteral, Sendable, CustomStringConvertible {
    let description: String
    private let start: String
    private let unit: String
    private let end: String

    init(stringLiteral text: String) {
        description = text
        let head = text.split(separator: "⟨", omittingEmptySubsequences: false)
        let tail = (head.last ?? "").split(separator: "⟩", omittingEmptySubsequences: false)
        start = head.count > 1 ? String(head[0]) : ""
        unit = tail.first.map(String.init) ?? ""
        end = tail.count > 1 ? String(tail[1]) : ""
    }

    /// The text with about `count` bytes.
    func text(_ count: Int) -> String {
        let parts = unit.split(separator: "№", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return start + String(repeating: unit, count: count / unit.utf8.count + 1) + end }
        var (text, number) = (start, 0)
        repeat {
            text += parts.joined(separator: "\(number)")
            number += 1
        } while text.utf8.count < count
        return text + end
    }
}

/// A parser of bytes that a peer sends, and the texts with which it is tried besides those that are tried with each.
struct Parser: Sendable, CustomTestStringConvertible {
    let name: String
    let texts: [HostileText]
    /// The size of the shortest text in bytes.
    let size: Int
    /// Whether only ``texts`` are tried.
    let isSpecific: Bool
    let run: @Sendable (String) throws -> Void

    var testDescription: String { name }

    init(
        _ name: String, _ texts: [HostileText] = [], size: Int = 1024, isSpecific: Bool = false,
        run: @escaping @Sendable (String) throws -> Void
    ) {
        (self.name, self.texts, self.size, self.isSpecific, self.run) = (name, texts, size, isSpecific, run)
    }

    /// Separators, quotes, escapes, brackets, and characters that Swift treats in a particular way.
    static let common: [HostileText] = [
        ",", ";", " ", "=", "\"", "\\", "…", "%", "%2", "(", "a.", "../", "./", ":", "a,", "a=b,", "a=b;", "a=\"b\",", "\"a\\\"",
        "a№,", "a№=b; ", "a=\"⟨\\\\⟩", "⟨…⟩x", "a\u{301}", "e⟨\u{301}\u{323}⟩", "🇩", "\u{1F468}\u{200D}", "9", "é, ",
    ]

    static let table: [Parser] = fields + headers + locations + messages + bodies + requests + redaction
}

@Suite(.timeLimit(.minutes(30))) struct LinearTimeTests {
    @Test(arguments: Parser.table) func `a parser takes time that is linear in what a peer sends`(parser: Parser) async throws {
        for text in parser.texts + (parser.isSpecific ? [] : Parser.common) {
            await Task.yield()
            let exponent = try LinearTime.exponent(size: runs(parser.size, slow: parser.size * 8), input: text.text) {
                // What is malformed is an error, which takes linear time too.
                try? parser.run($0)
            }
            #expect(exponent <= LinearTime.maximumExponent, "\(parser.name): \(text), \(exponent)")
        }
    }
}
