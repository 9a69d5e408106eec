import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The caching choices that RFC 9111 leaves open: the freshness of responses that do not state it, and the behaviour when the
/// origin fails.
public struct CacheOptions: Hashable, Sendable {
    /// The fraction of the time since `Last-Modified` for which a response without an explicit lifetime is fresh (RFC 9111
    /// §4.2.2), in 0...1. Default: 0.1. With 0, such a response is never used without validation.
    public var heuristicFraction: Double { didSet { heuristicFraction = Self.clamped(heuristicFraction) } }
    /// The maximum lifetime that the heuristic assigns. Default: one day.
    public var maximumHeuristicLifetime: Duration { didSet { maximumHeuristicLifetime = Self.clamped(maximumHeuristicLifetime) } }
    /// How long a stale response may be served when the origin fails, if neither request nor response has `stale-if-error`
    /// (RFC 5861 §4). Default: zero.
    public var staleIfError: Duration { didSet { staleIfError = Self.clamped(staleIfError) } }
    /// The total time limit of a revalidation in the background. Default: 30 seconds.
    public var revalidationTimeout: Duration { didSet { revalidationTimeout = Self.clamped(revalidationTimeout) } }
    /// The maximum number of concurrent revalidations in the background. Beyond it, a stale response is served without starting
    /// one. Default: 64.
    public var maximumRevalidations: Int { didSet { maximumRevalidations = max(0, maximumRevalidations) } }
    /// The names of request fields that have another value in each request and do not change the response, in lower case. They do not separate
    /// responses, even if they are marked as credentials. Default: none.
    ///
    /// Fields that are known to identify a request need not be listed: `traceparent`, `X-Request-ID`, `X-Correlation-ID` and others, which
    /// `Docs/Cache.md` lists. `Authorization`, `Cookie` and other fields whose names say that they are secret are not ignored.
    public var ignoredFields: Set<String> { didSet { ignoredFields = Self.usable(ignoredFields) } }

    /// Creates options. The parameters are described at the properties of the same names. Numbers and times outside of their ranges count as the
    /// nearest ones inside: 0...1, 0...2³¹ s, and 0 or more. A fraction that is not a number counts as 0.
    public init(
        heuristicFraction: Double = 0.1, maximumHeuristicLifetime: Duration = .seconds(86_400), staleIfError: Duration = .zero,
        revalidationTimeout: Duration = .seconds(30), maximumRevalidations: Int = 64, ignoredFields: Set<String> = []
    ) {
        self.heuristicFraction = Self.clamped(heuristicFraction)
        self.maximumHeuristicLifetime = Self.clamped(maximumHeuristicLifetime)
        self.staleIfError = Self.clamped(staleIfError)
        self.revalidationTimeout = Self.clamped(revalidationTimeout)
        self.maximumRevalidations = max(0, maximumRevalidations)
        self.ignoredFields = Self.usable(ignoredFields)
    }

    private static func clamped(_ fraction: Double) -> Double { fraction.isNaN ? 0 : min(max(fraction, 0), 1) }

    private static func clamped(_ time: Duration) -> Duration {
        min(max(time, .zero), .seconds(CacheDirectives.maximumSeconds))
    }

    private static func usable(_ names: Set<String>) -> Set<String> {
        Set(names.lazy.map(\.asciiLowercased).filter { !Redaction.isSecret(header: $0) })
    }
}

extension CacheOptions {
    /// The age and the freshness lifetime of a stored response, in seconds (RFC 9111 §4.2).
    struct Freshness: Equatable {
        var age: Double
        var lifetime: Double
        /// Whether the age is reliable. `false` if the clock is earlier than the time at which the response was stored.
        var isKnown: Bool

        var ttl: Double { lifetime - age }
    }

    /// The number of seconds by which a clock may be set back before ages are considered unknown.
    private static let clockTolerance = 1.0

