import Endpoints
import Foundation
import NetworkCore

/// Sends a request again when it failed in a way that may pass, and when that is harmless.
///
/// ```swift
/// DefaultDataTransferService(configuration: api, interceptors: [.retry(RetryPolicy(maximumAttempts: 4))])
/// ```
///
/// Only idempotent requests are repeated (``Endpoints/NetworkRequest/isIdempotent``), and others that failed before a byte of them was
/// sent; never one whose body can be read only once, and never past the deadline. What the last attempt brought is the result.
///
/// In a streamed exchange only what comes before the body can be repeated. The body of a download to a file that breaks off is an attempt too:
/// it goes on with the bytes that are there (`Range`, `If-Range`), as one of as many attempts, with the same pauses and budget.
public struct RetryInterceptor: NetworkInterceptor {
    private let policy: RetryPolicy
    private let budget: RetryBudget?
    private let sleep: @Sendable (Duration) async throws -> Void
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Date
    private let configurationError: String?
    private let malformed = MalformedFields()

    /// - Parameters:
    ///   - policy: Whether and when.
    ///   - budget: Shared with others that talk to the same servers; one of its own by default, `nil` for none.
    ///   - clock: What pauses are measured with.
    ///   - random: Numbers in 0..<1 for the jitter.
    ///   - now: What dates in `Retry-After` are compared with.
    public init(
        policy: RetryPolicy = RetryPolicy(), budget: RetryBudget? = RetryBudget(), clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.policy = policy
        self.budget = budget
        self.random = random
        self.now = now
        sleep = { try await clock.sleep(bounded: $0) }
        configurationError = policy.configurationError ?? budget?.configurationError
    }

    /// Sends the request until it succeeds, or another attempt is of no use.
    ///
    /// - Throws: What the last attempt threw; ``NetworkCore/TransportError/Code/invalidConfiguration`` where the policy makes no sense;
    ///   ``NetworkCore/TransportError/Code/cancelled`` when the task is cancelled in a pause.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError {
            throw TransportError(.invalidConfiguration, "retry: \(configurationError)", request: request)
        }
        // A download that goes on is the same call.
        let continuation = request.context.continuation
        let attemptsBefore = continuation?.attempts ?? 0
        if attemptsBefore == 0 { budget?.deposit() }
        var attempt = attemptsBefore + 1
        while true {
            let outcome: Result<NetworkResponse, TransportError>
            do throws(TransportError) {
                let response = try await next(request)
                if response.statusCode < 400, !policy.causes.contains(.status(response.statusCode)) {
                    if let continuation, response.stream != nil { expectBody(continuation, attempt, request) }
                    return response.numbered(attempt)
                }
                outcome = .success(response.numbered(attempt))
            } catch {
                outcome = .failure(error)
            }
            guard try await pauses(after: outcome, ofAttempt: attempt, request) else {
                return try outcome.mapError { $0.numbered(attempt) }.get()
            }
            attempt += 1
        }
    }

    /// Whether another attempt follows. Returns when it is time for it.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cancelled`` when the task is cancelled before.
    private func pauses(
        after outcome: Result<NetworkResponse, TransportError>, ofAttempt attempt: Int, _ request: NetworkRequest
    ) async throws(TransportError) -> Bool {
        let facts = RetryFacts(
            request: request, outcome: outcome, attempt: attempt, remaining: request.deadline?.remaining,
            takeFromBudget: { budget?.withdraw() ?? true }, random: random(), now: now())
        guard case .retry(let delay, let reason) = policy.decision(facts) else { return false }
        if case .success(let response) = outcome {
            response.stream?.stop()
            if RetryAfter(response.headers, now: facts.now) == .malformed { malformed.note("Retry-After", in: request) }
        }
        request.record?.report(.retried(after: delay, because: reason))
        do {
            try await sleep(delay)
        } catch {
            throw TransportError(.cancelled, "called off before attempt \(attempt + 1)", request: request)
        }
        return true
    }

    /// The body of a download may break off after this interceptor has returned.
    private func expectBody(_ continuation: TransferContinuation, _ attempt: Int, _ request: NetworkRequest) {
        // The continuation keeps the closure, so the request in the closure must not keep the continuation.
        var request = request
        request.context.continuation = nil
        continuation.expectBody(ofAttempt: attempt) { [request] (error) async throws(TransportError) in
            try await pauses(after: .failure(error), ofAttempt: attempt, request)
        }
    }
}

extension NetworkResponse {
    fileprivate func numbered(_ attempt: Int) -> NetworkResponse {
        if attempt == 1 { return self }
        var response = self
        response.timings.attempt = attempt
        return response
    }
}

extension TransportError {
    fileprivate func numbered(_ attempts: Int) -> TransportError {
        if attempts == 1 { return self }
        var error = self
        error.attempts = attempts
        return error
    }
}

extension NetworkInterceptor where Self == RetryInterceptor {
    /// Sends a request again when it failed in a way that may pass, and when that is harmless.
    public static func retry(_ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget? = RetryBudget()) -> RetryInterceptor {
        RetryInterceptor(policy: policy, budget: budget)
    }
}

/// Bounds the load that retries add when a server fails for everybody: each call pays in a part of a retry, each retry takes out a whole one.
///
/// Share one among all that talk to the same servers.
public final class RetryBudget: Sendable {
    private let balance: Locked<Double>
    private let share: Double
    private let reserve: Double

    /// - Parameters:
    ///   - share: Retries per call, in the long run. 0.2 unless given: retries add a fifth to the load at most.
    ///   - reserve: Retries that are there at the beginning, and the most that are saved up. 10 unless given.
    public init(share: Double = 0.2, reserve: Double = 10) {
        self.share = share
        self.reserve = reserve
        balance = Locked(reserve)
    }

    /// Whole retries that could be made now.
    public var available: Int { Int(balance.withLock { $0 }.clamped(to: 0...1_000_000, nan: 0)) }

    func deposit() {
        balance.withLock { $0 = min($0 + share, reserve) }
    }

    func withdraw() -> Bool {
        balance.withLock { balance in
            // Sums of 0.2 fall short of 1 by a hair.
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
