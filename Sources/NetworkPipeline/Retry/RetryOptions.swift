import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The rules that decide whether, and when, a failed request is sent again.
public struct RetryOptions: Sendable {
    /// The maximum number of attempts, including the first, 1 to 100. Default: 3.
    public var maximumAttempts: Int
    /// The pauses before further attempts. Default: ``Backoff`` with its defaults.
    public var backoff: Backoff
    /// The longest pause that is accepted from one of the ``pauseFields``; if it is longer, the response is returned to the caller.
    ///
    /// Default: 60 seconds.
    public var maximumRetryAfter: Duration
    /// The header fields in which a server asks for a pause, of which the longest applies. Default: ``PauseField/retryAfter`` and
    /// ``PauseField/retryAfterMilliseconds``.
    ///
    /// No attempt is made before the end of that pause; the random backoff is added to it. After a field whose value is not understood, the
    /// pause is the whole bound of the backoff.
    public var pauseFields: Set<PauseField>
    /// The causes that are retried. Default: ``RetryCause/standard``.
    public var causes: Set<RetryCause>

    /// Creates options. The values are checked when a request passes the interceptor; invalid ones make every request fail.
    public init(
        maximumAttempts: Int = 3, backoff: Backoff = Backoff(), maximumRetryAfter: Duration = .seconds(60),
        pauseFields: Set<PauseField> = [.retryAfter, .retryAfterMilliseconds], causes: Set<RetryCause> = RetryCause.standard
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.maximumRetryAfter = maximumRetryAfter
        self.pauseFields = pauseFields
        self.causes = causes
    }

    var configurationError: String? {
        if !(1...100).contains(maximumAttempts) { return "maximumAttempts is \(maximumAttempts); it must be 1...100" }
        if maximumRetryAfter < .zero { return "maximumRetryAfter is \(maximumRetryAfter); it must not be negative" }
        return backoff.configurationError
    }
}

/// The pauses before further attempts, which grow exponentially and are random ("full jitter").
///
/// Each pause is a random duration below a growing bound, so that clients that failed at the same time do not retry at the
/// same time.
public struct Backoff: Sendable, Hashable {
    /// The bound before the second attempt, at most 24 hours. Default: 200 milliseconds.
    public var base: Duration
    /// The factor by which the bound grows with each further attempt, 1 to 1,000. Default: 2.
    public var factor: Double
    /// The maximum of the bound, at least ``base`` and at most 24 hours. Default: 20 seconds.
    public var maximumDelay: Duration

    /// Creates a backoff from these parameters.
    ///
    /// The values are checked when a request passes the interceptor; invalid ones make every request fail.
    public init(base: Duration = .milliseconds(200), factor: Double = 2, maximumDelay: Duration = .seconds(20)) {
        self.base = base
        self.factor = factor
        self.maximumDelay = maximumDelay
    }

    /// Returns the bound before an attempt, at most 10^9 seconds; zero if the factor is not a number.
    ///
    /// - Parameter attempt: The number of the attempt; 2 for the first retry.
    package func bound(beforeAttempt attempt: Int) -> Duration {
        var bound = base / .seconds(1)
        let limit = maximumDelay / .seconds(1)
        // After 64 doublings, the bound has reached any maximum. With a factor of 1, it does not change.
        for _ in 0..<(attempt.clamped(to: 2...66) - 2) where bound < limit { bound *= factor }
        return .bounded(seconds: min(bound, limit))
    }

    /// Returns the pause before an attempt.
    ///
    /// - Parameters:
    ///   - attempt: The number of the attempt; 2 for the first retry.
    ///   - random: A random number in 0..<1. The pause is this fraction of the bound.
    package func delay(beforeAttempt attempt: Int, random: Double) -> Duration {
        bound(beforeAttempt: attempt) * random.clamped(to: 0...1, nan: 0)
    }

    var configurationError: String? {
        if base < .zero || base > .seconds(86_400) { return "backoff.base is \(base); it must be 0...86400 s" }
        if !(factor >= 1 && factor <= 1000) { return "backoff.factor is \(factor); it must be 1...1000" }
        if maximumDelay < base || maximumDelay > .seconds(86_400) {
            return "backoff.maximumDelay is \(maximumDelay); it must be base...86400 s"
        }
        return nil
    }
}
