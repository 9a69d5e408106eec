import Testing
import TransferTestSupport

@testable import DataTransfer

/// Tests of the division of a file into parts.
struct RangePlanTests {
    private func ranges(_ plan: RangePlan) -> [Range<Int64>] { plan.parts.map { $0.start..<$0.end } }

    // A macro cannot change its arguments.
    private func take(_ plan: inout RangePlan) throws -> RangePlan.Part {
        let part = plan.take()
        return try #require(part)
    }

    @Test func `a file is divided evenly`() {
        #expect(ranges(RangePlan(total: 1000, count: 4, minimumBytes: 10)) == [0..<250, 250..<500, 500..<750, 750..<1000])
        #expect(ranges(RangePlan(total: 10, count: 3, minimumBytes: 1)) == [0..<3, 3..<6, 6..<10])
        #expect(ranges(RangePlan(total: 1000, count: 4, minimumBytes: 400)) == [0..<500, 500..<1000])
        #expect(ranges(RangePlan(total: 5, count: 4, minimumBytes: 10)) == [0..<5])
    }

    @Test func `only missing bytes are loaded`() {
        let plan = RangePlan(total: 1000, received: [100..<400, 500..<1000], count: 4, minimumBytes: 50)
        #expect(ranges(plan) == [0..<50, 50..<100, 400..<450, 450..<500] && plan.receivedBytes == 800)
        #expect(RangePlan(total: 1000, received: [0..<1000], count: 4, minimumBytes: 1).isComplete)
    }

    @Test func `the largest remaining part is divided when all have been taken`() throws {
        var plan = RangePlan(total: 1000, count: 2, minimumBytes: 100)
        let first = try take(&plan)
        let second = try take(&plan)
        let accepted = plan.receive(400, of: first.id)
        #expect(accepted == 400)
        let third = try take(&plan)
        #expect(third.start == 750 && third.end == 1000 && plan.part(second.id).end == 750)
        // The other loader's response continues to 1000, but these bytes belong to the third part.
        let rest = plan.receive(300, of: second.id)
        #expect(rest == 250 && plan.part(second.id).isComplete)
        let other = plan.receive(200, of: third.id)
        #expect(other == 200)
        let next = plan.take()
        #expect(next == nil, "100 bytes remain of the first part, and 50 of the third")
    }

    @Test func `a part that was returned is the next one to load`() throws {
        var plan = RangePlan(total: 1000, count: 2, minimumBytes: 10)
        _ = plan.take()
        let second = try take(&plan)
        let accepted = plan.receive(100, of: second.id)
        #expect(accepted == 100)
        plan.note(written: 600, of: second.id)
        plan.release(second.id)
        let next = plan.take()
        #expect(next?.position == 600 && plan.written == [500..<600])
    }

    @Test func `a response that is longer than its part continues into a part that no other response contains`() throws {
        var plan = RangePlan(total: 900, count: 3, minimumBytes: 10)
        let first = try take(&plan)
        let second = try take(&plan)
        let third = try take(&plan)
        let accepted = plan.receive(400, of: first.id)
        let isWithinLimit = plan.extend(first.id, upTo: 500)
        let isExtended = plan.extend(first.id, upTo: 900)
        #expect(accepted == 300 && !isWithinLimit && isExtended && plan.part(first.id).end == 600)
        let hasSecond = plan.begin(second.id)
        let hasThird = plan.begin(third.id)
        #expect(!hasSecond && hasThird, "the second part was only requested")
        _ = plan.receive(300, of: first.id)
        let isExtendedAgain = plan.extend(first.id, upTo: 900)
        #expect(!isExtendedAgain, "another response contains the third part")
    }

    @Test func `whatever the order, each byte is loaded once`() {
        for seed in 0..<UInt64(200) {
            var random = SeededGenerator(seed: seed)
            let total = Int64(random.below(2000) + 1)
            var plan = RangePlan(total: total, count: random.below(8) + 1, minimumBytes: Int64(random.below(100) + 1))
            var bytes = [Int](repeating: 0, count: Int(total))
            var taken: [(id: Int, limit: Int64)] = []
            while !plan.isComplete {
                if taken.count < 5, let part = plan.take(), plan.begin(part.id) {
                    taken.append((part.id, random.chance(50) ? total : part.end))
                }
                guard !taken.isEmpty else { continue }
                let index = random.below(taken.count)
                let (id, limit) = taken[index]
                let start = plan.part(id).position
                let count = plan.receive(random.below(200), of: id)
                for position in Int(start)..<(Int(start) + count) { bytes[position] += 1 }
                plan.note(written: plan.part(id).position, of: id)
                if plan.part(id).isComplete {
                    if !plan.extend(id, upTo: limit) { taken.remove(at: index) }
                } else if random.chance(10) {
                    plan.release(id)
                    taken.remove(at: index)
                }
            }
            #expect(bytes.allSatisfy { $0 == 1 } && plan.written == [0..<total], "seed \(seed)")
        }
    }
}
