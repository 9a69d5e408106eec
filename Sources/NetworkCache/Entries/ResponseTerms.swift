import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The caching metadata in the header fields of a stored response. Times are in seconds.
struct ResponseTerms: Sendable, Equatable {
    /// The age at the time the response was received: `corrected_initial_age` (RFC 9111 §4.2.3).
    var initialAge: Double
    /// The time at which the response was received, in seconds since Foundation's reference date.
    var responseTime: Double
    /// The freshness lifetime that the response states (§4.2.1), or `nil` if it states none.
    var explicitLifetime: Double?
    /// The time from `Last-Modified` to `Date`, or `nil` if no heuristic lifetime may be calculated from it (§4.2.2).
    var sinceModified: Double?
    /// Whether the response must be validated before each use, even while it is fresh (§5.2.2.4).
    var mustAsk = false
    /// Whether the response must be validated once it is stale (§5.2.2.2).
    var mustRevalidate = false
    /// The names, in lower case, of those fields of the response that are removed if it is used without validation (§5.2.2.4).
    var hiddenFields: Set<String> = []
    /// Whether the response does not change while it is fresh (RFC 8246).
    var isImmutable = false
    /// How long the response may be served stale while it is revalidated (RFC 5861 §3).
    var staleWhileRevalidate: Double = 0
    /// How long the response may be served stale if the origin fails (RFC 5861 §4), or `nil` if the response does not state it.
    var staleIfError: Double?
    /// The `ETag` field, or `nil` if it cannot be used for validation.
    var entityTag: EntityTag?
    /// The `Last-Modified` field as it was received, or `nil` if it is not a valid date.
    var lastModified: String?

    init(_ response: StoredResponse) {
        let headers = response.headers
        let control = headers.cacheControl
        responseTime = response.responseTime.timeIntervalSinceReferenceDate
        let received = response.responseTime.timeIntervalSince1970
        let date = Self.seconds(headers["Date"], response.responseTime) ?? received
        // If the clock was set back between request and response, the delay is zero rather than negative.
        let delay = max(0, responseTime - response.requestTime.timeIntervalSinceReferenceDate)
        initialAge = max(0, received - date, Self.age(headers) + delay)
        explicitLifetime = Self.explicitLifetime(headers, control, date: date, now: response.responseTime)
        let modified = headers["Last-Modified"]
        let modifiedSeconds = Self.seconds(modified, response.responseTime)
        lastModified = modifiedSeconds == nil ? nil : modified
        if let modifiedSeconds, explicitLifetime == nil,
            StatusRules.isHeuristicallyCacheable(response.statusCode) || control?.isPublic == true
        {
            sinceModified = max(0, date - modifiedSeconds)
        }
        entityTag = EntityTag(headers)
        guard let control else { return }
        switch control.noCache {
        case .all: mustAsk = true
        case .fields(let names): hiddenFields = Set(headers.lazy.map { $0.name.asciiLowercased }).intersection(names)
        case nil: break
        }
        mustRevalidate = control.mustRevalidate
        isImmutable = control.isImmutable
        staleWhileRevalidate = control.staleWhileRevalidate.map(Self.seconds) ?? 0
        staleIfError = control.staleIfError.map(Self.seconds)
    }

    /// Whether the response has a validator with which it can be validated with the origin.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// Returns `max-age`, or else `Expires` minus `Date`. Ignores `s-maxage`, which is for shared caches (§4.2.1). An `Expires`
    /// field that is not a valid date or is repeated means that the response has expired (§5.3).
    private static func explicitLifetime(_ headers: HeaderFields, _ control: CacheDirectives?, date: Double, now: Date) -> Double?
    {
        if let maxAge = control?.maxAge { return seconds(maxAge) }
        guard let expires = headers["Expires"] else { return nil }
        guard let end = seconds(expires, now) else { return 0 }
        return min(max(0, end - date), Double(CacheDirectives.maximumSeconds))
    }

    /// Returns the first value of `Age` (§5.1): zero if it is not a number, and at most 2³¹.
    private static func age(_ headers: HeaderFields) -> Double {
        let first = headers.values(for: "Age").first?.parts(at: ",").first ?? ""
        return Double(first.trimmed.utf8.decimal(clampedTo: Int64(CacheDirectives.maximumSeconds)) ?? 0)
    }

    /// Returns the seconds from 1970 to an HTTP date, or `nil` if the text is not one.
    private static func seconds(_ date: String?, _ now: Date) -> Double? {
        guard let date else { return nil }
        return (FixedDate.seconds(date) ?? HTTPDate(date, now: now)?.secondsSince1970).map { Double($0) }
    }

    static func seconds(_ duration: Duration) -> Double {
        duration / .seconds(1)
    }
}
