import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that limits the rate of requests to each host.
///
/// It also applies the quotas that servers report in `RateLimit` and `RateLimit-Policy`.
///
/// ```swift
/// let limiter = RateLimiter(RateLimit(10, per: .seconds(1), burst: 20))
/// let interceptors: [any NetworkInterceptor] = [.retry(), limiter]
/// ```
///
/// A request that arrives too early is delayed; requests are sent in the order of arrival. If the delay would exceed
/// `maximumDelay` or the deadline, the request fails at once. At most 10,000 hosts are limited at a time; requests to others are
/// sent without a delay.
public final class RateLimiter: NetworkInterceptor {
    private let hosts = Locked(OriginTable<RateState>())
    private let limit: RateLimit?
    private let maximumDelay: Duration
    private let time: TimeSource
    private let configurationError: String?

    /// Creates a rate limiter that applies the same limit to each host.
    ///
    /// Invalid values make every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    ///
    /// - Parameters:
    ///   - limit: The limit for each host; with `nil`, only the quotas that servers report apply.
    ///   - maximumDelay: The longest time that a request is delayed. Default: 60 seconds.
    ///   - clock: The clock that measures rates and delays.
    public init(_ limit: RateLimit?, maximumDelay: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        self.maximumDelay = maximumDelay
        time = TimeSource(clock)
        configurationError =
            limit?.configurationError
            ?? (maximumDelay < .zero ? "rate: maximumDelay is \(maximumDelay); it must not be negative" : nil)
    }

    /// Delays the request as the rate limit requires, sends it, and applies the quota that the response reports.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/notAdmitted`` if the delay would be too long;
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the task is cancelled during the delay;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if the limit is invalid; otherwise what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        if let configurationError {
            throw TransportError(.invalidConfiguration, configurationError, request: request)
        }
        try await wait(request.origin, request)
        let response = try await next(request)
        receive(response, to: request)
        return response
    }

    private func wait(_ origin: String, _ request: NetworkRequest) async throws(TransportError) {
        let maximum = min(maximumDelay, request.deadline?.remaining ?? maximumDelay)
        // The clock is supplied by the caller and is therefore not read while the lock is held.
        let now = time.elapsed
        let delay = hosts.withLock { hosts in
            hosts.update(origin, initial: RateState(), isIdle: { $0.isIdle(now: now) }) {
                $0.take(limit, now: now, maximum: maximum)
            }
        }
        guard let delay, delay > .zero else { return }
        guard delay <= maximum else {
            let bound = maximum < maximumDelay ? "the deadline allows" : "maximumDelay, \(maximumDelay)"
            let message = "the rate limit for \(origin) would delay the request by \(delay), longer than \(bound)"
            throw TransportError(.notAdmitted, message, phase: .queued, request: request)
        }
        do {
            try await time.sleep(for: delay)
        } catch {
            throw TransportError(.cancelled, "cancelled while delayed by the rate limit", request: request)
        }
    }

    /// Applies the quota that a response reports.
    ///
    /// It applies to the origin of the response, which after a redirect is not the origin of the request.
    func receive(_ response: NetworkResponse, to request: NetworkRequest) {
        guard response.headers.contains("RateLimit") || response.headers.contains("RateLimit-Reset") else { return }
        let origin = ParsedURL(response.lazyURL.text).origin
        let fields = RateLimitFields(response.headers)
        for name in fields.malformed { request.report(.ignored(field: name, origin: request.origin)) }
        guard let pause = fields.pause else { return }
        let now = time.elapsed
        hosts.withLock { hosts in
            _ = hosts.update(origin, initial: RateState(), isIdle: { $0.isIdle(now: now) }) { $0.close(until: now + pause) }
        }
    }
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
    /// - Parameters:
    ///   - requests: The number of requests in each period.
    ///   - period: The period.
    ///   - burst: The number of requests that may be sent at once. Default: `requests`.
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
        // What arrives while the server's quota is used up is spaced from its end on: all of it at once would exceed the rate.
        let start = max(now, closedUntil)
        guard let limit else { return start - now }
        let interval = limit.interval
        let tolerance = interval * (limit.burst - 1)
        let delay = max(start, due - tolerance) - now
        guard delay <= maximum else { return delay }
        due = max(due, start) + interval
        return delay
    }

    /// Blocks requests until a time, because the server reported that its quota is used up.
    mutating func close(until: Duration) {
        closedUntil = max(closedUntil, until)
    }

    func isIdle(now: Duration) -> Bool { due <= now && closedUntil <= now }
}

/// The states of origins, of which it holds a limited number.
///
/// If it is full, states that contain no information are removed. If there are none, further origins get no state.
struct OriginTable<State: Sendable>: Sendable {
    /// The maximum number of origins.
    static var maximumCount: Int { 10_000 }

    private(set) var states: [String: State] = [:]
    /// The place of the origin that was used last. Most requests have the same origin as the request before, so that it is rarely
    /// looked up.
    private var latest: (origin: String, index: Dictionary<String, State>.Index)?

    /// Calls a closure with the state of an origin.
    ///
    /// - Parameters:
    ///   - initial: The state of an origin that is not in the table.
    ///   - isIdle: Returns whether a state may be removed. Called only if the table is full.
    /// - Returns: The result of the closure; `nil` without a call if the table is full.
    mutating func update<Result>(
        _ origin: String, initial: @autoclosure () -> State, isIdle: (State) -> Bool, _ change: (inout State) -> Result
    ) -> Result? {
        if let result = updateExisting(origin, change) { return result }
        latest = nil
        if states.count >= Self.maximumCount { states = states.filter { !isIdle($0.value) } }
        guard states.count < Self.maximumCount else { return nil }
        return change(&states[origin, default: initial()])
    }

    /// Calls a closure with the state of an origin, if the origin is in the table.
    @discardableResult
    mutating func updateExisting<Result>(_ origin: String, _ change: (inout State) -> Result) -> Result? {
        if let latest, latest.origin == origin { return change(&states.values[latest.index]) }
        guard let index = states.index(forKey: origin) else { return nil }
        latest = (origin, index)
        return change(&states.values[index])
    }
}

extension RateLimiter: RedactedStringConvertible {}
