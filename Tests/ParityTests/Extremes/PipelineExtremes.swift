import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkTesting

/// Interceptors and their rules.
extension ExtremeCall {
    private static let api = APIConfiguration(baseURL: URL(string: "https://api.test")!)

    /// Sends a request to a stub that responds with 503 and a pause, then 200. Cancels the request while it waits.
    private static func send(_ interceptors: [any NetworkInterceptor], deadline: RequestDeadline = .default) async {
        let session = StubSessionManager()
        session.enqueue(.status(503, headers: ["Retry-After": "0", "RateLimit": "x;r=0;t=999999999999999"]))
        session.enqueue(.status(200, headers: ["RateLimit": "x;r=0;t=99"]))
        session.route { _ in .text("ok") }
        let service = DefaultNetworkService(configuration: api, sessionManager: session, interceptors: interceptors)
        var endpoint = Endpoint<String>(path: "a", responseDecoder: .text)
        endpoint.timeouts.deadline = deadline
        let sent = endpoint
        let task = Task { try await service.response(for: sent) }
        // Long enough for requests that do not wait. Requests that wait are cancelled during their pause.
        let watch = Task {
            try await ContinuousClock().sleep(for: .milliseconds(20))
            task.cancel()
        }
        _ = await task.result
        watch.cancel()
    }

