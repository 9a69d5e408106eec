import Endpoints
import Foundation
import NetworkCore

/// What RFC 9111 leaves to a cache: how long a response is fresh that does not say so, and what is done when the origin fails.
public struct CachePolicy: Hashable, Sendable {
    /// The part of the time since `Last-Modified` for which a response is fresh that says nothing of it (RFC 9111 §4.2.2). 0.1; with 0,
    /// such a response is never used without asking.
    public var heuristicFraction = 0.1
    /// The longest lifetime that is made up so. A day.
    public var maximumHeuristicLifetime = Duration.seconds(86_400)
    /// How long after its end a response stands in for a failure of the origin, where neither request nor response has
    /// `stale-if-error` (RFC 5861 §4). Zero.
    public var staleIfError = Duration.zero
    /// What a revalidation in the background may take in all. 30 seconds.
    public var revalidationTimeout = Duration.seconds(30)
    /// Revalidations in the background at a time; beyond, a stale response is served and nobody asks for a newer one yet. 64.
    public var maximumRevalidations = 64

    /// The defaults.
    public init() {}
}

/// What is to be done with a request.
enum CacheDecision: Equatable {
    /// Answer with what is stored. `ttl` is negative once it is stale.
    case serve(age: Double, ttl: Double, revalidates: Bool)
    /// Ask the origin whether it still holds (RFC 9111 §4.3).
    case validate(ForwardReason)
    /// Send it on as it is.
    case forward(ForwardReason)
    /// 504 (RFC 9111 §5.2.1.7).
    case fail
}

extension CachePolicy {
    /// How old a stored response is, and how long it is fresh (RFC 9111 §4.2).
    struct Freshness: Equatable {
        var age: Double
        var lifetime: Double
        /// Not so where the clock stands before the moment it was stored: then nothing is known of its age.
        var isKnown: Bool

        var ttl: Double { lifetime - age }
    }

    /// By how much a clock may be moved back without being distrusted, in seconds.
    private static let clockTolerance = 1.0

    /// - Parameter now: In seconds since the reference date.
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

    /// What RFC 9111 §4 and §5.2.1 want done. Without side effects.
    ///
    /// - Parameters:
    ///   - stored: What the chosen response says; `nil` where there is none.
    ///   - miss: Why there is none.
    func decision(
        _ request: RequestTerms, _ stored: ResponseTerms?, miss: ForwardReason = .uriMiss, isHead: Bool = false, at now: Double
    ) -> CacheDecision {
        guard let stored else { return request.onlyIfCached ? .fail : .forward(miss) }
        let freshness = freshness(stored, at: now)
        if freshness.isKnown, !request.noCache, !stored.mustAsk {
            if let decision = decisionWithoutValidation(request, stored, freshness, isHead: isHead) { return decision }
        }
        if request.onlyIfCached { return .fail }
        let isFresh = freshness.isKnown && freshness.ttl > 0 && !stored.mustAsk
        let reason = isFresh ? ForwardReason.request : .stale
        return stored.hasValidator && !isHead ? .validate(reason) : .forward(reason)
    }

    /// Without asking the origin, if it may be so answered.
    private func decisionWithoutValidation(
        _ request: RequestTerms, _ stored: ResponseTerms, _ freshness: Freshness, isHead: Bool
    ) -> CacheDecision? {
        let (age, ttl) = (freshness.age, freshness.ttl)
        // A reload does not ask for what cannot have changed (RFC 8246 §2).
        let isSettled = stored.isImmutable && ttl > 0
        let limit = isSettled ? freshness.lifetime : min(freshness.lifetime, request.maxAge ?? .infinity)
        if let minFresh = request.minFresh, ttl < minFresh { return nil }
        if age < limit { return .serve(age: age, ttl: ttl, revalidates: false) }
        if stored.mustRevalidate, ttl <= 0 { return nil }
        let mayRevalidate = ttl <= 0 && -ttl <= stored.staleWhileRevalidate && stored.staleWhileRevalidate > 0
        if let maxStale = request.maxStale, age - limit <= maxStale {
            return .serve(age: age, ttl: ttl, revalidates: mayRevalidate && !isHead && !request.onlyIfCached)
        }
        // A request with `max-age` wants nothing stale without `max-stale` (§5.2.1.1).
        guard mayRevalidate, request.maxAge == nil, !isHead else { return nil }
        return .serve(age: age, ttl: ttl, revalidates: !request.onlyIfCached)
    }

    /// Whether a stored response may stand in where the origin fails (RFC 5861 §4, RFC 9111 §4.2.4).
    func mayServeOnFailure(_ request: RequestTerms, _ stored: ResponseTerms, at now: Double) -> Bool {
        let freshness = freshness(stored, at: now)
        guard freshness.isKnown, !request.noCache, !stored.mustAsk, !stored.mustRevalidate else { return false }
        let fallback = ResponseTerms.seconds(staleIfError)
        let explicit = [request.staleIfError, stored.staleIfError].compactMap { $0 }
        let allowed = explicit.max() ?? fallback
        return allowed > 0 && -freshness.ttl <= allowed
    }
}
