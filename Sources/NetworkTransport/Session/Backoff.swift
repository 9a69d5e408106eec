import NetworkSupport

/// The pauses before further attempts, which grow exponentially and are random ("full jitter"): of retries, of streams of events, WebSockets and
/// uploads that continue by themselves.
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
    /// Whether each pause is a random part of its bound, instead of the whole bound. Default: `true`.
    public var isRandom: Bool

    /// Creates a backoff from these parameters.
    ///
    /// The values are checked when they are used by an interceptor, and before an upload; invalid ones make every request fail. Streams of events
    /// and WebSockets count them as the nearest valid ones.
    public init(
        base: Duration = .milliseconds(200), factor: Double = 2, maximumDelay: Duration = .seconds(20), isRandom: Bool = true
    ) {
        self.base = base
        self.factor = factor
        self.maximumDelay = maximumDelay
        self.isRandom = isRandom
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
        bound(beforeAttempt: attempt) * (isRandom ? random.clamped(to: 0...1, nan: 0) : 1)
    }

    /// Returns the pause after failures in a row, for which the server may have asked.
    ///
    /// - Parameters:
    ///   - failures: Their number, at least 1.
    ///   - requested: The pause for which the server asks (`Retry-After`), limited to ``maximumDelay``.
    ///   - random: A random number in 0..<1.
    package func pause(afterFailures failures: Int, requested: Duration?, random: Double) -> Duration {
        let pause = delay(beforeAttempt: failures.clamped(to: 1...64) + 1, random: random)
        return max(pause, min(requested ?? .zero, maximumDelay.bounded), .zero)
    }

    /// What is wrong with the values; `nil` if they are valid.
    package var configurationError: String? {
        if base < .zero || base > .seconds(86_400) { return "backoff.base is \(base); it must be 0...86400 s" }
        if !(factor >= 1 && factor <= 1000) { return "backoff.factor is \(factor); it must be 1...1000" }
        if maximumDelay < base || maximumDelay > .seconds(86_400) {
            return "backoff.maximumDelay is \(maximumDelay); it must be base...86400 s"
        }
        return nil
    }
}
