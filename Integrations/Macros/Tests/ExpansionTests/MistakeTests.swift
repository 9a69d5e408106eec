import Foundation
import Testing

@Suite struct MistakeTests {
    private static let all =
        MistakeCase.types + MistakeCase.functions + MistakeCase.paths + MistakeCase.parameters + MistakeCase.results

    @Test(arguments: all)
    func `a mistake is one error at its place, with the fix-it that repairs it`(_ mistake: MistakeCase) throws {
        let findings = Expansion(of: mistake.source).findings
        let finding = try #require(findings.first)
        #expect(findings.count == 1, "\(findings)")
        #expect(finding.message == mistake.message)
        #expect((finding.line, finding.column) == (mistake.line, mistake.column))
        guard let repair = mistake.repair else { return #expect(finding.repairs.isEmpty, "\(finding.repairs)") }
        #expect(finding.repairs[repair.message] == repair.source, "\(finding.repairs)")
    }

    @Test(arguments: all)
    func `what a fix-it writes has no mistake`(_ mistake: MistakeCase) {
        guard let repair = mistake.repair else { return }
        #expect(Expansion(of: repair.source).findings.isEmpty)
    }

    @Test func `the README lists each mistake, and no others`() throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: package.appendingPathComponent("README.md"), encoding: .utf8)
        let rest = readme.components(separatedBy: "## Errors of the compiler").last ?? ""
        let section = rest.components(separatedBy: "\n## ").first ?? ""
        let rows = section.split(separator: "\n").filter { $0.hasPrefix("| `") }.compactMap {
            $0.split(separator: "`").dropFirst().first
        }
        let names = Self.all.compactMap { $0.name.split(separator: ",").first }
        #expect(rows.count == Set(rows).count)
        #expect(Set(rows) == Set(names))
    }
}
