import Foundation
import Testing

/// Checks that each row of the table of what differs between session managers, in Docs/Platforms.md, names tests that exist.
struct PlatformTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// What the last column begins with if a row has no test.
    private static let withoutTest = ["type-checked only", "measured with ", "none: "]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The first and the last column of each row.
    private static func rows() throws -> [(subject: String, tests: String)] {
        let lines = try text("Docs/Platforms.md").split(separator: "\n")
        let start = try #require(lines.firstIndex { $0.hasPrefix("| Subject | `SocketSessionManager` |") })
        return try lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            try #require(cells.count == 5, "\(line)")
            return (cells[0], cells[4])
        }
    }

    /// The names of all suites and tests of this package.
    private static func names() throws -> Set<String> {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent("Tests").path)
        var names: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let text = try text("Tests/\(path)")
            names.formUnion(text.components(separatedBy: "func `").dropFirst().map { String($0.prefix { $0 != "`" }) })
            for keyword in ["struct ", "class ", "enum "] {
                let parts = text.components(separatedBy: keyword).dropFirst()
                names.formUnion(parts.map { String($0.prefix { $0.isLetter || $0.isNumber }) })
            }
        }
        return names
    }

    @Test func `each row of the table of differences names tests that exist, or says why there is none`() throws {
        let (rows, names) = (try Self.rows(), try Self.names())
        #expect(rows.count >= 30 && Set(rows.map(\.subject)).count == rows.count)
        for row in rows {
            let cited = row.tests.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
            if Self.withoutTest.contains(where: row.tests.hasPrefix) { continue }
            #expect(!cited.isEmpty, "\(row.subject) has no test")
            let missing = cited.filter { !names.contains($0) }
            #expect(missing.isEmpty, "\(row.subject)")
        }
    }
}
