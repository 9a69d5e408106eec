import Endpoints
import Foundation
import NetworkSupport

/// The bytes of a complete content that one message contains (RFC 9110 §14.4).
struct ContentSpan: Sendable, Equatable {
    /// The positions of these bytes. Not empty for a part.
    var positions: Range<Int>
    /// The number of bytes of the complete content.
    var length: Int

    init(_ positions: Range<Int>, of length: Int) {
        self.positions = positions
        self.length = length
    }

    /// Parses `Content-Range: bytes 0-9/100`. Returns `nil` for other units, an unknown length, and positions that are not within it.
    init?(_ field: String) {
        let text = field.utf8.trimmed
        let unit = text.prefix { $0 != UInt8(ascii: " ") }
        let numbers = text.dropFirst(unit.count + 1).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard Substring(unit).lowercased() == "bytes", numbers.count == 2, let length = numbers[1].decimal(clampedTo: .max) else {
            return nil
        }
        let ends = numbers[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ends[0].decimal(clampedTo: .max), let last = ends[1].decimal(clampedTo: .max),
            first <= last, last < length
        else { return nil }
        self.init(Int(first)..<(Int(last) + 1), of: Int(length))
    }

    /// The value of `Content-Range`.
    var field: String { "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(length)" }
    var isComplete: Bool { positions == 0..<length }
}

extension StoredResponse {
    /// Whether only a part of the content is stored.
    var isPart: Bool { statusCode == 206 }

    /// The bytes of the content that ``body`` contains. `nil` if the body is not the part that `Content-Range` names.
    var span: ContentSpan? {
        guard isPart else { return ContentSpan(0..<body.count, of: body.count) }
        guard let span = headers["Content-Range"].flatMap({ ContentSpan($0) }), span.positions.count == body.count else {
            return nil
        }
        return span
    }
}

/// The rules for responses with a part of the content (RFC 9111 §3.3, §3.4). The functions have no side effects.
enum PartRules {
    /// Returns whether a part may be stored: it must be one range of bytes of content without a coding, and have a strong entity tag,
    /// with which it can be combined with others.
    static func isUsable(_ headers: HeaderFields) -> Bool {
        guard let tag = EntityTag(headers), !tag.isWeak, !headers.contains("Content-Encoding") else { return false }
        return headers["Content-Range"].flatMap { ContentSpan($0) } != nil
    }

    /// Returns a received part together with the stored response, if both are of the same content and leave no gap (§3.4): the bytes
    /// and the fields of the newer response replace those of the older one. Otherwise returns the part. If all bytes are there, the
    /// result is a complete response.
    static func combined(_ new: StoredResponse, with old: StoredResponse?) -> StoredResponse {
        var result = old.flatMap { merged(new, $0) } ?? new
        if result.isPart, result.span?.isComplete == true {
            result.statusCode = 200
            result.headers.remove("Content-Range")
        }
        return result
    }

    private static func merged(_ new: StoredResponse, _ old: StoredResponse) -> StoredResponse? {
        guard old.key == new.key, old.varying == new.varying, old.statusCode == 200 || old.isPart,
            isSameContent(new.headers, old.headers), let (first, second) = spans(old, new), first.length == second.length,
            first.positions.lowerBound <= second.positions.upperBound, second.positions.lowerBound <= first.positions.upperBound
        else { return nil }
        var body = Data(old.body.prefix(max(0, second.positions.lowerBound - first.positions.lowerBound)))
        body.append(new.body)
        body.append(old.body.suffix(max(0, first.positions.upperBound - second.positions.upperBound)))
        var result = old
        result.body = body
        result.requestTime = new.requestTime
        result.responseTime = new.responseTime
        result.headers = StorageRules.updatedHeaders(old.headers, by: new.headers, receivedAt: new.responseTime)
        guard old.isPart else { return result }
        let lower = min(first.positions.lowerBound, second.positions.lowerBound)
        for name in StorageRules.digestsOfContent { result.headers.remove(name) }
        result.headers.set(String(body.count), for: "Content-Length")
        result.headers.set(ContentSpan(lower..<(lower + body.count), of: first.length).field, for: "Content-Range")
        return result
    }

    private static func spans(_ old: StoredResponse, _ new: StoredResponse) -> (ContentSpan, ContentSpan)? {
        guard let old = old.span, let new = new.span else { return nil }
        return (old, new)
    }

    private static func isSameContent(_ new: HeaderFields, _ old: HeaderFields) -> Bool {
        guard let tag = EntityTag(new), let own = EntityTag(old), !old.contains("Content-Encoding") else { return false }
        return tag.matchesStrongly(own)
    }
}
