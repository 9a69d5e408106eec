import Endpoints

/// The content codings that can be undone, named as in `Content-Encoding` and `Accept-Encoding` (RFC 9110 §8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
    /// RFC 1952.
    case gzip
    /// RFC 1950 around RFC 1951; also RFC 1951 alone, which some servers send.
    case deflate
    /// RFC 7932.
    case brotli = "br"
    /// RFC 8878, with a window of at most 8 MiB (RFC 9659).
    case zstd

    /// More codings than that on one body are not undone.
    static let maximumCount = 3

    /// The codings of a `Content-Encoding`, in the order in which they were applied; without `identity`.
    ///
    /// Names are compared without case, `x-gzip` means `gzip` (RFC 9110 §8.4.1.3), and empty elements are ignored (§5.6.1.2).
    /// `nil` where one of them is unknown, or where there are more than ``maximumCount``.
    static func list(_ contentEncoding: String) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for element in contentEncoding.utf8.split(separator: UInt8(ascii: ",")) {
            let name = String(Substring(element)).trimmed.lowercased()
            switch name {
            case "", "identity": continue
            case "x-gzip": codings.append(.gzip)
            default:
                guard let coding = ContentCoding(rawValue: name) else { return nil }
                codings.append(coding)
            }
            if codings.count > maximumCount { return nil }
        }
        return codings
    }
}

extension ContentCoding {
    /// Whether a response's codings are undone: unless the request itself asked for one of them, or for a part of the content, which
    /// could not be decoded (RFC 9110 §12.5.3, §14.2). So what a server compresses without being asked is
    /// decoded.
    static func areUndone(_ contentEncoding: String, for headers: HTTPHeaders) -> Bool {
        if headers.contains("Range") { return false }
        guard headers.contains("Accept-Encoding") else { return true }
        let names = headers.values(for: "Accept-Encoding").flatMap { accepted(by: $0) }
        guard !names.contains("*"), let codings = list(contentEncoding) else { return false }
        return !codings.contains { names.contains($0.rawValue) }
    }

    /// The names in an `Accept-Encoding` but for those that have a weight of 0.
    private static func accepted(by field: String) -> [String] {
        field.split(separator: ",").compactMap { element in
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map { String($0).trimmed.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            guard let name = parts.first, weight != 0 else { return nil }
            return name == "x-gzip" ? gzip.rawValue : name
        }
    }
}

extension String {
    /// Without outer spaces and tabs (OWS, RFC 9110 §5.6.3).
    fileprivate var trimmed: String {
        func isOuter(_ character: Character) -> Bool { character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isOuter($0) }), let last = lastIndex(where: { !isOuter($0) }) else { return "" }
        return String(self[first...last])
    }
}
