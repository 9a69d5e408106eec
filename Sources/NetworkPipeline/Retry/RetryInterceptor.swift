import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that sends a request again after a temporary failure, if repeating it is safe.
///
/// ```swift
/// let options = RetryOptions(maximumAttempts: 4)
/// DefaultDataTransferService(configuration: api, interceptors: [.retry(options)])
/// ```
///
/// Idempotent requests (``Endpoints/NetworkRequest/isIdempotent``) are repeated, and others only if they failed before any
/// byte was sent, or the server refused them without processing them. Requests whose body can be read only once are never repeated, and no attempt is started after the
/// deadline. The result is that of the last attempt.
///
/// For a streamed response, only failures before the body are retried. For a download to a file, an interrupted body is a
/// failed attempt too: the next attempt requests the rest of the file (`Range`, `If-Range`), and counts towards the same
/// maximum number of attempts, with the same pauses and budget. The same applies to a resumable upload, which asks for the
/// position to continue from instead of sending the failed request again, and whose attempts are counted since its last progress.
public struct RetryInterceptor: PhasedInterceptor {
    private let options: RetryOptions
    private let budget: RetryBudget?
    private let time: TimeSource
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Date
    private let configurationError: String?
    private let malformed = MalformedFields()

    /// Creates an interceptor that retries as its options say.
    ///
    /// - Parameters:
    ///   - options: Which failures are retried, how often, and after which pauses.
    ///   - budget: A limit on the share of retries, to be shared by all interceptors for the same servers. By default a
    ///     separate budget; `nil` means no limit.
    ///   - clock: The clock that measures pauses.
    ///   - random: Returns a number in 0..<1 for the jitter.
    ///   - now: Returns the date to compare dates in `Retry-After` with.
    public init(
        options: RetryOptions = RetryOptions(), budget: RetryBudget? = RetryBudget(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.options = options
        self.budget = budget
        self.random = random
        self.now = now
        time = TimeSource(clock)
        configurationError = options.configurationError ?? budget?.configurationError
    }

    /// Sends the request until it succeeds or no further attempt is allowed.
    ///
    /// - Throws: What the last attempt threw; ``NetworkCore/TransportError/Code/invalidConfiguration`` if the options or the
    ///   budget is invalid; ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in a pause.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await inPhases(request, next: next)
    }

    package func prepare(_ request: inout NetworkRequest) throws(TransportError) -> InterceptorState? {
        if let configurationError {
            throw TransportError(.invalidConfiguration, "retry: \(configurationError)", request: request)
        }
        // A resumed download belongs to the same call.
        let attemptsBefore = request.context.continuation?.attempts ?? 0
        if attemptsBefore == 0 { budget?.deposit() }
        return .attempt(request, attemptsBefore + 1)
    }

