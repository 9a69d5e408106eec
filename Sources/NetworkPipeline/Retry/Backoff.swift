import Endpoints

/// How long to wait before each further attempt: a random time below a bound that grows, so that clients that failed together do not come
/// back together ("full jitter").
public struct Backoff: Sendable, Hashable {
    /// The bound before the second attempt. 200 milliseconds unless given.
    public var base: Duration
    /// What the bound is multiplied by for each attempt after that. 2 unless given.
    public var factor: Double
    /// The bound never exceeds it. 20 seconds unless given.
    public var ceiling: Duration

    /// A backoff of these parts; checked by whoever uses it.
    public init(base: Duration = .milliseconds(200), factor: Double = 2, ceiling: Duration = .seconds(20)) {
        self.base = base
        self.factor = factor
        self.ceiling = ceiling
    }

    /// The bound before an attempt, at most 10^9 seconds; zero where the factor is not a number.
    ///
    /// - Parameter attempt: 2 for the first that is not the original.
    public func bound(beforeAttempt attempt: Int) -> Duration {
        var bound = base / .seconds(1)
        let limit = ceiling / .seconds(1)
        // Past 64 doublings any base has reached any ceiling; and a factor of 1 needs none.
        for _ in 0..<(attempt.clamped(to: 2...66) - 2) where bound < limit { bound *= factor }
        return .bounded(seconds: min(bound, limit))
    }

    /// The time to wait before an attempt.
    ///
    /// - Parameter random: In 0..<1.
    public func delay(beforeAttempt attempt: Int, random: Double) -> Duration {
        bound(beforeAttempt: attempt) * random.clamped(to: 0...1, nan: 0)
    }

    var flaw: String? {
        if base < .zero || base > .seconds(86_400) { return "backoff.base is \(base); it must be 0...86400 s" }
        if !(factor >= 1 && factor <= 1000) { return "backoff.factor is \(factor); it must be 1...1000" }
        if ceiling < base || ceiling > .seconds(86_400) { return "backoff.ceiling is \(ceiling); it must be base...86400 s" }
        return nil
    }
}
