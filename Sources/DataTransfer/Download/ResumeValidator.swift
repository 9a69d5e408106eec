import Endpoints

/// What tells one version of a resource from another, strong enough to put two parts of it together (RFC 9110 §13.1.5).
struct ResumeValidator: Codable, Hashable, Sendable {
    /// How much older than the response a date has to be, in seconds, so that the resource cannot have changed twice within it, and
    /// two clocks that differ do no harm (RFC 9110 §8.8.2.2).
    private static let safeAge: Int64 = 60

    /// The value of `If-Range`: a strong entity tag, or a date.
    let text: String

    /// `nil` where the response has none that is strong.
    init?(_ headers: HTTPHeaders) {
        if let tag = headers["ETag"] {
            // A weak tag forbids the date too.
            guard Self.isStrong(tag) else { return nil }
            text = tag
        } else {
            guard let modified = headers["Last-Modified"], let then = HTTPDate(modified),
                let now = headers["Date"].flatMap({ HTTPDate($0) }),
                now.secondsSince1970 - then.secondsSince1970 >= Self.safeAge
            else { return nil }
            text = modified
        }
    }

    /// Whether ``text`` is a strong entity tag or a date: one that was read from a file may be anything.
    var isStrong: Bool { Self.isStrong(text) || HTTPDate(text) != nil }

    /// Whether a response with these fields is of another version. One that does not say so is of the same.
    func isContradicted(by headers: HTTPHeaders) -> Bool {
        let name = text.hasPrefix("\"") ? "ETag" : "Last-Modified"
        return headers[name].map { $0 != text } ?? false
    }

    /// RFC 9110 §8.8.3: quotes, and between them what is visible but no quote.
    private static func isStrong(_ tag: String) -> Bool {
        let bytes = Array(tag.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
            return false
        }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: "\"") && $0 != 0x7F }
    }
}
