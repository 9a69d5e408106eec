import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkPipeline

/// Simulates a server that works on a number of requests at a time and queues the others, with more demand than it can meet.
@Suite(.timeLimit(.ofStorm)) struct AdaptiveLimitTests {
    private struct Server {
        var random: SeededGenerator
        var workers: Int
        /// The shortest and the longest time that a worker needs, in milliseconds.
        var work = 80...120
        /// The times at which the workers are free, in microseconds.
        private var free: [Int] = []

        init(workers: Int, seed: UInt64) {
            self.workers = workers
            random = SeededGenerator(seed: seed)
        }

        /// Returns the time at which the response to a request that arrives now is complete. Requests are served in order.
        mutating func end(arrival: Int) -> Int {
            while free.count < workers { free.insert(arrival, at: 0) }
            // If there are fewer workers than before, those that are free last have left.
            free.removeLast(free.count - workers)
            let end = max(free.removeFirst(), arrival) + Int.random(in: work, using: &random) * 1000
            let place = free.lastIndex { $0 <= end }.map { $0 + 1 } ?? 0
            free.insert(end, at: place)
            return end
        }
    }

    private struct Result {
        var responses = 0
        var latency = 0
        var limits: [Int] = []
        var meanLatency: Double { Double(latency) / Double(max(responses, 1)) / 1000 }
    }

    /// Sends as many requests as the limit allows until a time, and returns what was received in the second half of it.
    private func simulate(
        _ limit: inout AdaptiveLimitState?, fixed: Int = 0, _ server: inout Server, from start: Int = 0, seconds: Int
    ) -> Result {
        var running: [(began: Int, end: Int)] = []
        var result = Result()
        var now = start * 1_000_000
        let end = now + seconds * 1_000_000
        while now < end {
            while running.count < limit?.limit ?? fixed {
                let end = server.end(arrival: now)
                running.insert((now, end), at: running.lastIndex { $0.end <= end }.map { $0 + 1 } ?? 0)
            }
            let exchange = running[0]
            now = max(now, exchange.end)
            limit?.add(
                AdaptiveLimitState.Sample(began: .microseconds(exchange.began), ended: .microseconds(now), inside: running.count))
            running.removeFirst()
            if now > end - seconds * 500_000 {
                result.responses += 1
                result.latency += now - exchange.began
                result.limits.append(limit?.limit ?? fixed)
            }
        }
        return result
    }

    private func simulateFixed(_ limit: Int, workers: Int, seconds: Int = 60) -> Result {
        var (none, server): (AdaptiveLimitState?, Server) = (nil, Server(workers: workers, seed: 1))
        return simulate(&none, fixed: limit, &server, seconds: seconds)
    }

    /// A number of workers, and the initial limit.
    private static let cases: [(Int, Int)] =
        isSlowRun
        ? [10, 40, 100].flatMap { workers in [4, 20, 200].map { (workers, $0) } }
        : [(10, 4), (10, 20), (10, 200), (40, 4), (40, 200), (100, 20)]

    @Test(arguments: cases)
    func `the throughput is that of the best fixed limit, with a short queue`(workers: Int, initial: Int) {
        var limit: AdaptiveLimitState? = AdaptiveLimitState(.adaptive(initial: initial, minimum: 4, maximum: 400))
        var server = Server(workers: workers, seed: 2)
        let adaptive = simulate(&limit, &server, seconds: 60)
        let best = simulateFixed(workers * 2, workers: workers)
        // These need no more time to become steady.
        let tooLow = simulateFixed(workers / 2, workers: workers, seconds: 12)
        let tooHigh = simulateFixed(workers * 8, workers: workers, seconds: 12)
        let facts: Comment =
            "\(adaptive.responses) of \(best.responses), \(adaptive.meanLatency) ms, \(adaptive.limits.suffix(5))"
        #expect(Double(adaptive.responses) > 0.93 * Double(best.responses), facts)
        #expect(Double(tooLow.responses * 5) < 0.6 * Double(best.responses))
        #expect(adaptive.meanLatency < 250 && tooHigh.meanLatency > 700, facts)
    }

    @Test func `the limit follows the capacity of the server`() {
        var limit: AdaptiveLimitState? = AdaptiveLimitState(.adaptive(initial: 20, minimum: 4, maximum: 400))
        var server = Server(workers: 80, seed: 3)
        let before = simulate(&limit, &server, seconds: 60)
        server.workers = 40
        let half = simulate(&limit, &server, from: 60, seconds: 20)
        server.workers = 80
        let after = simulate(&limit, &server, from: 80, seconds: 60)
        #expect((80...160).contains(before.limits.max() ?? 0))
        #expect((half.limits.max() ?? 0) <= 90 && half.meanLatency < 260, "\(half.limits.suffix(5)) \(half.meanLatency)")
        #expect(Double(half.responses) > 0.9 * 10 * 400, "\(half.responses)")
        #expect(Double(after.responses) > 0.93 * Double(before.responses), "\(after.responses) of \(before.responses)")
    }

    @Test func `a slower server is measured anew, so that the limit does not stay at its minimum`() {
        var limit: AdaptiveLimitState? = AdaptiveLimitState(.adaptive(initial: 20, minimum: 4, maximum: 400))
        var server = Server(workers: 40, seed: 4)
        _ = simulate(&limit, &server, seconds: 40)
        server.work = 240...360
        let slow = simulate(&limit, &server, from: 40, seconds: 200)
        #expect(Double(slow.responses) > 0.85 * 100 * 40 / 0.3, "\(slow.responses) \(slow.limits.suffix(5))")
    }

    @Test func `failures lower the limit once in a round, and to the minimum at most`() {
        var state = AdaptiveLimitState(.adaptive(initial: 100, minimum: 4, maximum: 200))
        for number in 1...100 {
            let time = Duration.seconds(number)
            state.add(.init(began: time, ended: time + .milliseconds(1), inside: 1, isOverload: true))
            #expect(state.limit >= 4)
        }
        #expect(state.limit == 4)
    }

    @Test func `latencies and times at the extremes do not trap`() {
        let times = [Duration.zero, .seconds(-5), .seconds(1_000_000_000), .seconds(-1_000_000_000), .nanoseconds(1)]
        for options in [AdaptiveLimit.adaptive(), .adaptive(initial: 1, minimum: 1, maximum: 10_000)] {
            var state = AdaptiveLimitState(options)
            let random = SharedGenerator(5)
            var isWithin = true
            for _ in 0..<5000 {
                state.add(
                    .init(
                        began: times[random.next(below: 5)], ended: times[random.next(below: 5)],
                        inside: [0, 1, .max, .min][random.next(below: 4)], isOverload: random.next(below: 9) == 0))
                isWithin = isWithin && (options.minimum...options.maximum).contains(state.limit)
            }
            #expect(isWithin)
        }
    }

    @Test func `an adaptive gate admits waiting requests when the limit is raised, and all complete`() async {
        let gate = ConcurrencyGate(.adaptive(initial: 2, minimum: 1, maximum: 50))
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<2000 {
                group.addTask {
                    await result { () throws(TransportError) in
                        try await gate.intercept(
                            .make(),
                            next: NetworkExchange { _ in
                                await Task.yield()
                                return .make()
                            })
                    }.status
                }
            }
            for await status in group { #expect(status == 200) }
        }
        #expect(gate.count == 0 && gate.waitingCount == 0)
    }

    @Test(arguments: [
        (AdaptiveLimit.adaptive(minimum: 0), "minimum"), (.adaptive(maximum: 3), "maximum"),
        (.adaptive(maximum: 10_001), "maximum"),
        (.adaptive(initial: 3), "initial"), (.adaptive(initial: 201), "initial"),
    ])
    func `an invalid adaptive limit is an error that names the field`(limit: AdaptiveLimit, field: String) async {
        let outcome = await result { () throws(TransportError) in
            try await ConcurrencyGate(limit).intercept(.make(), next: NetworkExchange { _ in .make() })
        }
        guard case .failure(let error) = outcome else {
            Issue.record("The request was admitted.")
            return
        }
        #expect(error.code == .invalidConfiguration && error.message.contains(field))
    }
}
