import Endpoints
import Foundation
import NetworkCore

/// A complete response as it is kept: what RFC 9111 §3 lets a cache keep of it, and all that is needed to decide when it may be used.
///
/// Trailers are not kept. Descriptions show no body, no query and no header that could be secret.
public struct StoredResponse: Sendable, Equatable {
    /// A request field that `Vary` names, as it was in the request (RFC 9111 §4.1).
    public struct VaryingField: Hashable, Sendable {
        /// In lower case.
        public var name: String
        /// All lines of the field, joined; `nil` where there was none. Of a field that holds a credential, its digest.
        public var value: String?

        /// A field and its value.
        public init(name: String, value: String?) {
            self.name = name
            self.value = value
        }
    }

    /// What it answers.
    public var key: CacheKey
    /// The request fields that `Vary` names, in the order of their names; empty without `Vary`.
    public var varying: [VaryingField]
    /// The final status.
    public var statusCode: Int
    /// Without those of a single connection (RFC 9111 §3.1).
    public var headers: HTTPHeaders
    /// After content decoding, and whole.
    public var body: Data
    /// The URL that answered.
    public var url: URL
    /// When the request was sent (RFC 9111 §4.2.3).
    public var requestTime: Date
    /// When the response came, or was last found valid.
    public var responseTime: Date

    /// A response of these parts; nothing is checked.
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

    /// Roughly what keeping it in memory takes, in bytes: the body, all texts, and some for what holds them.
    public var footprint: Int {
        let fields = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 48 }
        let varying = varying.reduce(0) { $0 + $1.name.utf8.count + ($1.value?.utf8.count ?? 0) + 48 }
        return 512 + body.count + fields + varying + 2 * key.url.utf8.count + key.partition.utf8.count
    }
}

extension StoredResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The key, status, the size of the body, and headers without secrets.
    public var description: String { "\(key): \(statusCode), \(body.count) bytes, \(headers)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension StoredResponse.VaryingField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name alone.
    public var description: String { name }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A stored response together with what its fields say, read once: what stores hand out.
///
/// A store that keeps bytes makes one of each response it reads.
public final class CacheEntry: Sendable {
    /// The response.
    public let response: StoredResponse
    /// What it counts for in a limit of bytes: ``StoredResponse/footprint``.
    public let footprint: Int
    let terms: ResponseTerms

    /// Reads the fields of a response.
    public init(_ response: StoredResponse) {
        self.response = response
        footprint = response.footprint
        terms = ResponseTerms(response)
    }

    /// Whether one takes the other's place: the same key and the same values of the fields that `Vary` names.
    public func isSameVariant(as other: CacheEntry) -> Bool {
        response.key == other.response.key && response.varying == other.response.varying
    }
}
