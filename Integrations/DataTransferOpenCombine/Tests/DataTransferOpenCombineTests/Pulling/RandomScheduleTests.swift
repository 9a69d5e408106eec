import Foundation
import Testing

@testable import DataTransferOpenCombine

/// Demand and cancellation at any time, from any thread: checked against what has to hold for each schedule.
@Suite(.timeLimit(.minutes(10)))
struct RandomScheduleTests {
    private struct SeededRandom: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private struct Asked {
        var count = 0
        var underWay = 0
        var overlaps = 0
        var demanded = 0
        /// Values asked for beyond what had been demanded by then.
        var excess = 0
    }

    @Test func `values are a prefix, no more than demanded, and the end comes once or never`() async {
        for seed in 0..<400 as Range<UInt64> {
            await run(seed)
            if Task.isCancelled { return }
        }
    }

    private func run(_ seed: UInt64) async {
        var random = SeededRandom(state: seed)
        let total = Int.random(in: 0...20, using: &random)
        let fails = Bool.random(using: &random)
        let cancelsAt = Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : -1
        let inside = (0...20).map { _ in Int.random(in: 0...2, using: &random) }
        let asked = Guarded(Asked())
        let isCancelled = Guarded(false)
        let publisher = PulledPublisher<Int, DataTransferError>(
            opening: { () async throws(DataTransferError) in 0 },
            next: { next async throws(DataTransferError) in
                asked.withLock { asked in
                    asked.count += 1
                    asked.underWay += 1
                    if asked.underWay > 1 { asked.overlaps += 1 }
                    if asked.count > asked.demanded { asked.excess += 1 }
                }
                if (seed &+ UInt64(next)) % 3 == 0 { await Task.yield() }
                asked.withLock { $0.underWay -= 1 }
                defer { next += 1 }
                if next < total { return next }
                if fails { throw .networkFailure(.transport(TransportError(.other, "the end"))) }
                return nil
            })
        let subscriber = RecordingSubscriber<Int, DataTransferError>(.none) { subscriber, value in
            if value == cancelsAt {
                isCancelled.withLock { $0 = true }
                subscriber.cancel()
            }
            asked.withLock { $0.demanded += 2 * inside[value] }
            if inside[value] > 0 { subscriber.request(.max(inside[value])) }
            return .max(inside[value])
        }
        publisher.subscribe(subscriber)
        let outside = (0..<6).map { _ in Int.random(in: 0...4, using: &random) }
        let cancelsOutside = Int.random(in: 0..<4, using: &random) == 0
        await withTaskGroup(of: Void.self) { group in
            for demand in outside where demand > 0 {
                group.addTask {
                    asked.withLock { $0.demanded += demand }
                    subscriber.request(.max(demand))
                }
            }
            if cancelsOutside {
                group.addTask {
                    isCancelled.withLock { $0 = true }
                    subscriber.cancel()
                }
            }
        }
        if !isCancelled.withLock({ $0 }) {
            // Nobody has cancelled so far, but a value may still do so.
            await subscriber.record.wait { record in
                let demanded = asked.withLock { $0.demanded }
                return !record.isReceiving
                    && (!record.completions.isEmpty || isCancelled.withLock { $0 }
                        || (record.values.count == min(demanded, total) && demanded <= total))
            }
        }
        let values = subscriber.values
        let log = asked.withLock { $0 }
        #expect(values == Array(0..<values.count), "seed \(seed)")
        #expect(values.count <= log.demanded && log.excess == 0 && log.overlaps == 0, "seed \(seed)")
        #expect(subscriber.violations == 0 && subscriber.completions.count <= 1, "seed \(seed)")
        if cancelsAt >= 0 { #expect(values.count <= cancelsAt + 1, "seed \(seed)") }
        if let completion = subscriber.completions.first {
            #expect(values.count == total, "seed \(seed)")
            if case .failure = completion { #expect(fails, "seed \(seed)") } else { #expect(!fails, "seed \(seed)") }
        } else if !isCancelled.withLock({ $0 }) {
            #expect(values.count == min(log.demanded, total), "seed \(seed)")
        }
    }
}