    /// Returns the freshness of a stored response.
    ///
    /// - Parameter now: The current time, in seconds since the reference date.
    func freshness(_ terms: ResponseTerms, at now: Double) -> Freshness {
        let resident = now - terms.responseTime
        return Freshness(
            age: terms.initialAge + max(0, resident), lifetime: lifetime(terms), isKnown: resident >= -Self.clockTolerance)
    }

    func lifetime(_ terms: ResponseTerms) -> Double {
        if let explicit = terms.explicitLifetime { return explicit }
        guard let sinceModified = terms.sinceModified, heuristicFraction > 0 else { return 0 }
        return min(sinceModified * heuristicFraction, ResponseTerms.seconds(maximumHeuristicLifetime))
    }

    /// Returns the action that RFC 9111 §4 and §5.2.1 require for a request. Has no side effects.
    ///
    /// - Parameters:
    ///   - stored: The metadata of the selected response.
    ///   - now: The current time, in seconds since the reference date.
    func decision(_ request: RequestTerms, _ stored: ResponseTerms, isHead: Bool = false, at now: Double) -> CacheDecision {
        let freshness = freshness(stored, at: now)
        // With `no-store`, the caller wants nothing to do with a store: the request is sent as it is (§5.2.1.5).
        if request.noStore { return request.onlyIfCached ? .fail : .forward(.request) }
        if freshness.isKnown, !request.noCache, !stored.mustAsk {
            if let decision = decisionWithoutValidation(request, stored, freshness, isHead: isHead) { return decision }
        }
        if request.onlyIfCached { return .fail }
        let isFresh = freshness.isKnown && freshness.ttl > 0 && !stored.mustAsk
        let reason = isFresh ? ForwardReason.request : .stale
        return stored.hasValidator && !isHead && request.conditions == nil ? .validate(reason) : .forward(reason)
    }

    /// Returns the action for a request without a stored response.
    ///
    /// - Parameter miss: The reason why no response is selected.
    func decision(_ request: RequestTerms, miss: ForwardReason) -> CacheDecision {
        request.onlyIfCached ? .fail : .forward(miss)
    }

    /// Returns a decision to serve the stored response without validation, or `nil` if that is not allowed.
    private func decisionWithoutValidation(
        _ request: RequestTerms, _ stored: ResponseTerms, _ freshness: Freshness, isHead: Bool
    ) -> CacheDecision? {
        let (age, ttl) = (freshness.age, freshness.ttl)
        // A reload does not revalidate a response that cannot have changed (RFC 8246 §2).
        let isUnchanged = stored.isImmutable && ttl > 0
        let limit = isUnchanged ? freshness.lifetime : min(freshness.lifetime, request.maxAge ?? .infinity)
        if let minFresh = request.minFresh, ttl < minFresh { return nil }
        if age < limit { return .serve(age: age, ttl: ttl, revalidates: false) }
        if stored.mustRevalidate, ttl <= 0 { return nil }
        let mayRevalidate = ttl <= 0 && -ttl <= stored.staleWhileRevalidate && stored.staleWhileRevalidate > 0
        if let maxStale = request.maxStale, age - limit <= maxStale {
            return .serve(age: age, ttl: ttl, revalidates: mayRevalidate && !isHead && !request.onlyIfCached)
        }
        // A request with `max-age` but without `max-stale` does not accept stale responses (§5.2.1.1).
        guard mayRevalidate, request.maxAge == nil, !isHead else { return nil }
        return .serve(age: age, ttl: ttl, revalidates: !request.onlyIfCached)
    }

    /// Returns whether a stored response may be served when the origin fails (RFC 5861 §4, RFC 9111 §4.2.4).
    func mayServeOnFailure(_ request: RequestTerms, _ stored: ResponseTerms, at now: Double) -> Bool {
        let freshness = freshness(stored, at: now)
        guard freshness.isKnown, !request.noCache, !request.noStore, !stored.mustAsk, !stored.mustRevalidate else { return false }
        let fallback = ResponseTerms.seconds(staleIfError)
        let explicit = [request.staleIfError, stored.staleIfError].compactMap { $0 }
        let allowed = explicit.max() ?? fallback
        return allowed > 0 && -freshness.ttl <= allowed
    }
}
