import Endpoints
import Foundation
import NetworkCore

/// Keeps requests to each host within a rate, and within what its responses say is left (`RateLimit`, `RateLimit-Policy`).
///
/// ```swift
/// let limiter = RateLimiter(RateLimit(10, per: .seconds(1), burst: 20))
/// let interceptors: [any NetworkInterceptor] = [.retry(), .rate(limiter)]
/// ```
///
/// A request that comes too early waits for its turn, in the order of arrival. Where its turn would come after `maximumDelay` or the deadline, it
/// fails at once.
public final class RateLimiter: Sendable {
    /// Hosts that are remembered. Past it, those that have been quiet are forgotten.
    private static let maximumHosts = 10_000

    private let state = Locked<[String: RateState]>([:])
    private let limit: RateLimit?
    private let maximumDelay: Duration
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let malformed = MalformedFields()
    let configurationError: String?

    /// - Parameters:
    ///   - limit: For each host; with `nil`, only what the servers say.
    ///   - maximumDelay: The longest a request waits for its turn. 60 seconds unless given.
    ///   - clock: What all that is measured with.
    public init<Time: Clock<Duration>>(
        _ limit: RateLimit?, maximumDelay: Duration = .seconds(60), clock: Time = ContinuousClock()
    ) {
        self.limit = limit
        self.maximumDelay = maximumDelay
        elapsed = stopwatch(clock)
        sleep = { try await clock.sleep(bounded: $0) }
        configurationError =
            limit?.configurationError
            ?? (maximumDelay < .zero ? "rate: maximumDelay is \(maximumDelay); it must not be negative" : nil)
    }

    func wait(_ origin: String, _ request: NetworkRequest) async throws(TransportError) {
        let maximum = min(maximumDelay, request.deadline?.remaining ?? maximumDelay)
        // The clock is the caller's, and so not asked under the lock.
        let now = elapsed()
        let delay = state.withLock { hosts in
            if hosts.count >= Self.maximumHosts, hosts[origin] == nil { hosts = hosts.filter { !$0.value.isIdle(now: now) } }
            return hosts[origin, default: RateState()].take(limit, now: now, maximum: maximum)
        }
        if delay <= .zero { return }
        guard delay <= maximum else {
            let bound = maximum < maximumDelay ? "the deadline" : "maximumDelay, \(maximumDelay)"
            let message = "the rate for \(origin) has its next turn in \(delay), after \(bound)"
            throw TransportError(.notAdmitted, message, phase: .queued, request: request)
        }
        do {
            try await sleep(delay)
        } catch {
            throw TransportError(.cancelled, "called off while waiting for its turn", request: request)
        }
    }

    /// What a response says holds for the origin that it came from, which after a redirect is not the one that was asked.
    func receive(_ response: NetworkResponse, to request: NetworkRequest) {
        guard response.headers.contains("RateLimit") else { return }
        let origin = URLText.origin(of: response.url)
        let fields = RateLimitFields(response.headers)
        for name in fields.malformed { malformed.note(name, in: request) }
        guard let pause = fields.pause else { return }
        let end = elapsed() + pause
        state.withLock { $0[origin, default: RateState()].close(until: end) }
    }
}

/// Keeps requests within a ``RateLimiter``.
public struct RateInterceptor: NetworkInterceptor {
    private let limiter: RateLimiter

    /// - Parameter limiter: What decides.
    public init(_ limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// Waits for the request's turn, sends it, and heeds what the response says is left.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` where the turn would come too late; else what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError = limiter.configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        let origin = request.origin
        try await limiter.wait(origin, request)
        let response = try await next(request)
        limiter.receive(response, to: request)
        return response
    }
}

extension NetworkInterceptor where Self == RateInterceptor {
    /// Keeps requests within a rate.
    public static func rate(_ limiter: RateLimiter) -> RateInterceptor { RateInterceptor(limiter) }
}

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

    var configurationError: String? {
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
