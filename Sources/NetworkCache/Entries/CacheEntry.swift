import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A stored response together with its parsed caching metadata. Stores return responses as entries.
///
/// A store in memory keeps entries. A store elsewhere keeps the bytes of ``encoded()``, and creates an entry from them for each
/// response that it reads.
public final class CacheEntry: Sendable {
    /// The stored response.
    package let response: StoredResponse
    /// The approximate memory that the response takes, in bytes: the body, all texts, and an overhead.
    public let footprint: Int
    let terms: ResponseTerms
    /// The response for callers, without the fields that each use of it adds. Copies share its fields and its body.
    let whole: NetworkResponse
    /// The same without the fields that are removed if the response is used without validation (RFC 9111 §5.2.2.4).
    let served: NetworkResponse
    /// The last response for a caller, which is the same for all callers within a second.
    private let lastHit = Locked<Hit?>(nil)
    /// ``StoredResponse/isRedirect`` of the response.
    let isRedirect: Bool

    /// A response without fields, whose timings all others share.
    private static let emptyResponse = NetworkResponse(statusCode: 200, url: URL(fileURLWithPath: "/"))

    /// Creates an entry by parsing the header fields of a response.
    package init(_ response: StoredResponse) {
        self.response = response
        footprint = response.footprint
        terms = ResponseTerms(response)
        var served = Self.emptyResponse
        served.statusCode = response.statusCode
        served.headers = response.headers
        served.body = .data(response.body)
        served.lazyURL = .url(response.url)
        whole = served
        if !terms.hiddenFields.isEmpty { served.headers.remove(terms.hiddenFields) }
        self.served = served
        isRedirect = response.isRedirect
    }

    private struct Hit {
        var age: Int
        var ttl: Int
        var status: String
        var response: NetworkResponse
    }

    /// Returns the response for a caller, without validation.
    ///
    /// - Parameters:
    ///   - age: The age in seconds.
    ///   - ttl: The remaining freshness in seconds.
    ///   - status: The writer of the cache, as several may share a store.
    func hit(age: Int, ttl: Int, _ status: CacheStatus) -> NetworkResponse {
        let last = lastHit.withLock { last in
            if let last, last.age == age, last.ttl == ttl, last.status == status.hitPrefix {
                last.response
            } else {
                NetworkResponse?.none
            }
        }
        if let last { return last }
        var response = served
        response.note(status.hit(ttl: ttl), age: age)
        lastHit.withLock { $0 = Hit(age: age, ttl: ttl, status: status.hitPrefix, response: response) }
        return response
    }

    /// Returns a binary encoding of the response for a store, which ``init(encoded:)`` of the same format version can read.
    public func encoded() -> Data { response.encoded() }

    /// The key under which the response is stored.
    public var key: CacheKey { response.key }

    /// The date at which the response was received or last validated.
    public var storedAt: Date { response.responseTime }

    /// Returns whether two entries have the same key and the same values of the fields that `Vary` names, so that one replaces
    /// the other.
    public func isSameVariant(as other: CacheEntry) -> Bool {
        response.key == other.response.key && response.varying == other.response.varying
    }
}

extension CacheEntry: RedactedStringConvertible {
    /// The description of the response, with secrets redacted.
    public var description: String { response.description }
}
