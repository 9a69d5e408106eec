import Endpoints
import Foundation
import Testing
import TestSupport

/// Random nested values in random styles are read by a parser that shares no code with the writer.
@Suite struct RandomParametersTests {
    private struct Names: Sendable {
        var keys: QueryStyle.Keys
        var join: @Sendable ([String]) -> String
    }

    private static let names = [
        Names(keys: .unchanged) { $0[0] + $0.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() },
        Names(keys: .snakeCase) { $0.joined(separator: "_") },
        Names(keys: .kebabCase) { $0.joined(separator: "-") },
        Names(keys: .custom { "x" + $0.lowercased() }) { "x" + $0.joined() },
    ]

    @Test func `random values in random styles can be read again`() throws {
        let seed = UInt64(2026)
        var random = SeededGenerator(seed: seed)
        var (read, characters) = (0, 0)
        let rounds = runs(800, slow: 4000)
        for round in 0..<rounds {
            let names = random.pick(Self.names)
            let style = QueryStyle(
                arrays: random.pick([.repeated, .brackets, .indexed, .commaSeparated]), nested: random.pick([.brackets, .dots]),
                keys: names.keys, nils: random.pick([.dropped, .empty, .null]), booleans: random.pick([.words, .numbers]))
            let tree = ParameterTree.object(&random, depth: 4, nestsLists: style.arrays == .indexed)
            let expected = tree.reading(style, name: names.join)
            let form = String(decoding: try EndpointBody.form(tree, style: style).encoded(), as: UTF8.self)
            let query = try query(ParameterList(tree), style)
            for (text, isForm) in [(query, false), (form, true)] {
                let reading = QueryReader.reading(of: text, style, isForm: isForm)
                #expect(reading == expected, "seed \(seed), round \(round), \(style): \(text)")
                read += reading == nil ? 0 : 1
                characters += text.count
            }
        }
        #expect(read > rounds && characters > 100 * rounds, "\(read) values of \(characters) characters are not a test")
    }
}

/// Reads a query or a form into named values.
private enum QueryReader {
    private final class Node {
        var texts: [String] = []
        var members: [String: Node] = [:]

        var reading: ParameterTree.Reading {
            if !members.isEmpty { return .named(members.mapValues(\.reading)) }
            return texts.count == 1 ? .text(texts[0]) : .texts(texts)
        }
    }

    static func reading(of text: String, _ style: QueryStyle, isForm: Bool) -> ParameterTree.Reading? {
        let root = Node()
        for item in text.components(separatedBy: "&") where !item.isEmpty {
            let sides = item.components(separatedBy: "=")
            guard sides.count == 2 else { return nil }
            var node = root
            for step in steps(decoded(sides[0], isForm), style) {
                let next = node.members[step] ?? Node()
                node.members[step] = next
                node = next
            }
            let values = style.arrays == .commaSeparated ? sides[1].components(separatedBy: ",") : [sides[1]]
            node.texts += values.map { decoded($0, isForm) }
        }
        return root.members.isEmpty ? nil : root.reading
    }

    private static func decoded(_ text: String, _ isForm: Bool) -> String {
        let spaced = isForm ? text.replacingOccurrences(of: "+", with: " ") : text
        return spaced.removingPercentEncoding ?? "not percent-encoded: \(text)"
    }

    /// Returns the names of a path such as `a[b][0]` or `a.b[0]`. The brackets of `a[]` are no name.
    private static func steps(_ name: String, _ style: QueryStyle) -> [String] {
        var steps = [""]
        for character in name.unicodeScalars {
            switch character {
            case "[": steps.append("")
            case ".": steps.append("")
            case "]": continue
            default: steps[steps.count - 1].unicodeScalars.append(character)
            }
        }
        return steps.filter { !$0.isEmpty }
    }
}
