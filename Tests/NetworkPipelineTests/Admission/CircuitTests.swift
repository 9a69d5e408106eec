import Foundation
import NetworkCore
import NetworkSupport
import NetworkTesting
import Testing

@testable import NetworkPipeline

struct CircuitTests {
    private let rule = CircuitBreakerOptions(
        failureRatio: 0.5, window: 4, minimumOutcomes: 2, openDuration: .seconds(10), probes: 1)

    private func epoch(_ decision: CircuitState.Decision) -> Int? {
        if case .pass(let epoch) = decision { epoch } else { nil }
    }

    /// Returns the state of a new circuit breaker after the outcomes.
    private func state(_ outcomes: [Bool]) -> CircuitState {
        var state = CircuitState(rule)
        for outcome in outcomes {
            guard let epoch = epoch(state.admit(now: .zero)) else { break }
            state.record(failed: outcome, epoch: epoch, now: .zero)
        }
        return state
    }

    @Test(arguments: [
        ([true], false), ([true, true], true), ([false, true], true), ([false, false, true], false),
        ([false, false, false, true, true], true), ([true, false], true), ([false, false, false, false, true], false),
    ])
    func `the circuit breaker opens when the failure ratio is reached`(outcomes: [Bool], isOpen: Bool) {
        #expect(state(outcomes).isOpen == isOpen)
    }

    @Test func `the circuit breaker is open for its duration and then admits one probe`() {
        var state = state([true, true])
        #expect(state.admit(now: .seconds(1)) == .refuse(.seconds(9)))
        #expect(epoch(state.admit(now: .seconds(10))) != nil)
        #expect(state.admit(now: .seconds(10)) == .refuse(.zero))
    }

    @Test(arguments: [(true, true), (false, false)])
    func `a successful probe closes the circuit breaker, and a failed one opens it again`(fails: Bool, isOpen: Bool) throws {
        var state = state([true, true])
        let probe = try #require(epoch(state.admit(now: .seconds(10))))
        state.record(failed: fails, epoch: probe, now: .seconds(11))
        #expect(state.isOpen == isOpen)
        #expect((epoch(state.admit(now: .seconds(12))) == nil) == isOpen)
    }

    @Test func `after a cancelled probe another one is admitted`() throws {
        var state = state([true, true])
        let probe = try #require(epoch(state.admit(now: .seconds(10))))
        state.record(failed: nil, epoch: probe, now: .seconds(11))
        #expect(epoch(state.admit(now: .seconds(11))) != nil)
    }

    @Test func `outcomes of requests sent before the circuit breaker opened are ignored`() throws {
        var state = CircuitState(rule)
        let old = try #require(epoch(state.admit(now: .zero)))
        for _ in 0..<2 { state.record(failed: true, epoch: old, now: .zero) }
        #expect(state.isOpen)
        let probe = try #require(epoch(state.admit(now: .seconds(10))))
        state.record(failed: true, epoch: old, now: .seconds(10))
        #expect(!state.isOpen)
        state.record(failed: false, epoch: probe, now: .seconds(10))
        #expect(state.isClear)
    }

    @Test func `with two probes the circuit breaker closes when both succeed`() throws {
        var rule = rule
        rule.probes = 2
        var state = CircuitState(rule)
        let first = try #require(epoch(state.admit(now: .zero)))
        for _ in 0..<2 { state.record(failed: true, epoch: first, now: .zero) }
        let probes = [epoch(state.admit(now: .seconds(10))), epoch(state.admit(now: .seconds(10)))]
        #expect(state.admit(now: .seconds(10)) == .refuse(.zero))
        for probe in probes { state.record(failed: false, epoch: try #require(probe), now: .seconds(10)) }
        #expect(state.isClear)
    }

    @Test func `a clock that is set back does not keep the circuit breaker open`() {
        var state = state([true, true])
        #expect(state.admit(now: .seconds(-1_000_000)) == .refuse(.seconds(10)))
        #expect(epoch(state.admit(now: .seconds(-999_990))) != nil)
    }

    @Test func `requests to a failing host are rejected, and requests to other hosts are sent`() async throws {
        let clock = ManualClock()
        let breaker = CircuitBreaker(options: rule, clock: clock)
        let sent = Locked(0)
        func send(_ host: String, _ status: Int) async -> Result<NetworkResponse, TransportError> {
            await result { () throws(TransportError) in
                try await breaker.intercept(
                    NetworkRequest(url: URL(string: "https://\(host).test/")!),
                    next: NetworkExchange { request in
                        sent.withLock { $0 += 1 }
                        var response = NetworkResponse.make(status)
                        response.url = request.url
                        return response
                    })
            }
        }
        for _ in 0..<2 { #expect(await send("a", 503).status == 503) }
        #expect(await send("a", 200).code == .notAdmitted)
        #expect(breaker.openHosts == ["https://a.test:443"])
        #expect(await send("b", 200).status == 200)
        clock.advance(by: .seconds(10))
        #expect(await send("a", 200).status == 200)
        #expect(breaker.openHosts.isEmpty)
        #expect(sent.withLock { $0 } == 4)
    }

    @Test(arguments: [
        (CircuitBreakerOptions(failureRatio: 0), "failureRatio"), (CircuitBreakerOptions(failureRatio: .nan), "failureRatio"),
        (CircuitBreakerOptions(window: 0), "window"), (CircuitBreakerOptions(window: 5, minimumOutcomes: 6), "minimumOutcomes"),
        (CircuitBreakerOptions(openDuration: .zero), "openDuration"), (CircuitBreakerOptions(probes: 0), "probes"),
    ])
    func `an invalid circuit breaker rule is an error that names the field`(rule: CircuitBreakerOptions, field: String) async {
        let outcome = await result { () throws(TransportError) in
            try await CircuitBreaker(options: rule).intercept(.make(), next: NetworkExchange { _ in .make() })
        }
        guard case .failure(let error) = outcome else {
            Issue.record("The request was admitted.")
            return
        }
        #expect(error.code == .invalidConfiguration && error.message.contains(field))
    }
}
