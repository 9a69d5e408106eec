import Endpoints
import Foundation
import NetworkSupport

/// The conditions and the range of a request that the cache evaluates itself (RFC 9111 §4.3.2, RFC 9110 §13.1, §14.2).
struct RequestConditions: Sendable, Equatable {
    /// The fields that contain them.
    static let names = ["If-None-Match", "If-Modified-Since", "Range", "If-Range"]

    /// `If-None-Match`, with its lines joined.
    var noneMatch: String?
    /// `If-Modified-Since`. Ignored if there is `If-None-Match` (RFC 9110 §13.1.3).
    var modifiedSince: String?
    /// `Range`, if it names a single range of bytes.
    var range: ByteRange?
    /// `If-Range`. Ignored without `Range` (§13.1.5).
    var ifRange: String?
}

/// A range of bytes that a request asks for (RFC 9110 §14.1.2).
enum ByteRange: Sendable, Equatable {
    /// The bytes from a position, through another one or to the end.
    case from(Int64, through: Int64?)
    /// The last bytes: at most this many.
    case last(Int64)

    /// Parses `Range`. Returns `nil` for other units, for several ranges, and for text that is not valid, for example because the
    /// last position is before the first. Numbers that are too large are clamped.
    init?(_ field: String) {
        let parts = field.utf8.trimmed.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, Substring(parts[0]).lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let last = ends[1].decimal(clampedTo: .max)
        if ends[0].isEmpty {
            guard let last else { return nil }
            self = .last(last)
        } else {
            guard let first = ends[0].decimal(clampedTo: .max), ends[1].isEmpty || (last ?? -1) >= first else { return nil }
            self = .from(first, through: last)
        }
    }

    /// Returns the positions in content of a length; `nil` if no byte is within it, so that the range cannot be satisfied.
    func positions(in length: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < Int64(length) else { return nil }
            return Int(first)..<(Int(min(last ?? .max, Int64(length) - 1)) + 1)
        case .last(let count):
            guard count > 0, length > 0 else { return nil }
            return (length - Int(min(count, Int64(length))))..<length
        }
    }
}

/// The form in which a stored response is returned.
enum ServedForm: Equatable {
    /// The response as it is stored.
    case whole
    /// 304: the caller has it already.
    case notModified
    /// 206 with these bytes.
    case part(ContentSpan)
    /// 416: the range is beyond the content of this length.
    case unsatisfiable(length: Int)
}

/// The rules for evaluating the conditions and the range of a request against a stored response (RFC 9111 §4.3.2). The functions
/// have no side effects.
enum ConditionRules {
    /// The minimum number of seconds between `Last-Modified` and `Date` with which the former is a strong validator, so that it may
    /// be compared with `If-Range` (RFC 9110 §8.8.2.2).
    static let strongDateAge: Int64 = 60

    /// The fields that a 304 response contains (RFC 9110 §15.4.5).
    private static let notModifiedFields = [
        "Cache-Control", "Cache-Status", "Content-Location", "Date", "ETag", "Expires", "Last-Modified", "Vary",
    ]

    /// Returns whether the response to a request can be made from a stored one.
    ///
    /// Not if the bytes that it asks for are not stored, nor for a range of decoded content: the body is stored after content
    /// decoding, but ranges count the bytes before it (RFC 9110 §8.4).
    static func canServe(_ request: RequestTerms, isHead: Bool, _ entry: CacheEntry) -> Bool {
        // Most requests have no conditions, and most responses are complete.
        if entry.response.statusCode != 206, request.conditions == nil { return true }
        let stored = entry.response
        if stored.isPart { return form(request.conditions ?? RequestConditions(), isHead: isHead, entry) != nil }
        return request.conditions?.range == nil || stored.statusCode != 200 || !stored.headers.contains("Content-Encoding")
    }

    /// Returns the form of the response, after evaluating the conditions in the order of RFC 9110 §13.2.2. `nil` if the bytes are not
    /// stored.
    static func form(_ conditions: RequestConditions, isHead: Bool, _ entry: CacheEntry) -> ServedForm? {
        let stored = entry.response
        let whole = stored.isPart ? nil : ServedForm.whole
        // Conditions apply only to what would be a successful response (§13.2.1).
        guard (200..<300).contains(stored.statusCode) else { return .whole }
        if let noneMatch = conditions.noneMatch {
            let tags = EntityTag.list(noneMatch)
            let own = entry.terms.entityTag
            if tags == ["*"] || tags.contains(where: { own?.matchesWeakly($0) ?? false }) { return .notModified }
        } else if let since = conditions.modifiedSince, isUnmodified(entry, since: since) {
            return .notModified
        }
        guard let range = conditions.range, !isHead, stored.statusCode == 200 || stored.isPart, let span = stored.span else {
            return whole
        }
        if let validator = conditions.ifRange, !isCurrent(validator, entry) { return whole }
        if let positions = range.positions(in: span.length) {
            return positions.clamped(to: span.positions) == positions ? .part(ContentSpan(positions, of: span.length)) : nil
        }
        // The last bytes of nothing exist, but cannot be written as a range.
        if case .last(let count) = range, count > 0 { return whole }
        return .unsatisfiable(length: span.length)
    }

    /// Returns the headers of a response without those that describe its content, for 304 and 416.
    static func withoutContent(_ headers: HeaderFields) -> HeaderFields {
        HeaderFields(headers.filter { field in notModifiedFields.contains { HeaderFields.isSame($0, field.name) } })
    }

    /// Returns whether a response was not modified after a date (§13.1.3). Without `Last-Modified`, its `Date` counts (RFC 9111
    /// §4.3.2). `false` if the text is not a date.
    private static func isUnmodified(_ entry: CacheEntry, since text: String) -> Bool {
        let received = entry.response.responseTime
        guard let since = HTTPDate(text, now: received) else { return false }
        let date = entry.terms.lastModified ?? entry.response.headers["Date"]
        return (date.flatMap { HTTPDate($0, now: received) } ?? HTTPDate(received)) <= since
    }

    /// Returns whether `If-Range` names the stored response (§13.1.5): a strong tag that is equal, or a modification date that is
    /// equal and strong.
    private static func isCurrent(_ validator: String, _ entry: CacheEntry) -> Bool {
        if let tag = entry.terms.entityTag, tag.matchesStrongly(validator) { return true }
        let received = entry.response.responseTime
        guard let modified = entry.terms.lastModified, modified == validator, let then = HTTPDate(modified, now: received),
            let date = entry.response.headers["Date"].flatMap({ HTTPDate($0, now: received) })
        else { return false }
        return date.secondsSince1970 - then.secondsSince1970 >= strongDateAge
    }
}
