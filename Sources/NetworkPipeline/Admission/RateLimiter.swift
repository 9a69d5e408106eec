import Endpoints
import Foundation
import NetworkCore

/// A limit on the request rate to each host.
///
/// It also applies the quotas that servers report in `RateLimit` and `RateLimit-Policy`.
///
/// ```swift
/// let limiter = RateLimiter(RateLimit(10, per: .seconds(1), burst: 20))
/// let interceptors: [any NetworkInterceptor] = [.retry(), .rate(limiter)]
/// ```
///
/// A request that arrives too early is delayed; requests are sent in the order of arrival. If the delay would exceed
/// `maximumDelay` or the deadline, the request fails at once.
public final class RateLimiter: Sendable {
    /// The maximum number of hosts in memory. Above it, hosts without recent requests are removed.
    private static let maximumHosts = 10_000

    private let state = Locked<[String: RateState]>([:])
    private let limit: RateLimit?
    private let maximumDelay: Duration
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let malformed = MalformedFields()
    let configurationError: String?

    /// Creates a rate limiter that applies the same limit to each host.
    ///
    /// Invalid values make every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - limit: The limit for each host; with `nil`, only the quotas that servers report apply.
    ///   - maximumDelay: The longest time that a request is delayed. Default: 60 seconds.
    ///   - clock: The clock that measures rates and delays.
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
        // The clock is supplied by the caller and is therefore not read while the lock is held.
        let now = elapsed()
        let delay = state.withLock { hosts in
            if hosts.count >= Self.maximumHosts, hosts[origin] == nil { hosts = hosts.filter { !$0.value.isIdle(now: now) } }
            return hosts[origin, default: RateState()].take(limit, now: now, maximum: maximum)
        }
        if delay <= .zero { return }
        guard delay <= maximum else {
            let bound = maximum < maximumDelay ? "the deadline allows" : "maximumDelay, \(maximumDelay)"
            let message = "the rate limit for \(origin) would delay the request by \(delay), longer than \(bound)"
            throw TransportError(.notAdmitted, message, phase: .queued, request: request)
        }
        do {
            try await sleep(delay)
        } catch {
            throw TransportError(.cancelled, "cancelled while delayed by the rate limit", request: request)
        }
    }

    /// Applies the quota that a response reports.
    ///
    /// It applies to the origin of the response, which after a redirect is not the origin of the request.
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

/// An interceptor that limits the request rate with a ``RateLimiter``.
public struct RateInterceptor: NetworkInterceptor {
    private let limiter: RateLimiter

    /// Creates an interceptor that uses a rate limiter.
    ///
    /// - Parameter limiter: The rate limiter that delays or rejects requests.
    public init(_ limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// Delays the request as the rate limit requires, sends it, and applies the quota that the response reports.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` if the delay would be too long;
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled during the delay;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the limit is invalid; otherwise what `next` throws.
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
    /// Limits the rate of requests to each host.
    public static func rate(_ limiter: RateLimiter) -> RateInterceptor { RateInterceptor(limiter) }
}

/// A number of requests per period, evenly spaced, with bursts.
///
/// It is implemented as a token bucket (generic cell rate algorithm, GCRA).
public struct RateLimit: Sendable, Hashable {
    /// The number of requests in each ``period``, on average, 1 to 1,000,000.
    public var requests: Int
    /// The period over which the requests are spread, from 1 millisecond to 31 days.
    public var period: Duration
    /// The number of requests that may be sent at once after a pause, 1 to 1,000,000.
    public var burst: Int

    /// Creates a limit. The values are checked when a request passes the interceptor.
    ///
    /// - Parameter burst: The number of requests that may be sent at once. Default: `requests`.
    public init(_ requests: Int, per period: Duration, burst: Int? = nil) {
        self.requests = requests
        self.period = period
        self.burst = burst ?? requests
    }

    /// The time between two requests at the average rate.
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

/// The rate limiting state of one host.
struct RateState: Sendable {
    /// The time at which the next request would be due if all requests were evenly spaced.
    private var due: Duration = .zero
    /// The time before which no request is sent, because the server reported that its quota is used up.
    private(set) var closedUntil: Duration = .zero

    /// Reserves the next available time for a request.
    ///
    /// - Parameter maximum: The longest acceptable delay. If the delay is longer, nothing is reserved.
    /// - Returns: The delay until the request may be sent.
    mutating func take(_ limit: RateLimit?, now: Duration, maximum: Duration) -> Duration {
        // If the clock was set back, the delay must not be longer than with a full bucket.
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

    /// Blocks requests until a time, because the server reported that its quota is used up.
    mutating func close(until: Duration) {
        closedUntil = max(closedUntil, until)
    }

    func isIdle(now: Duration) -> Bool { due <= now && closedUntil <= now }
}
