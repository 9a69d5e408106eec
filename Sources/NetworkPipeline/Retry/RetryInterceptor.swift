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
public struct RetryInterceptor: NetworkInterceptor, RetryAttemptPolicy {
    private let options: RetryOptions
    private let budget: RetryBudget?
    private let time: TimeSource
    private let random: @Sendable () -> Double
    private let now: @Sendable () -> Date
    private let configurationError: String?
    /// Whether a status below 400 is among the causes.
    private let repeatsSuccess: Bool

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
        repeatsSuccess = options.causes.contains { if case .status(..<400) = $0 { true } else { false } }
    }

    /// Sends the request until it succeeds or no further attempt is allowed.
    ///
    /// - Throws: What the last attempt threw; ``NetworkCore/TransportError/Code/invalidConfiguration`` if the options or the
    ///   budget is invalid; ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in a pause.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        try validate(for: request)
        let request = request
        // A resumed download belongs to the same call.
        let step = request.context.transferStep
        var number = (step?.attempts ?? 0) + 1
        if number == 1 { budget?.deposit() }
        var last: RetryAttempt?
        while true {
            let outcome: Result<NetworkResponse, TransportError>
            do throws(TransportError) {
                var response = try await next(request)
                if number > 1 { response.timings.attempt = number }
                if step != nil { response.countedAttempt = CountedAttempt(of: request, number: number, policy: self) }
                if response.statusCode < 400, !repeatsSuccess || !options.causes.contains(.status(response.statusCode)) {
                    return response
                }
                outcome = .success(response)
            } catch {
                // Nothing was sent: what the last attempt has led to says more.
                if error.code == .notAdmitted, var last {
                    last.end(.notAdmitted)
                    return try last.outcome.get()
                }
                var error = error
                if number > 1 { error.attempts = number }
                if step != nil { error.countedAttempt = CountedAttempt(of: request, number: number, policy: self) }
                outcome = .failure(error)
            }
            if case .upload = step { return try outcome.get() }
            var attempt = RetryAttempt(of: request, number: number, outcome: outcome)
            guard try await permitsRetry(after: &attempt) else { return try attempt.outcome.get() }
            last = attempt
            number += 1
        }
    }

    private func validate(for request: borrowing NetworkRequest) throws(TransportError) {
        guard let configurationError else { return }
        throw TransportError(.invalidConfiguration, "retry: \(configurationError)", request: copy request)
    }

    /// Decides by the options whether an attempt is followed by another one, takes that from the budget, and waits until it is due.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled in the pause;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the options or the budget is invalid.
    public func permitsRetry(after attempt: inout RetryAttempt) async throws(TransportError) -> Bool {
        try validate(for: attempt.request)
        let facts = RetryFacts(
            attempt: attempt, takeFromBudget: { budget?.withdraw() ?? true }, random: random(), now: now())
        let (delay, reason): (Duration, String)
        switch options.decision(facts) {
        case .retry(let after, let because): (delay, reason) = (after, because)
        case .stop: return false
        case .end(let end):
            attempt.end(end)
            return false
        }
        if case .success(let response) = attempt.outcome {
            response.body.stop()
            for field in options.requestedPause(facts).malformed {
                attempt.request.report(.ignored(field: field, origin: attempt.request.origin))
            }
        }
        attempt.request.report(.retried(after: delay, because: reason))
        do {
            try await time.sleep(for: delay)
        } catch {
            throw TransportError(.cancelled, "cancelled before attempt \(attempt.number + 1)", request: attempt.request)
        }
        return true
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
