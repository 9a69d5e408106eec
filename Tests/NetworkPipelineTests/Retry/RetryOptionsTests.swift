import Endpoints
import Foundation
import NetworkCore
import NetworkTesting
import Testing

@testable import NetworkPipeline

extension RetryFacts {
    static func make(
        _ outcome: Result<NetworkResponse, TransportError> = .make(503), request: NetworkRequest = .make(), attempt: Int = 1,
        remaining: Duration? = nil, hasBudget: Bool = true, random: Double = 0.5
    ) -> RetryFacts {
        var failed = RetryAttempt(of: request, number: attempt, outcome: outcome)
        failed.remaining = remaining
        return RetryFacts(
            attempt: failed, takeFromBudget: { hasBudget }, random: random, now: Date(timeIntervalSince1970: 784_111_777))
    }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    static func make(_ status: Int, _ headers: HeaderFields = [:]) -> Self {
        .success(NetworkResponse(statusCode: status, headers: headers, url: URL(string: "https://api.test/a")!))
    }

    static func make(_ code: TransportError.Code, _ phase: TransportError.Phase? = nil) -> Self {
        .failure(TransportError(code, "stubbed", phase: phase))
    }
}

struct RetryOptionsTests {
    private func isRetried(_ facts: RetryFacts, _ policy: RetryOptions = RetryOptions()) -> Bool {
        if case .retry = policy.decision(facts) { true } else { false }
    }

    private func delay(_ facts: RetryFacts, _ policy: RetryOptions = RetryOptions()) -> Duration? {
        if case .retry(let delay, _) = policy.decision(facts) { delay } else { nil }
    }

    @Test func `the causes that are retried by default are those of which an error says that it is retryable`() throws {
        let codes: [TransportError.Code] = [
            .timedOut, .nameLookupFailed, .cannotConnect, .connectionLost, .incompleteBody, .proxyFailed, .outOfResources,
        ]
        let statuses = [408, 425, 429, 502, 503, 504]
        #expect(RetryCause.standard == Set(codes.map(RetryCause.failure) + statuses.map(RetryCause.status)))
        for (cause, reason) in RetryCause.table {
            let outcome: Result<NetworkResponse, TransportError>
            let error: NetworkError
            switch cause {
            case .status(let status):
                outcome = .make(status)
                error = .status(try outcome.get())
            case .failure(let code):
                outcome = .make(code)
                error = NetworkError(TransportError(code, ""))
            }
            let isOn = RetryCause.standard.contains(cause)
            #expect(isRetried(.make(outcome)) == isOn && error.isRetryable == isOn && !reason.isEmpty, "\(cause)")
        }
    }

    @Test(arguments: [200, 204, 301, 304, 400, 401, 403, 404, 409, 501, 599])
    func `a status that is not a retry cause is not retried`(status: Int) {
        #expect(!isRetried(.make(.make(status))))
    }

    @Test func `each cause can be enabled and disabled`() {
        let policy = RetryOptions(causes: RetryCause.standard.union([.status(500)]).subtracting([.status(503)]))
        #expect(isRetried(.make(.make(500)), policy))
        #expect(!isRetried(.make(.make(503)), policy))
    }

    // RFC 9110 §9.2.2
    @Test(arguments: [
        (RequestMethod.get, true), (.head, true), (.options, true), (.put, true), (.delete, true), (.post, false),
        (.patch, false),
        (RequestMethod("PURGE"), false),
    ])
    func `only idempotent methods are retried by default`(method: RequestMethod, isRetriedNow: Bool) {
        #expect(isRetried(.make(request: .make(method))) == isRetriedNow)
    }

    @Test func `the isIdempotent property or an idempotency key overrides the method`() {
        var post = NetworkRequest.make(.post)
        post.isIdempotent = true
        #expect(isRetried(.make(request: post)))
        var put = NetworkRequest.make(.put)
        put.isIdempotent = false
        #expect(!isRetried(.make(request: put)))
        var keyed = NetworkRequest.make(.post)
        keyed.headers["Idempotency-Key"] = "\"1\""
        #expect(isRetried(.make(request: keyed)))
    }

