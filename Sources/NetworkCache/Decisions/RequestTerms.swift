import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The requirements for a cache in the header fields of a request. Times are in seconds.
struct RequestTerms: Sendable, Equatable {
    /// Whether the request has `no-cache`, or `Pragma: no-cache` without a `Cache-Control` field (RFC 9111 §5.2.1.4, §5.4).
    var noCache = false
    /// Whether the response must not be stored (§5.2.1.5).
    var noStore = false
    /// Whether only a stored response is accepted (§5.2.1.7).
    var onlyIfCached = false
    /// The maximum age of an acceptable response (§5.2.1.1).
    var maxAge: Double?
    /// The maximum staleness of an acceptable response (§5.2.1.2).
    var maxStale: Double?
    /// The minimum remaining freshness of an acceptable response (§5.2.1.3).
    var minFresh: Double?
    /// The maximum staleness of a response that is acceptable if the origin fails (RFC 5861 §4).
    var staleIfError: Double?
    /// The conditions and the range that the cache evaluates, or `nil` if there are none (§4.3.2).
    var conditions: RequestConditions?
    /// Whether the request has conditions or ranges that only the origin evaluates: `If-Match`, `If-Unmodified-Since`, several
    /// ranges, or ranges of another unit (§4.3.2); or it asks for another protocol (RFC 9110 §7.8).
    var isForOrigin = false

    init() {}

    /// Reads the fields of a request.
    ///
    /// - Parameter traits: The traits of its fields. Without ``FieldTraits/hasTerms``, nothing is read.
    init(_ headers: HeaderFields, _ traits: FieldTraits) {
        if traits.contains(.hasTerms) { self.init(headers) } else { self.init() }
    }

    init(_ headers: HeaderFields) {
        var lines: [String] = []
        var hasControl = false
        var pragma = false
        var conditions = RequestConditions()
        var range: String?
        for field in headers {
            let name = field.name
            switch name.utf8.count {
            case 13:
                if HeaderFields.isSame(name, "Cache-Control") {
                    hasControl = true
                    lines.append(field.value)
                } else if HeaderFields.isSame(name, "If-None-Match") {
                    conditions.noneMatch = Self.joined(conditions.noneMatch, field.value)
                }
            case 6:
                if HeaderFields.isSame(name, "Pragma") { pragma = pragma || CacheDirectives(parsing: field.value).noCache != nil }
            case 5: if HeaderFields.isSame(name, "Range") { range = Self.joined(range, field.value) }
            case 8:
                if HeaderFields.isSame(name, "If-Match") {
                    isForOrigin = true
                } else if HeaderFields.isSame(name, "If-Range") {
                    conditions.ifRange = Self.joined(conditions.ifRange, field.value)
                }
            case 17:
                if HeaderFields.isSame(name, "If-Modified-Since") {
                    conditions.modifiedSince = Self.joined(conditions.modifiedSince, field.value)
                }
            case 7: if HeaderFields.isSame(name, "Upgrade") { isForOrigin = true }
            case 19: if HeaderFields.isSame(name, "If-Unmodified-Since") { isForOrigin = true }
            default: break
            }
        }
        if let range {
            conditions.range = ByteRange(range)
            isForOrigin = isForOrigin || conditions.range == nil
        }
        if conditions != RequestConditions() { self.conditions = conditions }
        guard hasControl else {
            noCache = pragma
            return
        }
        let control = CacheDirectives(lines.flatMap { CacheDirectives(parsing: $0).directives })
        noCache = control.noCache != nil
        noStore = control.noStore
        onlyIfCached = control.onlyIfCached
        maxAge = control.maxAge.map(ResponseTerms.seconds)
        maxStale = control.maxStale.map(ResponseTerms.seconds)
        minFresh = control.minFresh.map(ResponseTerms.seconds)
        staleIfError = control.staleIfError.map(ResponseTerms.seconds)
    }

    /// Joins the lines of a field (RFC 9110 §5.3).
    private static func joined(_ lines: String?, _ line: String) -> String {
        let line = String(line.trimmed)
        return lines.map { $0 + ", " + line } ?? line
    }
}
