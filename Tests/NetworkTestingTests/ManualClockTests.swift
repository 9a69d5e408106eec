import NetworkSupport
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ManualClockTests {
    let clock = ManualClock()

    @Test func `a sleeper wakes when the clock reaches its deadline, and not before`() async throws {
        let task = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(4))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(clock.now.offset == .seconds(5) && clock.sleeperCount == 0)
    }

    @Test func `sleeping until a deadline that has passed returns immediately`() async throws {
        clock.advance(by: .seconds(1))
        try await clock.sleep(until: .init(offset: .seconds(1)))
    }

    @Test func `a cancelled sleep throws an error, also if it was cancelled before it started`() async throws {
        let sleeping = Task { try await clock.sleep(for: .seconds(5)) }
        await clock.waitForSleepers(count: 1)
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(5))
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func `many sleepers wake in the order of their deadlines`() async throws {
        let order = Locked<[Int]>([])
        await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    try await clock.sleep(for: .seconds(number))
                    order.withLock { $0.append(number) }
                }
            }
            await clock.waitForSleepers(count: 20)
            for number in 1...20 {
                clock.advance(by: .seconds(1))
                while order.withLock({ $0.count }) < number { await Task.yield() }
            }
        }
        #expect(order.withLock { $0 } == Array(1...20))
    }

    @Test func `waiting for sleepers ends when the task is cancelled, also before the wait started`() async {
        let waiting = Task { await clock.waitForSleepers(count: 1) }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await clock.waitForSleepers(count: 1)
        }
        await early.value
        waiting.cancel()
        await waiting.value
        #expect(clock.sleeperCount == 0)
    }
}
