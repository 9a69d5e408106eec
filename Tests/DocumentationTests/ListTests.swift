import Foundation
import Testing

/// Checks that an article which lists the members of a type names all of them.
struct ListTests {
    private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Sources")

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8)
    }

    /// The names of the public properties and static members that a file declares.
    private static func members(of file: String) throws -> [String] {
        try text(file).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard line.hasPrefix("    public "), words.count > 2 else { return nil }
            let name = words[1] == "static" ? words[3] : words[1] == "var" ? words[2] : ""
            return name.isEmpty || name.hasPrefix("description") ? nil : String(name.prefix { $0.isLetter || $0.isNumber })
        }
    }

    @Test(arguments: [
        ("NetworkPipeline/RequestPipeline.swift", "NetworkPipeline/NetworkPipeline.docc/Interceptors.md"),
        ("NetworkTesting/LoopbackServer/Messages/LoopbackFault.swift", "NetworkTesting/NetworkTesting.docc/Testing.md"),
        ("NetworkTesting/LoopbackServer/Messages/LoopbackRequest.swift", "NetworkTesting/NetworkTesting.docc/Testing.md"),
        ("NetworkTesting/LoopbackServer/WebSocket/LoopbackWebSocketFault.swift", "NetworkTesting/NetworkTesting.docc/Testing.md"),
    ])
    func `an article lists all members of a type`(file: String, article: String) throws {
        let (names, text) = (try Self.members(of: file), try Self.text(article))
        #expect(names.count > 5)
        let missing = names.filter { name in !["`\(name)`", "/\(name)`", "`.\(name)", ".\(name))"].contains { text.contains($0) }
        }
        #expect(missing.isEmpty, "\(article) does not name \(missing)")
    }
}