    package func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        guard case .attempt(let request, let attempt) = state else { return true }
        return receive(&response, ofAttempt: attempt, request)
    }

    /// Numbers a response, and returns whether it is final.
    private func receive(_ response: inout NetworkResponse, ofAttempt attempt: Int, _ request: NetworkRequest) -> Bool {
        if attempt > 1 { response.timings.attempt = attempt }
        guard response.statusCode < 400, !options.causes.contains(.status(response.statusCode)) else { return false }
        if !response.body.isInMemory, let continuation = request.context.continuation {
            expectBody(continuation, attempt, request)
        }
        return true
    }

    package func fail(_ error: inout TransportError, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        guard case .attempt(_, let attempt) = state else { return true }
        if attempt > 1 { error.attempts = attempt }
        return false
    }

    package func proceed(
        from state: InterceptorState, after result: Result<NetworkResponse, TransportError>, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        guard case .attempt(let request, var attempt) = state else { return try result.get() }
        if let continuation = request.context.continuation, continuation.handlesFailures {
            expectNextRequest(continuation, attempt, request, after: result)
            return try result.get()
        }
        var result = result
        while try await pauses(after: &result, ofAttempt: attempt, request) {
            attempt += 1
            do throws(TransportError) {
                var response = try await next(request)
                if receive(&response, ofAttempt: attempt, request) { return response }
                result = .success(response)
            } catch {
                // Nothing was sent: what the last attempt has led to says more.
                if error.code == .notAdmitted {
                    result.end(.notAdmitted)
                    break
                }
                var error = error
                error.attempts = attempt
                result = .failure(error)
            }
        }
        return try result.get()
    }

    /// Pauses before the next attempt, and returns `true`; returns `false` at once if no attempt is left, and adds the reason to the outcome.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in the pause.
    private func pauses(
        after outcome: inout Result<NetworkResponse, TransportError>, ofAttempt attempt: Int, _ request: NetworkRequest
    ) async throws(TransportError) -> Bool {
        let facts = RetryFacts(
            request: request, outcome: outcome, attempt: attempt, remaining: request.deadline?.remaining,
            takeFromBudget: { budget?.withdraw() ?? true }, random: random(), now: now())
        let (delay, reason): (Duration, String)
        switch options.decision(facts) {
        case .retry(let after, let because): (delay, reason) = (after, because)
        case .stop: return false
        case .end(let end):
            outcome.end(end)
            return false
        }
        if case .success(let response) = outcome {
            response.body.stop()
            for field in options.requestedPause(facts).malformed { malformed.note(field, in: request) }
        }
        request.record?.report(.retried(after: delay, because: reason))
        do {
            try await time.sleep(for: delay)
        } catch {
            throw TransportError(.cancelled, "cancelled before attempt \(attempt + 1)", request: request)
        }
        return true
    }

    /// Sets what happens when the body of a download is interrupted after this interceptor has returned.
    private func expectBody(_ continuation: TransferContinuation, _ attempt: Int, _ request: NetworkRequest) {
        // The continuation keeps the closure, so the request in the closure must not keep the continuation.
        var request = request
        request.context.continuation = nil
        continuation.expectBody(ofAttempt: attempt) { [request] (error) async throws(TransportError) in
            var outcome = Result<NetworkResponse, TransportError>.failure(error)
            return try await pauses(after: &outcome, ofAttempt: attempt, request)
        }
    }

    /// Sets what happens after the failure of a request of an upload, which continues with another request.
    private func expectNextRequest(
        _ continuation: TransferContinuation, _ attempt: Int, _ request: NetworkRequest,
        after result: Result<NetworkResponse, TransportError>
    ) {
        var request = request
        request.context.continuation = nil
        // The next request asks for the position from which the upload continues, so no byte takes effect twice.
        request.isIdempotent = true
        let cause = result.map { response in
            // The decision is made from the head.
            var head = response
            head.data = Data()
            return head
        }
        continuation.expectBody(ofAttempt: attempt) { [request] (_) async throws(TransportError) in
            var outcome = cause
            return try await pauses(after: &outcome, ofAttempt: attempt, request)
        }
    }
}

extension Result where Success == NetworkResponse, Failure == TransportError {
    /// Adds the reason for which no further attempt was made.
    fileprivate mutating func end(_ end: RetryEnd) {
        switch self {
        case .success(var response):
            response.timings.retryEnd = end
            self = .success(response)
        case .failure(var error):
            error.retryEnd = end
            self = .failure(error)
        }
    }
}

extension NetworkInterceptor where Self == RetryInterceptor {
    /// Sends a request again after a temporary failure, if repeating it is safe.
    public static func retry(_ options: RetryOptions = RetryOptions(), budget: RetryBudget? = RetryBudget()) -> RetryInterceptor {
        RetryInterceptor(options: options, budget: budget)
    }

    /// Unavailable: a number is one of several options.
    @available(*, unavailable, message: "write `.retry(RetryOptions(maximumAttempts: 3))`")
    @_disfavoredOverload
    public static func retry(_ maximumAttempts: Int) -> RetryInterceptor { .retry() }
}

/// A limit on the load that retries, or the second attempts of a ``HedgingInterceptor``, add when a server fails or is slow.
///
/// Each call adds a fraction of a retry to the budget, and each retry takes a whole one from it.
///
/// Share one budget among all retry interceptors for the same servers.
public final class RetryBudget: Sendable {
    private let balance: Locked<Double>
    private let share: Double
    private let reserve: Double

    /// Creates a budget that is full at the beginning.
    ///
    /// Invalid values make every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - share: The number of retries per call, on average, 0 to 100. Default: 0.2; retries then add at most a fifth to
    ///     the load.
    ///   - reserve: The number of retries in the budget at the beginning and the most that it holds, 0 to 1,000,000.
    ///     Default: 10.
    public init(share: Double = 0.2, reserve: Double = 10) {
        self.share = share
        self.reserve = reserve
        balance = Locked(reserve)
    }

    /// The number of retries that the budget currently allows.
    package var available: Int { Int(balance.withLock { $0 }.clamped(to: 0...1_000_000, nan: 0)) }

    func deposit() {
        balance.withLock { $0 = min($0 + share, reserve) }
    }

    func withdraw() -> Bool {
        balance.withLock { balance in
            // Because of rounding, a sum of 0.2s can be slightly below 1.
            guard balance > 1 - 1e-9 else { return false }
            balance -= 1
            return true
        }
    }

    var configurationError: String? {
        if !(share >= 0 && share <= 100) { return "budget.share is \(share); it must be 0...100" }
        if !(reserve >= 0 && reserve <= 1_000_000) { return "budget.reserve is \(reserve); it must be 0...1000000" }
        return nil
    }
}

extension RetryInterceptor: RedactedStringConvertible {}
