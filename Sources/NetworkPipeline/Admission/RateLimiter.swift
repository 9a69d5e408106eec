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
    let flaw: String?

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
        flaw = limit?.flaw ?? (maximumDelay < .zero ? "rate: maximumDelay is \(maximumDelay); it must not be negative" : nil)
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
    func heed(_ response: NetworkResponse, to request: NetworkRequest) {
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
        if let flaw = limiter.flaw { throw TransportError(.invalidConfiguration, flaw, request: request) }
        let origin = request.origin
        try await limiter.wait(origin, request)
        let response = try await next(request)
        limiter.heed(response, to: request)
        return response
    }
}

extension NetworkInterceptor where Self == RateInterceptor {
    /// Keeps requests within a rate.
    public static func rate(_ limiter: RateLimiter) -> RateInterceptor { RateInterceptor(limiter) }
}
