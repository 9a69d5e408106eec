import Testing

@Suite struct MistakeTests {
    @Test(arguments: MistakeCase.types + MistakeCase.functions + MistakeCase.paths + MistakeCase.parameters + MistakeCase.results)
    func `a mistake is one error at its place, with the fix-it that repairs it`(_ mistake: MistakeCase) throws {
        let findings = Expansion(of: mistake.source).findings
        let finding = try #require(findings.first)
        #expect(findings.count == 1, "\(findings)")
        #expect(finding.message == mistake.message)
        #expect((finding.line, finding.column) == (mistake.line, mistake.column))
        guard let repair = mistake.repair else { return #expect(finding.repairs.isEmpty, "\(finding.repairs)") }
        #expect(finding.repairs[repair.message] == repair.source, "\(finding.repairs)")
    }

    @Test(arguments: MistakeCase.types + MistakeCase.functions + MistakeCase.paths + MistakeCase.parameters + MistakeCase.results)
    func `what a fix-it writes has no mistake`(_ mistake: MistakeCase) {
        guard let repair = mistake.repair else { return }
        #expect(Expansion(of: repair.source).findings.isEmpty)
    }
}
