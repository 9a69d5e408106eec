import Endpoints
import NetworkLogging

/// A content coding that can be decoded, named as in `Content-Encoding` and `Accept-Encoding` (RFC 9110 §8.4.1).
enum ContentCoding: String, CaseIterable, Sendable {
    /// The gzip format (RFC 1952).
    case gzip
    /// The zlib format (RFC 1950); also raw deflate (RFC 1951), which some servers send.
    case deflate
    /// The brotli format (RFC 7932).
    case brotli = "br"
    /// The zstd format (RFC 8878), with a window of at most 8 MiB (RFC 9659).
    case zstd

    /// The maximum number of codings on one body; a body with more is not decoded.
    static let maximumCount = 3

    /// Returns the codings of a `Content-Encoding`, in the order in which they were applied, without `identity`.
    ///
    /// Names are case-insensitive, `x-gzip` means `gzip` (RFC 9110 §8.4.1.3), and empty elements are ignored (§5.6.1.2).
    ///
    /// - Returns: `nil` if a coding is unknown, or there are more than ``maximumCount``.
    static func list(_ contentEncoding: String) -> [ContentCoding]? {
        var codings: [ContentCoding] = []
        for element in contentEncoding.listElements {
            let name = element.lowercased()
            switch name {
            case "identity": continue
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
    /// Returns whether a response is decoded. It is not if the request explicitly accepts one of its codings (RFC 9110 §12.5.3), or asks for
    /// a range (§14.2), because a part of coded content cannot be decoded. Content that a server has coded without a request is decoded.
    ///
    /// - Parameters:
    ///   - contentEncoding: The value of `Content-Encoding`.
    ///   - headers: The header fields that the request sets explicitly.
    static func areUndone(_ contentEncoding: String, for headers: HeaderFields) -> Bool {
        if headers.contains("Range") { return false }
        guard headers.contains("Accept-Encoding") else { return true }
        let names = headers.values(for: "Accept-Encoding").flatMap { accepted(by: $0) }
        guard !names.contains("*"), let codings = list(contentEncoding) else { return false }
        return !codings.contains { names.contains($0.rawValue) }
    }

    /// Returns the names in an `Accept-Encoding` whose weight is not 0.
    private static func accepted(by field: String) -> [String] {
        field.listElements.compactMap { element in
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            guard let name = parts.first, weight != 0 else { return nil }
            return name == "x-gzip" ? gzip.rawValue : name
        }
    }
}
