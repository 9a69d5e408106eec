import Foundation
import Testing

/// Checks that the samples in the documents are compiled, and fit into a window of 80 columns.
struct SampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("// snippet.") }
    }

    private static func text(_ document: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(document), encoding: .utf8)
    }

    /// The Swift samples, without the lines for the manifest of a package.
    private static func samples(in document: String) throws -> [String] {
        try text(document).components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
            .filter { !$0.contains(".package(") && !$0.contains(".product(") }
    }

    /// The indented code in a page of a catalog: calls of other packages, and diagrams.
    private static func indentedCode(in document: String) throws -> [Substring] {
        guard document.contains(".docc/"), document.hasSuffix(".md") else { return [] }
        let prose = try text(document).components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
        return prose.flatMap { $0.element.split(separator: "\n") }.filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
    }

    /// The lines of a step of the tutorial, or those between fences in the documentation comments of another Swift file.
    private static func sampleLines(ofFile file: String) throws -> [Substring] {
        let lines = try text(file).split(separator: "\n")
        guard !file.contains("/Tutorials/") else { return lines }
        var isSample = false
        return lines.map { $0.drop { $0 == " " } }.filter { line in
            isSample = line.hasPrefix("///") && isSample != line.hasPrefix("/// ```")
            return isSample
        }.map { $0.dropFirst(4) }
    }

    /// The folders of the nested packages.
    private static func integrations() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Integrations").path).sorted()
            .filter { !$0.hasPrefix(".") }.map { "Integrations/\($0)" }
    }

    /// The READMEs, the page for apps, and the pages of the DocC catalogs without their tutorials.
    private static func documents() throws -> [String] {
        let sources = try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent("Sources").path)
        let pages = sources.filter { path in
            let parts = path.components(separatedBy: "/")
            return path.hasSuffix(".md") && parts.contains { $0.hasSuffix(".docc") } && !parts.contains("Tutorials")
        }
        let readmes = try integrations().map { "\($0)/README.md" }
        return ["README.md", "Docs/Apps.md"] + readmes + pages.sorted().map { "Sources/\($0)" }
    }

    /// The lines of the compiled files, read once.
    private static let snippets: Result<[[String]], any Error> = Result { () throws -> [[String]] in
        // Docs/Samples are compiled by `.ci/run samples`, those in the folder `Apple` by `.ci/run darwin`; the snippets and the tests of nested packages when those are tested.
        let folders =
            try ["Docs/Samples", "Tests/NetworkWebSocketTests/GraphQL"]
            + integrations().flatMap { ["\($0)/Snippets", "\($0)/Tests"] }
        let files = try folders.flatMap { folder in
            let url = root.appendingPathComponent(folder)
            return try FileManager.default.subpathsOfDirectory(atPath: url.path).map(url.appendingPathComponent)
        }
        return try files.filter { $0.pathExtension == "swift" }.map { lines(try String(contentsOf: $0, encoding: .utf8)) }
    }

    @Test(arguments: try documents())
    func `each Swift sample is part of a compiled file`(document: String) throws {
        let snippets = try Self.snippets.get()
        let samples = try Self.samples(in: document)
        // A page of a catalog may have no samples, such as one that only groups symbols.
        #expect(samples.count >= 2 || document != "README.md")
        for sample in samples.map(Self.lines) {
            let isCompiled = snippets.contains { snippet in
                snippet.indices.contains { snippet[$0] == sample.first && snippet[$0...].starts(with: sample) }
            }
            #expect(isCompiled, "not in Docs/Samples: \(sample.joined(separator: "\n"))")
        }
    }

    @Test func `no line of a sample is longer than 80 columns`() throws {
        let sources = try FileManager.default.subpathsOfDirectory(atPath: Self.root.appendingPathComponent("Sources").path)
        let files = sources.filter { $0.hasSuffix(".swift") }.sorted().map { "Sources/\($0)" }
        let long = try (Self.documents() + files).flatMap { document in
            let lines =
                try document.hasSuffix(".swift")
                ? Self.sampleLines(ofFile: document)
                : Self.samples(in: document).flatMap { $0.split(separator: "\n") } + Self.indentedCode(in: document)
            return lines.filter { $0.count > 80 }.map { "\(document): \($0)" }
        }
        #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
    }
}