    /// Advances the clock in each attempt, and reports the time in the response.
    private struct Timed: NetworkInterceptor {
        let clock: ManualClock
        let time: Duration
        let number: Int

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            clock.advance(by: time)
            var response = try await next(request)
            clock.advance(by: time)
            response.timings = TransferTimings(
                queued: time, nameLookup: time, connect: time, firstByte: time, total: time, bytesSent: Int64(number),
                attempt: number)
            return response
        }
    }

    static let pipeline: [ExtremeCall] = [
        ExtremeCall("Backoff.init(base:factor:maximumDelay:)") {
            for (base, maximum) in Extreme.durations.flatMap({ base in Extreme.durations.map { (base, $0) } }) {
                for factor in Extreme.doubles {
                    let backoff = Backoff(base: base, factor: factor, maximumDelay: maximum)
                    for attempt in Extreme.integers {
                        _ = backoff.bound(beforeAttempt: attempt)
                        for random in Extreme.doubles { _ = backoff.delay(beforeAttempt: attempt, random: random) }
                    }
                }
            }
        },
        ExtremeCall("RetryOptions.init(maximumAttempts:backoff:maximumRetryAfter:causes:)") {
            for number in Extreme.integers {
                describe(RetryCause.status(number))
                await send([.retry(RetryOptions(maximumAttempts: number, causes: [.status(number), .status(503)]), budget: nil)])
            }
            for time in Extreme.durations {
                await send([.retry(RetryOptions(maximumRetryAfter: time), budget: nil)])
                await send([.retry(RetryOptions(backoff: Backoff(base: time)), budget: nil)])
                await send([.retry(RetryOptions(backoff: Backoff(maximumDelay: time)), budget: nil)])
                await send([.retry(RetryOptions(backoff: Backoff(base: time, maximumDelay: time)), budget: nil)])
            }
        },
        ExtremeCall("RetryBudget.init(share:reserve:)") {
            for (share, reserve) in Extreme.doubles.flatMap({ share in Extreme.doubles.map { (share, $0) } }) {
                let budget = RetryBudget(share: share, reserve: reserve)
                _ = budget.available
                await send([.retry(RetryOptions(backoff: Backoff(base: .zero)), budget: budget)])
                _ = budget.available
            }
        },
        ExtremeCall("CircuitBreakerOptions.init(failureRatio:window:minimumOutcomes:openDuration:probes:)") {
            var rules =
                Extreme.doubles.map { CircuitBreakerOptions(failureRatio: $0) }
                + Extreme.durations.map { CircuitBreakerOptions(openDuration: $0) }
            for number in Extreme.integers {
                rules += [
                    CircuitBreakerOptions(window: number), CircuitBreakerOptions(minimumOutcomes: number),
                    CircuitBreakerOptions(probes: number),
                    CircuitBreakerOptions(window: number, minimumOutcomes: number),
                ]
            }
            for rule in rules {
                let breaker = CircuitBreaker(options: rule)
                for _ in 0..<3 { await send([breaker]) }
                _ = breaker.openHosts
            }
        },
        ExtremeCall("ConcurrencyGate.init(maximumConcurrency:maximumConcurrencyPerHost:maximumWaiting:clock:)") {
            for number in Extreme.integers {
                await send([ConcurrencyGate(maximumConcurrency: number)])
                await send([ConcurrencyGate(maximumConcurrencyPerHost: number)])
                await send([ConcurrencyGate(maximumWaiting: number)])
            }
        },
        ExtremeCall("RateLimit.init(_:per:burst:)", "RateLimiter.init(_:maximumDelay:clock:)") {
            for time in Extreme.durations {
                for limiter in [
                    RateLimiter(RateLimit(1, per: time)), RateLimiter(RateLimit(1, per: .seconds(1)), maximumDelay: time),
                    RateLimiter(nil, maximumDelay: time),
                ] { for _ in 0..<3 { await send([limiter]) } }
            }
            for number in Extreme.integers {
                for limit in [RateLimit(number, per: .seconds(1)), RateLimit(1, per: .seconds(1), burst: number)] {
                    let limiter = RateLimiter(limit)
                    for _ in 0..<3 { await send([limiter]) }
                }
            }
        },
        ExtremeCall("NetworkInterceptor.deadline(_:clock:)") {
            for time in Extreme.durations {
                await send([.deadline(time), .retry(budget: nil)])
                await send([.deadline(time, clock: ManualClock())])
                await send([.deadline(.seconds(1)), .retry(budget: nil)], deadline: .limit(time))
                await send(RequestPipeline { $0.deadline = time }.interceptors)
            }
        },
        ExtremeCall(
            "Credential.init(expires:token:refreshToken:user:password:header:authorize:)",
            "Credential.bearer(_:refreshToken:expires:)", "Credential.basic(user:password:)", "Credential.header(_:for:)",
            "RefreshingCredentials.init(initial:timeout:clock:now:refresh:)"
        ) {
            // These credentials are also redacted from texts in other tests, so they must not be part of those texts.
            for text in Extreme.texts.map({ $0.utf8.count < 6 ? $0 : $0 + "~" }) {
                for credential in [
                    Credential.bearer(text, refreshToken: text), .basic(user: text, password: text), .header(text, for: text),
                    Credential(token: text, refreshToken: text, user: text, password: text) {
                        $0.setCredential(text, for: "X-Member")
                    },
                ] {
                    describe(credential)
                    await send([.authentication(credential, for: api)])
                }
            }
            for date in Extreme.dates {
                let credential = Credential.bearer("t", expires: date)
                describe(credential)
                describe(Credential(expires: date) { _ in })
                for now in [Date(), date] {
                    let credentials = RefreshingCredentials(initial: credential, now: { now }) { _ in credential }
                    await send([.authentication(credentials, for: api)])
                }
            }
            for time in Extreme.durations {
                let credentials = RefreshingCredentials(timeout: time) { _ in .bearer("t") }
                await send([.authentication(credentials, for: api)])
            }
        },
        ExtremeCall("TraceContext.init?(traceparent:tracestate:)") {
            for text in Extreme.texts {
                _ = TraceContext(traceparent: text, tracestate: text)
                let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
                describe(TraceContext(traceparent: valid, tracestate: text)?.child as Any)
            }
        },
        ExtremeCall("Waterfall.init(maximumCalls:)", "Waterfall.html(title:)") {
            for text in Extreme.texts { _ = Waterfall().html(title: text) }
            for (number, time) in Extreme.integers.flatMap({ number in Extreme.durations.map { (number, $0) } }) {
                for waterfall in [Waterfall(maximumCalls: number), Waterfall()] {
                    let clock = ManualClock()
                    let timed = Timed(clock: clock, time: time, number: number)
                    let again = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero)), budget: nil)
                    await send([ObservationInterceptor(waterfall, clock: clock), again, timed])
                    _ = waterfall.html()
                }
            }
        },
    ]
}
