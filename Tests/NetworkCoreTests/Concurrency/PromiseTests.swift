import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PromiseTests {
    /// A value that counts the instances of a test.
    private final class Token: Sendable {
        enum Source: Hashable {
            case resolver(Int)
            case cancellation
            case lateness
        }

        let source: Source
        private let count: Locked<Int>

        init(_ source: Source, _ count: Locked<Int>) {
            self.source = source
            self.count = count
            count.withLock { $0 += 1 }
        }

        deinit { count.withLock { $0 -= 1 } }
    }

    @Test func `a value that is set before the wait is returned`() async {
        let promise = Promise<Int>()
        #expect(promise.resolve(1))
        #expect(!promise.resolve(2))
        #expect(await promise.value() == 1)
        #expect(!promise.resolve(3))
    }

    @Test func `a cancellation before the wait is not lost`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Promise<Int>().value(cancellation: { -1 })
        }
        #expect(await task.value == -1)
    }

    @Test func `a value that was set before the cancellation is returned to a cancelled task`() async {
        let promise = Promise<Int>()
        promise.resolve(1)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await promise.value(cancellation: { -1 })
        }
        #expect(await task.value == 1)
    }

    @Test func `without a value for it, a cancellation does not end the wait`() async {
        let promise = Promise<Int>()
        let task = Task { await promise.value() }
        task.cancel()
        await Task.yield()
        promise.resolve(1)
        #expect(await task.value == 1)
    }

    @Test func `the end of the time resumes the waiting task, and a value ends the timer`() async {
        let clock = ManualClock()
        let wait: @Sendable (Promise<Int>) async -> Int = { promise in
            await promise.value(
                within: { .seconds(3) }, on: TimeSource(clock), lateness: { -2 }, cancellation: { -1 })
        }
        let late = Task { await wait(Promise()) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        #expect(await late.value == -2)

        let promise = Promise<Int>()
        let early = Task { await wait(promise) }
        await clock.waitForSleepers(count: 1)
        promise.resolve(1)
        #expect(await early.value == 1)
        while clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
    }

    /// Threads resolve a promise, cancel its task and let its time pass, in a random order and before or during the wait.
    @Test(arguments: 0..<8) func `the first of result, cancellation and deadline is returned, and nothing leaks`(
        repetition: Int
    ) async {
        var random = SystemRandomNumberGenerator()
        let count = Locked(0)
        for round in 0..<400 {
            let promise = Promise<Token>()
            let clock = ManualClock()
            let winners = Locked<[Token.Source]>([])
            let hasDeadline = (repetition + round) % 2 == 0
            let waitsLate = Bool.random(using: &random)
            let waiter = Task {
                if waitsLate { for _ in 0..<Int.random(in: 0..<4) { await Task.yield() } }
                if !hasDeadline {
                    return await promise.value(cancellation: { Token(.cancellation, count) }).source
                }
                return await promise.value(
                    within: { .seconds(1) }, on: TimeSource(clock), lateness: { Token(.lateness, count) },
                    cancellation: { Token(.cancellation, count) }
                ).source
            }
            var actions: [@Sendable () -> Void] = (0..<3).map { number in
                { if promise.resolve(Token(.resolver(number), count)) { winners.withLock { $0.append(.resolver(number)) } } }
            }
            if round % 3 != 0 { actions.append { waiter.cancel() } }
            if round % 5 != 0 { actions.append { clock.advance(by: .seconds(1)) } }
            let shuffled = actions.shuffled(using: &random)
            let pauses = shuffled.map { _ in Int.random(in: 0..<200, using: &random) }
            DispatchQueue.concurrentPerform(iterations: shuffled.count) { index in
                for _ in 0..<pauses[index] { _ = monotonicPause() }
                shuffled[index]()
            }
            let source = await waiter.value
            let first = winners.withLock { $0 }
            switch source {
            case .resolver: #expect(first == [source])
            case .cancellation, .lateness: #expect(first.isEmpty)
            }
        }
        // A timer that was too late releases its value in its own task.
        while count.withLock({ $0 }) > 0, !Task.isCancelled { await Task.yield() }
        #expect(count.withLock { $0 } == 0)
    }

    /// Takes a moment that the optimizer does not remove.
    @inline(never) private func monotonicPause() -> Int { Int.random(in: 0..<2) }

    @Test(arguments: 0..<6) func `in each order of calls the first one decides`(order: Int) async {
        // 0: result, 1: cancellation, 2: end of the time.
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        let clock = ManualClock()
        let promise = Promise<Int>()
        let waiter = Task {
            await promise.value(within: { .seconds(1) }, on: TimeSource(clock), lateness: { 2 }, cancellation: { 1 })
        }
        await clock.waitForSleepers(count: 1)
        for (index, action) in orders[order].enumerated() {
            switch action {
            case 0: promise.resolve(0)
            case 1: waiter.cancel()
            default: clock.advance(by: .seconds(1))
            }
            // The waiting task may not have begun to wait, and the timer resolves the promise in its own task.
            if index == 0 { _ = await waiter.value }
        }
        #expect(await waiter.value == orders[order][0])
    }
}
