import Foundation
import Testing

/// The samples in the documents are those that the build compiles.
struct SampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("// snippet.") }
    }

    private static func samples(in document: String) throws -> [[String]] {
        let text = try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
        return text.components(separatedBy: "```swift\n").dropFirst().map { lines($0.components(separatedBy: "```")[0]) }
    }

    @Test(arguments: ["README.md"])
    func `each Swift sample stands in a snippet`(document: String) throws {
        // Those of a package of its own are compiled where it can be built.
        let files = try ["Snippets", "Integrations/Snippets"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(
                at: Self.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
        }
        let snippets = try files.filter { $0.pathExtension == "swift" }.map {
            Self.lines(try String(contentsOf: $0, encoding: .utf8))
        }
        let samples = try Self.samples(in: document)
        #expect(samples.count >= 5)
        for sample in samples where !sample.contains(where: { $0.hasPrefix(".package(") || $0.hasPrefix(".product(") }) {
            let isCompiled = snippets.contains { snippet in
                snippet.indices.contains { snippet[$0...].starts(with: sample) }
            }
            #expect(isCompiled, "not in Snippets/: \(sample.joined(separator: "\n"))")
        }
    }
}
