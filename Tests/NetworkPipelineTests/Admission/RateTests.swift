import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkPipeline

@Suite(.timeLimit(.minutes(10))) struct RateTests {
    private let limit = RateLimit(10, per: .seconds(1), burst: 3)

    @Test func `a burst is sent immediately, and further requests at the rate`() {
        var state = RateState()
        let delays = (0..<6).map { _ in state.take(limit, now: .zero, maximum: .seconds(60)) }
        #expect(delays == [.zero, .zero, .zero, .milliseconds(100), .milliseconds(200), .milliseconds(300)])
        #expect(state.take(limit, now: .seconds(10), maximum: .zero) == .zero)
    }

    @Test func `a request whose delay exceeds the maximum does not count against the rate`() {
        var state = RateState()
        for _ in 0..<3 { _ = state.take(limit, now: .zero, maximum: .zero) }
        for _ in 0..<5 { #expect(state.take(limit, now: .zero, maximum: .milliseconds(99)) == .milliseconds(100)) }
        #expect(state.take(limit, now: .milliseconds(100), maximum: .zero) == .zero)
    }

    @Test(arguments: [1, 7, 1000]) func `no period has more requests than the rate and the burst`(seed: Int) {
        let random = SharedGenerator(UInt64(seed))
        var state = RateState()
        var now = Duration.zero
        var sent: [Duration] = []
        for _ in 0..<2000 {
            now += .milliseconds(Int(random.next() % 150))
            let delay = state.take(limit, now: now, maximum: .seconds(2))
            if delay <= .seconds(2) { sent.append(now + delay) }  // manual clock
        }
        sent.sort()
        for (index, time) in sent.enumerated() {
            let inWindow = sent[index...].prefix { $0 < time + .seconds(1) }.count
            #expect(inWindow <= 13)
        }
    }

    @Test(arguments: [1, 7, 1000]) func `requests that arrive during a pause of the server are sent at the rate after it`(
        seed: Int
    ) {
        let random = SharedGenerator(UInt64(seed))
        var state = RateState()
        var now = Duration.zero
        var sent: [Duration] = []
        for _ in 0..<2000 {
            now += .milliseconds(Int(random.next() % 150))
            if random.next() % 100 == 0 { state.close(until: now + .milliseconds(Int(random.next() % 5000))) }
            let delay = state.take(limit, now: now, maximum: .seconds(60))
            #expect(now + delay >= state.closedUntil || delay > .seconds(60))
            if delay <= .seconds(60) { sent.append(now + delay) }
        }
        sent.sort()
        for (index, time) in sent.enumerated() {
            #expect(sent[index...].prefix { $0 < time + .seconds(1) }.count <= 13)
        }
    }

    @Test(
        arguments: [
            (["RateLimit": "\"default\";r=50;t=30"], nil), (["RateLimit": "\"default\";r=0;t=30"], 30),
            (["RateLimit": "\"a\";r=0;t=5, \"b\";r=0;t=9, \"c\";r=3;t=99"], 9), (["RateLimit": "default; r=0; t=7"], 7),
            (["RateLimit": "\"a,b;c\";r=0;t=8"], 8), (["RateLimit": "\"d\";r=0"], nil),
            (["RateLimit": "\"d\";r=0", "RateLimit-Policy": "\"d\";q=100;w=60"], 60),
            (["RateLimit": "\"d\";r=0", "RateLimit-Policy": "\"e\";q=100;w=60"], nil),
            (["RateLimit": "\"d\";r=0;t=999999999"], 86_400), (["RateLimit-Policy": "\"d\";q=1;w=1"], nil),
            (["RateLimit": "\"d\";r=0;t=4;x=\"y;z\""], 4), (["RateLimit": "\"d\";at=@1;by=%\"%c3%bc;\";r=0;t=3"], 3),
        ] as [(HeaderFields, Int?)])
    func `the RateLimit fields of a response are parsed`(headers: HeaderFields, seconds: Int?) {
        let fields = RateLimitFields(headers)
        #expect(fields.pause == seconds.map { .seconds($0) })
        #expect(fields.malformed.isEmpty)
    }

    @Test(arguments: [
        "", ";r=0", "\"d", "\"d\";r=x;t=3", "\"d\";r=-1", "\"d\";r=0;t=", "\"d\";r=0;t=99999999999999999999", ",", "\"d\";=3",
    ])
    func `a malformed RateLimit field is ignored`(text: String) {
        let fields = RateLimitFields(["RateLimit": text])
        #expect(fields.pause == nil)
        #expect(fields.malformed == ["RateLimit"])
    }

    @Test func `requests are delayed by the rate limit and by the quota of the server`() async throws {
        let clock = ManualClock()
        let limiter = RateLimiter(RateLimit(1, per: .seconds(1)), clock: clock)
        let send: @Sendable (HeaderFields) async -> Result<NetworkResponse, TransportError> = { headers in
            await result { () throws(TransportError) in
                try await limiter.intercept(.make(), next: NetworkExchange { _ in .make(200, headers) })
            }
        }
        #expect(await send([:]).status == 200)
        let second = Task { await send(["RateLimit": "\"d\";r=0;t=20"]) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        #expect(await second.value.status == 200)
        let third = Task { await send([:]) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(19))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        #expect(await third.value.status == 200)
    }

    @Test func `a delay past the deadline or the maximum delay fails immediately`() async {
        let clock = ManualClock()
        let limiter = RateLimiter(RateLimit(1, per: .seconds(100)), clock: clock)
        var request = NetworkRequest.make()
        #expect(
            await result { () throws(TransportError) in
                try await limiter.intercept(request, next: NetworkExchange { _ in .make() })
            }.status == 200)
        #expect(
            await result { () throws(TransportError) in
                try await limiter.intercept(request, next: NetworkExchange { _ in .make() })
            }.code
                == .notAdmitted)
        request.deadline = Deadline(after: .seconds(2), clock: clock)
        #expect(
            await result { () throws(TransportError) in
                try await limiter.intercept(request, next: NetworkExchange { _ in .make() })
            }.code
                == .notAdmitted)
    }

    @Test(arguments: [
        (RateLimit(0, per: .seconds(1)), "requests"), (RateLimit(1, per: .zero), "period"),
        (RateLimit(1, per: .seconds(1), burst: 0), "burst"),
    ])
    func `an invalid rate limit is an error that names the field`(limit: RateLimit, field: String) async {
        let outcome = await result { () throws(TransportError) in
            try await RateLimiter(limit).intercept(.make(), next: NetworkExchange { _ in .make() })
        }
        guard case .failure(let error) = outcome else {
            Issue.record("The request was admitted.")
            return
        }
        #expect(error.code == .invalidConfiguration && error.message.contains(field))
    }
}
