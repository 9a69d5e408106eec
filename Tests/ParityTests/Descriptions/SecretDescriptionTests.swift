import Foundation
import NetworkLogging
import Testing
import TransferTestSupport

/// No text that shows a value of a public type contains a credential.
@Suite(.timeLimit(.minutes(10)), .serialized) struct SecretDescriptionTests {
    /// With a credential that is too short to be searched for in texts, only the place where it is stored prevents that it is shown; a known one
    /// is shown nowhere.
    static let marks = [
        Marks(secret: "Zq7Wx", text: "harmless"),
        Marks(secret: "Xq7canary9Zr41Lw", text: "Xq7canary9Zr41Lw"),
    ]

    @Test(arguments: marks.indices) func `no description of a public type contains a credential`(index: Int) async throws {
        let marks = Self.marks[index]
        SecretValues.insert(marks.secret)
        let types = try PublicTypes.all.get()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("descriptions-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let secret = SecretText(value: marks.secret)
        let bytes = marks.secret.utf8.map { "\($0)" }.joined(separator: ", ")
        var made: Set<String> = []
        var shown: [String: String] = [:]
        for value in try await DescribedValues.all(marks, in: folder) {
            let name = PublicTypes.name(of: value)
            made.insert(name)
            func isShown(in text: String) -> Bool { secret.isShown(in: text) || text.contains(bytes) }
            for text in texts(of: value) where isShown(in: text.replacingOccurrences(of: "\n", with: " ")) {
                let line = text.split(separator: "\n").map(String.init).first(where: isShown) ?? text
                shown[name, default: ""] += "\(line.prefix(1000))\n"
            }
        }
        for (name, text) in shown.sorted(by: { $0.key < $1.key }) { Issue.record("\(name): \(text)") }
        let exempt = DescribedValues.withoutText.union(DescribedValues.withoutValues)
        #expect(types.names.subtracting(made).subtracting(exempt).sorted() == [], "add a value of these to DescribedValues")
        #expect(
            made.union(exempt).subtracting(types.names).subtracting(DescribedValues.notPublic).sorted() == [],
            "these are not public types")
        #expect(types.names.count > 200 && types.errors.count > 15)
    }

    @Test func `a type without text has declarations of numbers only`() throws {
        #expect(try PublicTypes.all.get().withText(of: DescribedValues.withoutText).values.sorted() == [])
    }
}
