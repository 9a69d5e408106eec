import Endpoints
import NetworkSupport

/// A content coding that can be decoded, named as in `Content-Encoding` and `Accept-Encoding` (RFC 9110 §8.4.1).
package enum ContentCoding: String, CaseIterable, Sendable {
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
            let name = element.asciiLowercased
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
    package static func areUndone(_ contentEncoding: String, for headers: HeaderFields) -> Bool {
        if headers.contains("Range") { return false }
        guard headers.contains("Accept-Encoding") else { return true }
        let names = weighted(in: headers).filter { $0.weight != 0 }.map(\.name)
        guard !names.contains("*"), let codings = list(contentEncoding) else { return false }
        return !codings.contains { names.contains($0.rawValue) }
    }

    /// Returns the names in the `Accept-Encoding` fields with their weights; 1 for a weight that is missing or malformed.
    fileprivate static func weighted(in headers: HeaderFields) -> [(name: String, weight: Double)] {
        headers.values(for: "Accept-Encoding").flatMap(\.listElements).compactMap { element in
            let parts = element.parts(at: ";").map { $0.trimmed.asciiLowercased }
            guard let name = parts.first else { return nil }
            let weight = parts.dropFirst().first { $0.begins(with: "q=") }.flatMap { Double(Substring($0.utf8.dropFirst(2))) }
            return (name == "x-gzip" ? gzip.rawValue : name, weight ?? 1)
        }
    }
}

extension HeaderFields {
    /// Whether the `Accept-Encoding` fields of a response list gzip as a coding of requests (RFC 7694 §3, RFC 9110 §12.5.3).
    package var acceptsGzip: Bool {
        let listed = ContentCoding.weighted(in: self)
        let own = listed.first { $0.name == ContentCoding.gzip.rawValue } ?? listed.first { $0.name == "*" }
        return own.map { $0.weight != 0 } ?? false
    }
}
