import Endpoints
import Foundation
import NetworkCore

/// What the fields of a stored response say about its use. Times are in seconds.
struct ResponseTerms: Sendable, Equatable {
    /// `corrected_initial_age` (RFC 9111 §4.2.3).
    var initialAge: Double
    /// Since the reference date of Foundation.
    var responseTime: Double
    /// What the response says (§4.2.1); `nil` where it says nothing.
    var explicitLifetime: Double?
    /// From `Last-Modified` to `Date`, where a lifetime may be made of it (§4.2.2).
    var sinceModified: Double?
    /// Not without asking, even while fresh (§5.2.2.4).
    var mustAsk = false
    /// Not without asking once stale (§5.2.2.2).
    var mustRevalidate = false
    /// Fields that are left out of an answer without asking (§5.2.2.4).
    var hiddenFields: [String] = []
    /// RFC 8246.
    var isImmutable = false
    /// RFC 5861 §3.
    var staleWhileRevalidate: Double = 0
    /// RFC 5861 §4; `nil` where the response says nothing.
    var staleIfError: Double?
    /// As it came.
    var entityTag: String?
    /// As it came; only where it is a date.
    var lastModified: String?

    init(_ response: StoredResponse) {
        let headers = response.headers
        let control = headers.cacheControl
        responseTime = response.responseTime.timeIntervalSinceReferenceDate
        let received = response.responseTime.timeIntervalSince1970
        let date = Self.seconds(headers["Date"], response.responseTime) ?? received
        // A clock that was moved between request and response makes nothing younger.
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
        entityTag = headers["ETag"].flatMap { $0.isEmpty ? nil : $0 }
        guard let control else { return }
        switch control.noCache {
        case .all: mustAsk = true
        case .fields(let names): hiddenFields = names.sorted()
        case nil: break
        }
        mustRevalidate = control.mustRevalidate
        isImmutable = control.isImmutable
        staleWhileRevalidate = control.staleWhileRevalidate.map(Self.seconds) ?? 0
        staleIfError = control.staleIfError.map(Self.seconds)
    }

    /// Whether the origin can be asked if it still holds.
    var hasValidator: Bool { entityTag != nil || lastModified != nil }

    /// `max-age`, else `Expires` less `Date`; `s-maxage` is for shared caches (§4.2.1). `Expires` that is no date, or comes twice, means
    /// that it has expired (§5.3).
    private static func explicitLifetime(_ headers: HTTPHeaders, _ control: CacheControl?, date: Double, now: Date) -> Double? {
        if let maxAge = control?.maxAge { return seconds(maxAge) }
        guard let expires = headers["Expires"] else { return nil }
        guard let end = seconds(expires, now) else { return 0 }
        return min(max(0, end - date), Double(CacheControl.maximumSeconds))
    }

    /// `Age` (§5.1): the first of several; what is no number counts as nothing, what is too great as 2³¹.
    private static func age(_ headers: HTTPHeaders) -> Double {
        let first = headers.values(for: "Age").first?.split(separator: ",", omittingEmptySubsequences: false).first ?? ""
        let digits = CacheControlParser.trimmed(Substring(first).utf8)
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return 0 }
        return Double(min(Int(String(Substring(digits))) ?? .max, CacheControl.maximumSeconds))
    }

    /// Since 1970.
    private static func seconds(_ date: String?, _ now: Date) -> Double? {
        date.flatMap { HTTPDate($0, now: now) }.map { Double($0.secondsSince1970) }
    }

    static func seconds(_ duration: Duration) -> Double {
        duration / .seconds(1)
    }
}

/// What the fields of a request ask of a cache. Times are in seconds.
struct RequestTerms: Sendable, Equatable {
    /// `no-cache`, or `Pragma: no-cache` where there is no `Cache-Control` (RFC 9111 §5.2.1.4, §5.4).
    var noCache = false
    /// §5.2.1.5.
    var noStore = false
    /// §5.2.1.7.
    var onlyIfCached = false
    /// §5.2.1.1.
    var maxAge: Double?
    /// §5.2.1.2.
    var maxStale: Double?
    /// §5.2.1.3.
    var minFresh: Double?
    /// RFC 5861 §4.
    var staleIfError: Double?
    /// It carries conditions of its own, or asks for a part: the answer is for who asked so (RFC 9110 §13.1, §14.2).
    var isConditionalOrPartial = false

    init() {}

    init(_ headers: HTTPHeaders) {
        var lines: [String] = []
        var hasControl = false
        var pragma = false
        for field in headers {
            let name = field.name
            switch name.utf8.count {
            case 13:
                if HTTPHeaders.isSame(name, "Cache-Control") {
                    hasControl = true
                    lines.append(field.value)
                } else if HTTPHeaders.isSame(name, "If-None-Match") {
                    isConditionalOrPartial = true
                }
            case 6: if HTTPHeaders.isSame(name, "Pragma") { pragma = pragma || CacheControl(parsing: field.value).noCache != nil }
            case 5: if HTTPHeaders.isSame(name, "Range") { isConditionalOrPartial = true }
            case 8:
                if HTTPHeaders.isSame(name, "If-Match") || HTTPHeaders.isSame(name, "If-Range") { isConditionalOrPartial = true }
            case 17: if HTTPHeaders.isSame(name, "If-Modified-Since") { isConditionalOrPartial = true }
            case 19: if HTTPHeaders.isSame(name, "If-Unmodified-Since") { isConditionalOrPartial = true }
            default: break
            }
        }
        guard hasControl else {
            noCache = pragma
            return
        }
        let control = CacheControl(lines.flatMap { CacheControl(parsing: $0).directives })
        noCache = control.noCache != nil
        noStore = control.noStore
        onlyIfCached = control.onlyIfCached
        maxAge = control.maxAge.map(ResponseTerms.seconds)
        maxStale = control.maxStale.map(ResponseTerms.seconds)
        minFresh = control.minFresh.map(ResponseTerms.seconds)
        staleIfError = control.staleIfError.map(ResponseTerms.seconds)
    }
}