    @Test(arguments: [
        (TransportError.Phase.queued, true), (.nameLookup, true), (.connect, true), (.tls, true), (.send, false),
        (.firstByte, false),
        (.receive, false),
    ])
    func `a POST is retried only if it failed before it was sent`(phase: TransportError.Phase, isRetriedNow: Bool) {
        #expect(isRetried(.make(.make(.timedOut, phase), request: .make(.post))) == isRetriedNow)
    }

    @Test func `a request with a body that is not replayable is not retried`() {
        let singleUse = NetworkBody.stream(AsyncStream<Data> { $0.finish() })
        let replayable = NetworkBody.stream { AsyncStream<Data> { $0.finish() } }
        #expect(!isRetried(.make(request: .make(.put, body: singleUse))))
        #expect(isRetried(.make(request: .make(.put, body: replayable))))
    }

    @Test func `the number of attempts is limited to the maximum`() {
        #expect(isRetried(.make(attempt: 2)))
        #expect(!isRetried(.make(attempt: 3)))
        #expect(!isRetried(.make(attempt: 1), RetryOptions(maximumAttempts: 1)))
    }

    @Test func `no retry is started if the pause would reach the deadline`() {
        let policy = RetryOptions(backoff: Backoff(base: .seconds(1)))
        #expect(isRetried(.make(remaining: .milliseconds(501)), policy))
        #expect(!isRetried(.make(remaining: .milliseconds(500)), policy))
        #expect(!isRetried(.make(remaining: .zero), policy))
    }

    @Test func `an empty budget prevents a retry, and is checked last`() {
        #expect(!isRetried(.make(hasBudget: false)))
        var facts = RetryFacts.make(.make(404))
        facts.takeFromBudget = {
            Issue.record("The budget was used for a request that is not retried.")
            return true
        }
        #expect(!isRetried(facts))
    }

    @Test(arguments: [(2, 200), (3, 400), (4, 800), (9, 20_000), (100, 20_000), (Int.max, 20_000)])
    func `the upper bound of the pause doubles up to the maximum`(attempt: Int, milliseconds: Int) {
        #expect(Backoff().bound(beforeAttempt: attempt) == .milliseconds(milliseconds))
        #expect(Backoff().delay(beforeAttempt: attempt, random: 0) == .zero)
        #expect(Backoff().delay(beforeAttempt: attempt, random: 0.5) == .milliseconds(milliseconds) / 2)
    }

    @Test func `a pause after failures is the whole bound, a random part of it, or what the server asks for, up to the maximum`()
    {
        let random = Backoff(base: .seconds(1), maximumDelay: .seconds(5))
        var whole = random
        whole.isRandom = false
        func pauses(_ backoff: Backoff, _ requested: Duration? = nil) -> [Duration] {
            [1, 2, 3, 4, 1000, .max].map { backoff.pause(afterFailures: $0, requested: requested, random: 0.5) }
        }
        #expect(pauses(whole) == [1, 2, 4, 5, 5, 5].map { .seconds($0) })
        #expect(pauses(random) == [0.5, 1, 2, 2.5, 2.5, 2.5].map { .seconds($0) })
        #expect(pauses(random, .seconds(2)) == [2, 2, 2, 2.5, 2.5, 2.5].map { .seconds($0) })
        #expect(pauses(random, .seconds(1 << 31)) == Array(repeating: .seconds(5), count: 6))
        #expect(pauses(Backoff(base: .seconds(-1), maximumDelay: .seconds(Int64.max))) == Array(repeating: .zero, count: 6))
    }

