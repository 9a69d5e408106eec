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
    /// The response for callers without validation, except for the fields that each use adds: the fields that `no-cache` lists are removed
    /// (RFC 9111 §5.2.2.4). Copies share its fields and its body.
    let served: NetworkResponse
    private let lastUse = Locked(LastUse())
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
        if !terms.hiddenFields.isEmpty { served.headers.remove(terms.hiddenFields) }
        self.served = served
        isRedirect = response.isRedirect
    }

    /// The response for callers after its validation, with all fields.
    var whole: NetworkResponse {
        var whole = served
        whole.headers = response.headers
        return whole
    }

    /// Returns the response for a caller, without validation: the last one, if it is the same.
    ///
    /// - Parameters:
    ///   - age: The age in seconds.
    ///   - ttl: The remaining freshness in seconds.
    ///   - cache: The text that names the cache, as several may share a store.
    ///   - addFields: Adds the fields that follow from these. Called, without a lock held, unless they are those of the last response.
    func hit(
        age: Int, ttl: Int, of cache: String, _ addFields: (inout NetworkResponse) -> Void
    ) -> NetworkResponse {
        let last: NetworkResponse? = lastUse.withLock { use in
            guard let hit = use.hit, hit.age == age, hit.ttl == ttl, hit.cache == cache else { return nil }
            return hit.response
        }
        if let last { return last }
        var response = served
        addFields(&response)
        lastUse.withLock { $0.hit = LastUse.Hit(age: age, ttl: ttl, cache: cache, response: response) }
        return response
    }

    /// Returns whether a line of a request field is the one that was remembered for the varying field at an index.
    func hasRemembered(_ line: String, at index: Int) -> Bool {
        let known = lastUse.withLock { $0.lines[index] }
        return known?.hasSameBytes(as: line) ?? false
    }

    /// Remembers a line of a request field that matches the varying field at an index although it is written differently, such as a list in
    /// another order. It must not be a credential. Lines of more than 1 KiB are not remembered.
    func remember(_ line: String, at index: Int) {
        if line.utf8.count <= 1024 { lastUse.withLock { $0.lines[index] = line } }
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

/// What the uses of an entry have in common.
private struct LastUse {
    /// The last response for a caller, which is the same for all callers within a second.
    struct Hit {
        var age: Int
        var ttl: Int
        var cache: String
        var response: NetworkResponse
    }

    var hit: Hit?
    /// The last line that matched a varying field, by its index.
    var lines: [Int: String] = [:]
}

extension CacheEntry: RedactedStringConvertible {
    /// The description of the response, with secrets redacted.
    public var description: String { response.description }
}
