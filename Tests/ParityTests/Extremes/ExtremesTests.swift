import Foundation
import Testing

/// Nothing that is public traps, whatever number, duration, date or text it gets: it returns, or throws.
///
/// One row after another: each keeps a thread busy, and other tests wait for one.
@Suite(.timeLimit(.minutes(10)), .serialized) struct ExtremesTests {
    static let table =
        ExtremeCall.endpoints + ExtremeCall.messages + ExtremeCall.streams + ExtremeCall.logging + ExtremeCall.core
        + ExtremeCall.pipeline + ExtremeCall.cache + ExtremeCall.transfers + ExtremeCall.archives + ExtremeCall.loopback
        + ExtremeCall.stubs

    @Test(arguments: table) func `extremes are values like others, or errors`(call: ExtremeCall) async throws {
        try await call.run()
        await Task.yield()
    }

    @Test func `each public declaration that takes an extreme is in the table, and nothing else`() throws {
        let declared = try PublicDeclarations.names()
        let called = Set(Self.table.flatMap(\.names))
        #expect(declared.subtracting(called).sorted() == [], "add these to the table")
        #expect(called.subtracting(declared).sorted() == [], "these are no declarations any more")
        #expect(declared.count > 200)
    }
}
