import Foundation
import Testing

/// Checks that tests show each row of the table of what other systems have in Docs/Comparison.md.
///
/// The comment of each tag in `TestSupport/Tags.swift` is the first column of a row.
struct ComparisonTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The first column of each row.
    private static func rows() throws -> [String] {
        let lines = try text("Docs/Comparison.md").split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| What |") })
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
    }

    /// The name of the tag of each row.
    private static func tags() throws -> [String: String] {
        var tags: [String: String] = [:]
        var comment = ""
        for line in try text("Tests/TestSupport/Tags.swift").split(separator: "\n").map({
            $0.trimmingCharacters(in: .whitespaces)
        }) {
            if line.hasPrefix("/// ") {
                comment = String(line.dropFirst(4))
            } else if let range = line.range(of: "static var ") {
                tags[comment] = String(line[range.upperBound...].prefix { $0 != ":" })
            }
        }
        return tags
    }

    /// The names of the tags that tests have.
    private static func usedTags() throws -> Set<String> {
        var names: Set<String> = []
        for folder in ["Tests", "Integrations"] {
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            for path in paths where path.hasSuffix(".swift") {
                for part in try text("\(folder)/\(path)").components(separatedBy: ".tags(").dropFirst() {
                    let list = part.prefix { $0 != ")" }.split(separator: ",")
                    names.formUnion(list.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \n.")) })
                }
            }
        }
        return names
    }

    @Test func `each row of the table has a tag, and each tag has a test`() throws {
        let (rows, tags, used) = (try Self.rows(), try Self.tags(), try Self.usedTags())
        #expect(rows.count >= 20)
        #expect(Set(tags.keys) == Set(rows))
        #expect(Set(tags.values).subtracting(used).isEmpty)
    }
}
