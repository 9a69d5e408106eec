import Foundation
import Testing

/// No public declaration traps, for any number, duration, date or text that is passed: it returns or throws.
///
/// The rows run one after another, because each keeps a thread busy, and other tests need one.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ExtremesTests {
    static let table =
        ExtremeCall.endpoints + ExtremeCall.messages + ExtremeCall.streams + ExtremeCall.logging + ExtremeCall.core
        + ExtremeCall.pipeline + ExtremeCall.cache + ExtremeCall.transfers + ExtremeCall.archives + ExtremeCall.loopback
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
}
