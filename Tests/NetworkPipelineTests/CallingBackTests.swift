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
}
