import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct RetryInterceptorTests {
    private let clock = ManualClock()
    private let session = StubSessionManager()

    private func service(_ policy: RetryOptions = RetryOptions(), budget: RetryBudget? = nil) throws -> DefaultDataTransferService
    {
        let retry = RetryInterceptor(options: policy, budget: budget, clock: clock, random: { 0.5 })
        return DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: [retry])
    }

    private let get = Endpoint<String>(path: "a", responseDecoder: .text)

    /// Runs `work`, advances the clock by each expected pause, and checks that no pause is shorter or longer.
    private func advancing<Value: Sendable>(
        _ pauses: [Duration], _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        for pause in pauses {
            await clock.waitForSleepers(count: 1)
            clock.advance(by: pause - .nanoseconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .nanoseconds(1))
        }
        return try await task.value
    }

    @Test func `a request that succeeds is sent once`() async throws {
        session.enqueue(.text("ok"))
        #expect(try await service().request(get) == "ok")
        #expect(session.requests.count == 1)
    }

    @Test func `a failed request is retried after pauses, and the response has the number of the attempt`() async throws {
        session.enqueue(.status(503))
        session.enqueue(.failure(.connectionLost))
        session.enqueue(.text("ok"))
        let service = try service()
        let response = try await advancing([.milliseconds(100), .milliseconds(200)]) { try await service.response(for: get) }
        #expect(response.value == "ok")
        #expect(response.timings.attempt == 3)
        #expect(session.requests.count == 3)
    }

    @Test(.tags(.retriesAndHeaders)) func `after the last attempt its failure is the result`() async throws {
        for status in [503, 502, 504] { session.enqueue(.status(status)) }
        let service = try service()
        let error = await #expect(throws: DataTransferError.self) {
            try await advancing([.milliseconds(100), .milliseconds(200)]) { try await service.request(get) }
        }
        #expect(error?.statusCode == 504)
        #expect(session.requests.count == 3)
    }

    @Test func `cancelling ends the pause before a retry`() async throws {
        session.enqueue(.status(503))
        let service = try service()
        let task = Task { try await service.request(get) }
        await clock.waitForSleepers(count: 1)
        task.cancel()
        let error = await #expect(throws: DataTransferError.self) { try await task.value }
        #expect(error?.isCancelled == true)
        #expect(session.requests.count == 1)
    }

    @Test func `an error says why no further attempt was made`() async throws {
        let rows: [(StubResponse, RetryOptions, RetryBudget?, Endpoint<String>, String?)] = [
            (.status(503), RetryOptions(), RetryBudget(reserve: 0), get, "the budget for retries is used up"),
            (.failure(.connectionLost), RetryOptions(), RetryBudget(reserve: 0), get, "the budget for retries is used up"),
            (.status(503, headers: ["Retry-After": "61"]), RetryOptions(), nil, get, "longer pause than maximumRetryAfter"),
            (.status(503), RetryOptions(), nil, Endpoint(path: "a", method: .post), "is not idempotent"),
            (.status(404), RetryOptions(), nil, get, nil), (.status(503), RetryOptions(maximumAttempts: 1), nil, get, nil),
        ]
        for (response, options, budget, endpoint, reason) in rows {
            let session = StubSessionManager()
            session.enqueue(response)
            let service = DefaultDataTransferService(
                configuration: try APIConfiguration("http://api.test"), sessionManager: session,
                interceptors: [RetryInterceptor(options: options, budget: budget, clock: clock)])
            let error = await #expect(throws: DataTransferError.self) { try await service.request(endpoint) }
            let text = error?.description ?? ""
            #expect(reason.map(text.contains) ?? !text.contains("not sent again"), "\(text)")
        }
    }

    @Test func `a circuit that opens between attempts does not hide what the last attempt has led to`() async throws {
        session.route(.status(503), for: "/a")
        let breaker = CircuitBreaker(options: CircuitBreakerOptions(minimumOutcomes: 2))
        let service = DefaultDataTransferService(
            configuration: try APIConfiguration("http://api.test"), sessionManager: session,
            interceptors: [RetryInterceptor(options: RetryOptions(maximumAttempts: 4), clock: clock, random: { 0 }), breaker])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
        #expect(error?.statusCode == 503 && session.requests.count == 2)
        #expect(error?.description.contains("after 2 attempts, not sent again because a circuit breaker") == true)
        #expect(await #expect(throws: DataTransferError.self) { try await service.request(get) }?.statusCode == nil)
    }

    @Test(arguments: [nil, Duration.seconds(60)])
    func `the total timeout of the session manager limits each attempt, also with a deadline`(deadline: Duration?) async throws {
        var interceptors: [any NetworkInterceptor] = [RetryInterceptor(clock: clock, random: { 0 })]
        if let deadline { interceptors.insert(.deadline(deadline), at: 0) }
        let silent = try LoopbackServer { _ in LoopbackResponse.text("").fault(.stall) }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: silent.url),
            sessionManager: DefaultSessionManager(configuration: SessionConfiguration { $0.totalTimeout = .milliseconds(150) }),
            interceptors: interceptors)
        let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
        let failure = try #require(error?.networkError?.transportError)
        #expect(failure.isTimeout && failure.attempts == 3 && !failure.message.contains("deadline"), "\(failure)")
    }

    @Test func `a POST is retried only if the endpoint declares it idempotent`() async throws {
        session.enqueue(.status(503))
        let service = try service()
        let post = Endpoint<Void>(path: "a", method: .post)
        await #expect(throws: DataTransferError.self) { try await service.request(post) }
        var repeatable = post
        repeatable.isIdempotent = true
        session.enqueue(.status(503))
        session.enqueue(.status(204))
        let copy = repeatable
        try await advancing([.milliseconds(100)]) { try await service.request(copy) }
        #expect(session.requests.count == 3)
    }

    @Test func `a stream with a temporary error status is retried`() async throws {
        let attempts = Locked(0)
        let flaky = try LoopbackServer { _ in
            attempts.withLock { $0 += 1 }
            return attempts.withLock { $0 } == 1
                ? LoopbackResponse.text("busy", status: 503).fault(.stallBody(after: 2)) : .text("ok")
        }
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: flaky.url), sessionManager: DefaultSessionManager(),
            interceptors: [RetryInterceptor(clock: clock, random: { 0 })])
        let stream = try await service.stream(for: get)
        #expect(try await stream.response.body.collected() == Data("ok".utf8))
        #expect(attempts.withLock { $0 } == 2)
    }

    @Test func `the completion form retries`() async throws {
        session.enqueue(.status(503))
        session.enqueue(.text("ok"))
        let service = try service()
        let value = try await advancing([.milliseconds(100)]) {
            try await withCheckedContinuation { continuation in
                service.request(get) { continuation.resume(returning: $0) }
            }.get()
        }
        #expect(value == "ok")
    }

    @Test(arguments: [
        (RetryOptions(maximumAttempts: 0), "maximumAttempts"), (RetryOptions(maximumAttempts: -3), "maximumAttempts"),
        (RetryOptions(backoff: Backoff(base: .seconds(-1))), "backoff.base"),
        (RetryOptions(backoff: Backoff(factor: .nan)), "backoff.factor"),
        (RetryOptions(backoff: Backoff(base: .seconds(2), maximumDelay: .seconds(1))), "backoff.maximumDelay"),
        (RetryOptions(maximumRetryAfter: .seconds(-1)), "maximumRetryAfter"),
    ])
    func `an invalid retry option is an error that names the field`(options: RetryOptions, field: String) async throws {
        let service = try service(options)
        let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
        #expect(error?.networkError?.transportError?.code == .invalidConfiguration)
        #expect(error?.description.contains(field) == true)
        #expect(session.requests.isEmpty)
    }

    @Test func `the policy of an interceptor can be asked directly`() async throws {
        let options = RetryOptions(maximumAttempts: 2, backoff: Backoff(base: .zero))
        let policy: any RetryAttemptPolicy = RetryInterceptor(options: options, budget: RetryBudget(share: 0, reserve: 1))
        var attempt = RetryAttempt(of: .make(), number: 1, outcome: .failure(TransportError(.connectionLost, "lost")))
        #expect(try await policy.permitsRetry(after: &attempt))
        attempt.number = 2
        #expect(try await !policy.permitsRetry(after: &attempt))
        attempt.number = 1
        #expect(try await !policy.permitsRetry(after: &attempt))
        let error = #expect(throws: TransportError.self) { try attempt.outcome.get() }
        #expect(error?.description.contains("the budget for retries is used up") == true)
    }

    @Test func `an empty budget ends retries for all interceptors that share it`() async throws {
        let budget = RetryBudget(share: 0, reserve: 1)
        session.route { _ in .status(503) }
        let service = try service(RetryOptions(backoff: Backoff(base: .zero)), budget: budget)
        for _ in 0..<5 { await #expect(throws: DataTransferError.self) { try await service.request(get) } }
        #expect(session.requests.count == 6)
    }

    @Test func `the idempotency key is the same in all attempts of a call and different in the next call`() async throws {
        let session = StubSessionManager()
        session.route { _ in .status(503) }
        let pipeline = RequestPipeline {
            $0.deadline = nil
            $0.idempotencyKeys = .idempotencyKeys
            $0.retry = RetryInterceptor(options: RetryOptions(backoff: Backoff(base: .zero)))
        }
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: pipeline.interceptors)
        for _ in 0..<2 {
            await #expect(throws: NetworkError.self) { try await service.response(for: Endpoint<Void>(path: "a", method: .post)) }
        }
        let keys = session.requests.map { $0.headers["Idempotency-Key"] ?? "" }
        #expect(keys.count == 6 && Set(keys[..<3]).count == 1 && Set(keys[3...]).count == 1 && keys[0] != keys[5])
        #expect(keys[0].hasPrefix("\"") && keys[0].hasSuffix("\""))
    }
}
