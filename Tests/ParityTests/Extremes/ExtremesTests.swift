import Foundation
import Testing

/// No public declaration traps, for any number, duration, date or text that is passed: it returns or throws.
///
/// The rows run one after another, because each keeps a thread busy, and other tests need one.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ExtremesTests {
    static let table =
        ExtremeCall.endpoints + ExtremeCall.messages + ExtremeCall.streams + ExtremeCall.logging + ExtremeCall.core
        + ExtremeCall.pipeline + ExtremeCall.cache + ExtremeCall.transfers + ExtremeCall.background + ExtremeCall.archives
        + ExtremeCall.loopback
        + ExtremeCall.stubs + ExtremeCall.webSockets

    @Test(arguments: table) func `extreme arguments return a value or throw an error`(call: ExtremeCall) async throws {
        try await call.run()
        await Task.yield()
    }

    @Test func `the table contains exactly the public declarations that take an extreme value`() throws {
        let declared = try PublicDeclarations.names()
        let called = Set(Self.table.flatMap(\.names))
        #expect(declared.subtracting(called).sorted() == [], "add these to the table")
        #expect(called.subtracting(declared).sorted() == [], "these are no longer public declarations")
        #expect(declared.count > 120)
    }

    /// A property that is no parameter of such an initializer, because the initializer takes a closure, is set in the files of the table.
    @Test func `each number and time of options, limits and configurations is set to extreme values`() throws {
        let calls = Self.table.flatMap(\.names)
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let texts = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .map { try String(contentsOf: $0, encoding: .utf8) }
        let settings = try PublicDeclarations.settings()
        let missing = settings.filter { setting in
            let type = String(setting.prefix(upTo: setting.lastIndex(of: ".") ?? setting.endIndex))
            let name = String(setting.dropFirst(type.count + 1))
            if calls.contains(where: { $0.hasPrefix(type + ".init(") && ($0.contains("(\(name):") || $0.contains(":\(name):")) })
            {
                return false
            }
            return !texts.contains { $0.contains(".\(name),") || $0.contains(".\(name)]") || $0.contains(".\(name) =") }
        }
        #expect(missing.sorted() == [] && settings.count > 60)
    }
}
