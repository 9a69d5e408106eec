import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A complete response in the form in which a cache stores it (RFC 9111 §3), with the data needed to decide when it may be used.
///
/// Trailers are not stored. Descriptions contain no body, no query and no header field that could be secret.
public struct StoredResponse: Sendable, Equatable {
    /// A request field that `Vary` names, with its value in the request (RFC 9111 §4.1).
    public struct VaryingField: Hashable, Sendable {
        /// The name of the field, in lower case.
        public var name: String
        /// The joined values of all lines of the field, or `nil` if the request had none. For a field that may contain
        /// credentials, a digest.
        public var value: String?

        /// Creates a field with a name and a value.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// The key under which the response is stored.
    public var key: CacheKey
    /// The request fields that `Vary` names, sorted by name. Empty without `Vary`.
    public var varying: [VaryingField]
    /// The status code of the final response.
    public var statusCode: Int
    /// The header fields, without those of a single connection (RFC 9111 §3.1).
    public var headers: HTTPHeaders
    /// The complete body after content decoding.
    public var body: Data
    /// The URL from which the response was received.
    public var url: URL
    /// The date at which the request was sent (RFC 9111 §4.2.3).
    public var requestTime: Date
    /// The date at which the response was received or last validated.
    public var responseTime: Date

    /// Creates a response from its parts, without checking them.
    public init(
        key: CacheKey, varying: [VaryingField] = [], statusCode: Int = 200, headers: HTTPHeaders = [:], body: Data = Data(),
        url: URL, requestTime: Date, responseTime: Date
    ) {
        self.key = key
        self.varying = varying
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
        self.url = url
        self.requestTime = requestTime
        self.responseTime = responseTime
    }

    /// The approximate memory that the response takes, in bytes: the body, all texts, and an overhead.
    public var footprint: Int {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 48 }
        let varying = varying.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 48 }
        return 512 + body.count + fields + varying + 2 * key.url.utf8.count + key.partition.utf8.count
    }
}

extension StoredResponse: RedactedStringConvertible {
    /// The key, the status code, the size of the body, and the headers without secrets.
    public var description: String { "\(key): \(statusCode), \(body.count) bytes, \(headers)" }
}

extension StoredResponse.VaryingField: RedactedStringConvertible {
    /// The name of the field, without its value.
    public var description: String { name }
}

/// A stored response together with its parsed caching metadata. Stores return responses as entries.
///
/// A store that keeps encoded responses creates an entry for each response that it reads.
public final class CacheEntry: Sendable {
    /// The stored response.
    public let response: StoredResponse
    /// The size of the entry for limits, in bytes: ``StoredResponse/footprint``.
    public let footprint: Int
    let terms: ResponseTerms

    /// Creates an entry by parsing the header fields of a response.
    public init(_ response: StoredResponse) {
        self.response = response
        footprint = response.footprint
        terms = ResponseTerms(response)
    }

    /// Returns whether two entries have the same key and the same values of the fields that `Vary` names, so that one replaces
    /// the other.
    public func isSameVariant(as other: CacheEntry) -> Bool {
        response.key == other.response.key && response.varying == other.response.varying
    }
}