    // RFC 9110 §10.2.3
    @Test(arguments: [
        ("2", Duration.seconds(2)), (" 2 ", .seconds(2)), ("0", .zero), ("007", .seconds(7)),
        ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)), ("Sun, 06 Nov 1994 08:49:27 GMT", .zero),
        ("Sunday, 06-Nov-94 08:49:47 GMT", .seconds(10)),
    ])
    func `the pause is the Retry-After of the server plus the backoff`(value: String, pause: Duration) {
        #expect(delay(.make(.make(503, ["Retry-After": value]), random: 0)) == pause)
        #expect(delay(.make(.make(429, ["Retry-After": value]), random: 0.5)) == pause + .milliseconds(100))
    }

    @Test func `a Retry-After date is relative to the Date of the response`() {
        let headers: HeaderFields = ["Retry-After": "Sun, 06 Nov 1994 12:00:05 GMT", "Date": "Sun, 06 Nov 1994 12:00:00 GMT"]
        #expect(delay(.make(.make(503, headers), random: 0)) == .seconds(5))
    }

    @Test(arguments: ["", "-1", "soon", "٣", "Sun, 99 Nov 1994 08:49:37 GMT"])
    func `after a Retry-After that is not understood the pause is the whole bound of the backoff`(value: String) {
        let facts = RetryFacts.make(.make(503, ["Retry-After": value]), random: 0.01)
        #expect(delay(facts) == .milliseconds(200) && RetryOptions().requestedPause(facts).malformed == ["Retry-After"])
    }

    @Test func `other fields than Retry-After are used by choice, and the longest pause applies`() {
        // 784,111,777 is the date of the facts.
        let rows: [(HeaderFields, Set<PauseField>, Double?)] = [
            (["retry-after-ms": "1500"], [.retryAfter], nil), (["retry-after-ms": "1500"], RetryOptions().pauseFields, 1.5),
            (["retry-after-ms": "640", "Retry-After": "1"], RetryOptions().pauseFields, 1),
            (["RateLimit": "\"default\";r=0;t=30"], RetryOptions().pauseFields, nil),
            (["RateLimit": "\"default\";r=0;t=30"], [.rateLimit], 30), (["RateLimit": "\"default\";r=1;t=30"], [.rateLimit], nil),
            (["RateLimit": "limit=100, remaining=0, reset=20"], [.rateLimit], 20),
            (["RateLimit-Remaining": "0", "RateLimit-Reset": "7"], [.rateLimit], 7),
            (["RateLimit-Remaining": "1", "RateLimit-Reset": "7"], [.rateLimit], nil),
            (["X-RateLimit-Reset": "784111787"], [.rateLimit], nil), (["X-RateLimit-Reset": "30"], [.rateLimitReset], 30),
            (["X-RateLimit-Reset": "30", "X-RateLimit-Remaining": "2"], [.rateLimitReset], nil),
            (["X-RateLimit-Reset": "1800000010", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], [.rateLimitReset], 10),
            (["X-RateLimit-Reset": "1800000010500", "Date": "Fri, 15 Jan 2027 08:00:00 GMT"], [.rateLimitReset], 10.5),
            (["X-RateLimit-Reset": "1994-11-06T08:49:47Z", "X-RateLimit-Remaining": "0"], [.rateLimitReset], 10),
            (["X-RateLimit-Reset": "6m0s"], [.rateLimitReset], nil),
        ]
        for (headers, fields, seconds) in rows {
            let expected = seconds.map { Duration.milliseconds(Int64($0 * 1000)) } ?? .zero
            let pause = delay(.make(.make(429, headers), random: 0), RetryOptions(pauseFields: fields))
            // A pause of 6 minutes is longer than the maximum.
            #expect(pause == (headers["X-RateLimit-Reset"] == "6m0s" ? nil : expected), "\(headers)")
        }
    }

    @Test(arguments: ["61", "99999999999999999999999999", "Sun, 06 Nov 2044 08:49:37 GMT"])
    func `a response with a Retry-After above the limit is not retried`(value: String) {
        #expect(!isRetried(.make(.make(503, ["Retry-After": value]))))
    }

    @Test func `a budget with a share of one fifth permits one retry for five requests`() {
        let budget = RetryBudget(share: 0.2, reserve: 2)
        #expect(budget.withdraw() && budget.withdraw() && !budget.withdraw())
        for _ in 0..<4 { budget.deposit() }
        #expect(!budget.withdraw())
        budget.deposit()
        #expect(budget.withdraw() && !budget.withdraw())
        for _ in 0..<1000 { budget.deposit() }
        #expect(budget.available == 2)
    }
}
