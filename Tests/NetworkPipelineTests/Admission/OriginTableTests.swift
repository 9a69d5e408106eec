import Testing

@testable import NetworkPipeline

@Suite struct OriginTableTests {
    @Test func `a full table removes idle states, and otherwise adds none`() {
        var table = OriginTable<Int>()
        let maximum = OriginTable<Int>.maximumCount
        for number in 0..<maximum {
            #expect(table.update("h\(number)", initial: number, isIdle: { _ in true }, { $0 }) == number)
        }
        #expect(table.update("new", initial: 0, isIdle: { _ in false }, { $0 }) == nil)
        #expect(table.updateExisting("new") { $0 } == nil)
        #expect(table.update("h7", initial: 0, isIdle: { _ in false }, { $0 }) == 7)
        #expect(table.update("new", initial: -1, isIdle: { $0 % 2 == 0 }, { $0 }) == -1)
        #expect(table.states.count == maximum / 2 + 1)
        #expect(table.states["h2"] == nil && table.states["h3"] == 3)
    }
}
