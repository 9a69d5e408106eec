import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing

@testable import NetworkPipeline

/// Tests that no lock is held while code of the caller runs: that code can use the object that calls it.
@Suite(.timeLimit(.minutes(10))) struct CallingBackTests {
    /// A clock that runs an action each time it is read.
    private struct CallingClock: Clock {
        typealias Instant = ManualClock.Instant

        let base = ManualClock()
        let action: Locked<(@Sendable () -> Void)?> = Locked(nil)
        /// The number of times that the action ran.
        let calls = Locked(0)

        var minimumResolution: Duration { base.minimumResolution }

        var now: Instant {
            // The action is removed while it runs, so that it does not start itself again.
            let action = action.withLock { action in
                defer { action = nil }
                return action
            }
            if let action {
                action()
                calls.withLock { $0 += 1 }
                self.action.withLock { $0 = action }
            }
            return base.now
        }

        func sleep(until deadline: Instant, tolerance: Duration?) async throws {
            try await base.sleep(until: deadline, tolerance: tolerance)
        }
    }

    @Test func `the clock of a circuit breaker can call the breaker`() async throws {
        let clock = CallingClock()
        // Breaks the reference cycle: the action retains the breaker, which retains the clock.
        defer { clock.action.withLock { $0 = nil } }
        let breaker = CircuitBreaker(options: CircuitBreakerOptions(window: 4, minimumOutcomes: 1), clock: clock)
        _ = try await breaker.intercept(.make(), next: NetworkExchange { _ in .make() })
        clock.action.withLock { action in
            action = { _ = breaker.openHosts + [try? breaker.admit(.make(), to: "https://api.test:443")].compactMap { _ in "" } }
        }
        for status in [200, 500, 500, 500] {
            _ = try? await breaker.intercept(.make(), next: NetworkExchange { _ in .make(status) })
        }
        #expect(breaker.openHosts == ["https://api.test:443"])
        _ = try? await breaker.intercept(.make(), next: NetworkExchange { _ in .make() })
        // The clock is read for each failure, and for each request while the circuit is open.
        #expect(clock.calls.withLock { $0 } == 4)
    }

    @Test func `the clock of a rate limiter can call the limiter`() async throws {
        let clock = CallingClock()
        // Breaks the reference cycle: the action retains the limiter, which retains the clock.
        defer { clock.action.withLock { $0 = nil } }
        let limiter = RateLimiter(RateLimit(1000, per: .seconds(1), burst: 1000), clock: clock)
        @Sendable func response(from origin: String) -> NetworkResponse {
            var response = NetworkResponse.make(200, ["RateLimit": "\"d\";r=0;t=1"])
            response.url = URL(string: origin) ?? response.url
            return response
        }
        clock.action.withLock { action in
            action = { limiter.receive(response(from: "https://other.test"), to: .make()) }
        }
        for _ in 0..<3 {
            let origin = "https://other.test:\(Int.random(in: 1...60_000))"
            _ = try await limiter.intercept(.make(), next: NetworkExchange { _ in .make() })
            limiter.receive(response(from: origin), to: .make())
        }
        #expect(clock.calls.withLock { $0 } >= 6)
    }

    /// An executor that runs each job immediately, on the thread that enqueues it.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class ImmediateExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func `a reader of changes can use the activity in the call that resumes it`() async {
        let activity = NetworkActivity()
        let changes = activity.changes
        let seen = Locked<[Int]>([])
        let reader = Task(executorPreference: ImmediateExecutor()) {
            for await isActive in changes {
                seen.withLock { $0.append(isActive ? activity.count : -1) }
                if !isActive, seen.withLock(\.count) > 1 { return }
            }
        }
        activity.begin()
        activity.begin()
        activity.end()
        activity.end()
        await reader.value
        #expect(seen.withLock { $0 } == [-1, 1, -1])
    }

    @Test func `with concurrent exchanges and readers each stream of an activity ends with the current state`() async {
        for _ in 0..<200 {
            let activity = NetworkActivity()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        activity.begin()
                        activity.end()
                    }
                }
                group.addTask {
                    activity.begin()
                    var last: Bool?
                    var hasEnded = false
                    for await isActive in activity.changes {
                        #expect(last != isActive)
                        last = isActive
                        if isActive {
                            activity.end()
                            hasEnded = true
                        } else if hasEnded {
                            // The count may be above zero again, but a change that is reversed at once is not reported.
                            return
                        }
                    }
                }
            }
            var now = activity.changes.makeAsyncIterator()
            #expect(await now.next() == false)
        }
    }
}
