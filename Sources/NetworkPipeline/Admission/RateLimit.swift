/// So many requests in a time, evenly spread, with bursts: a pure token bucket in the form of GCRA, told the time.
public struct RateLimit: Sendable, Hashable {
    /// Requests in ``period``, in the long run.
    public var requests: Int
    /// The time they are spread over.
    public var period: Duration
    /// Requests that may come at once after a pause.
    public var burst: Int

    /// A limit of these parts; checked by whoever uses it.
    ///
    /// - Parameter burst: As many as `requests` unless given.
    public init(_ requests: Int, per period: Duration, burst: Int? = nil) {
        self.requests = requests
        self.period = period
        self.burst = burst ?? requests
    }

    /// The time between two requests.
    var interval: Duration { period / requests }

    var flaw: String? {
        if !(1...1_000_000).contains(requests) { return "rate: requests is \(requests); it must be 1...1000000" }
        if period < .milliseconds(1) || period > .seconds(86_400 * 31) {
            return "rate: period is \(period); it must be 1 ms...31 d"
        }
        if !(1...1_000_000).contains(burst) { return "rate: burst is \(burst); it must be 1...1000000" }
        return nil
    }
}

/// What is known of one host.
struct RateState: Sendable {
    /// When the next request would be due if all had come evenly.
    private var due: Duration = .zero
    /// The server's own word: nothing before that.
    private(set) var closedUntil: Duration = .zero

    /// Takes the next free moment.
    ///
    /// - Parameter maximum: Where it is further off than that, nothing is taken.
    /// - Returns: How long until then.
    mutating func take(_ limit: RateLimit?, now: Duration, maximum: Duration) -> Duration {
        // A clock that was set back must not hold up more than a full bucket would.
        var delay = Duration.zero
        var next = due
        if let limit {
            let interval = limit.interval
            let tolerance = interval * (limit.burst - 1)
            delay = max(.zero, due - tolerance - now)
            next = max(due, now) + interval
        }
        delay = max(delay, closedUntil - now)
        guard delay <= maximum else { return delay }
        due = next
        return delay
    }

    /// The server said that there is no room before then.
    mutating func close(until: Duration) {
        closedUntil = max(closedUntil, until)
    }

    func isIdle(now: Duration) -> Bool { due <= now && closedUntil <= now }
}
