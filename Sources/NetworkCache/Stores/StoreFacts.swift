import Foundation
import NetworkCore
import NetworkSupport

// What a store outside of this package needs to know of keys, selections and entries.

extension CacheKey {
    /// The groups to which the key belongs, as SHA-256 digests in hexadecimal: its URL, its host and its partition, in this order.
    ///
    /// A store can note them for each response, to find those of a ``CacheSelection`` by ``CacheSelection/tags``. They reveal neither a
    /// query nor a credential, and are the same in all processes.
    public var tags: [String] {
        [Self.tag("url", url), Self.tag("host", host), Self.tag("partition", String(user))]
    }

    fileprivate static func tag(_ kind: String, _ text: String) -> String {
        var digest = DigestText()
        digest.add(kind)
        digest.add(text)
        return digest.hexadecimal
    }
}

extension CacheSelection {
    /// The key whose responses are selected, or `nil` for any key.
    public var onlyKey: CacheKey? { key }

    /// The tags that a selected response has: all of them are among ``CacheKey/tags`` of its key. Empty if neither URL, host nor
    /// partition is a condition.
    ///
    /// Dates are not part of them: ``contains(_:storedAt:)`` compares all conditions.
    public var tags: [String] {
        [
            url.map { CacheKey.tag("url", $0) }, host.map { CacheKey.tag("host", $0) },
            partition.map { CacheKey.tag("partition", $0) },
        ]
        .compactMap(\.self)
    }
}

extension CacheEntry {
    /// Creates an entry from the complete and unchanged bytes that ``encoded()`` returned.
    ///
    /// A checksum detects accidental damage, but not deliberate changes: anybody who can write to a store can insert responses.
    ///
    /// - Parameter encoded: The encoded response, of at most 64 MiB.
    /// - Throws: ``CacheStoreError`` with the code ``CacheStoreError/Code/encoding`` if the bytes are damaged, are too many, or were
    ///   written in another version of the format.
    public convenience init(encoded: Data) throws(CacheStoreError) {
        do {
            self.init(try StoredResponse(encoded: encoded))
        } catch {
            throw CacheStoreError(.encoding, error.description, underlying: error)
        }
    }

    /// The date at which the request was sent.
    public var requestedAt: Date { response.requestTime }

    /// Whether the response has an entity tag or a date with which it can be validated after it has become stale.
    public var hasValidator: Bool { terms.hasValidator }

    /// A SHA-256 digest of the fields that `Vary` names, in hexadecimal: equal for entries of the same key if
    /// ``isSameVariant(as:)`` is `true`, and different otherwise.
    public var variantDigest: String {
        var digest = DigestText()
        for field in response.varying {
            digest.add(field.name)
            digest.add(field.value == nil ? "" : "=")
            digest.add(field.value ?? "")
        }
        return digest.hexadecimal
    }

    /// The date until which the response may be used without validation: the end of its freshness (RFC 9111 §4.2), or of the time for
    /// which it may be served stale (RFC 5861). After it, or if it must be validated before each use, only ``hasValidator`` makes it
    /// useful.
    ///
    /// - Parameter options: The options of the cache, for a heuristic lifetime and for `staleIfError`.
    public func usableUntil(_ options: CacheOptions = CacheOptions()) -> Date {
        guard !terms.mustAsk else { return storedAt }
        var seconds = options.lifetime(terms) - terms.initialAge
        if !terms.mustRevalidate {
            let onFailure = terms.staleIfError ?? ResponseTerms.seconds(options.staleIfError)
            seconds += max(0, terms.staleWhileRevalidate, onFailure)
        }
        return storedAt.addingTimeInterval(max(0, seconds))
    }
}
