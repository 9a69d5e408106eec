import Endpoints
import Foundation
import NetworkLogging

/// A selection of stored responses: those that meet all conditions that are set, or all responses if no condition is set.
///
/// ```swift
/// try await cache.remove(.host("api.example.com"))
/// try await cache.remove(.storedBefore(Date(timeIntervalSinceNow: -86_400)))
/// ```
public struct CacheSelection: Hashable, Sendable {
    /// The key of the responses, or `nil` for any key.
    package var key: CacheKey?
    /// The URL of the responses in its normal form (``CacheKey/url``), or `nil` for any URL.
    package var url: String?
    /// The host of the responses in lower case, with any scheme and port, or `nil` for any host.
    package var host: String?
    /// The partition of the responses (``CachePartition/text``), or `nil` for any partition.
    package var partition: String?
    /// The date before which the responses were received, or `nil` for any date.
    package var storedBefore: Date?

    /// Creates a selection without conditions, which selects all responses.
    package init() {}

    /// The selection of every response of the store, in all partitions, also those of other caches that share it.
    public static let all = CacheSelection()

    /// Selects all variants that are stored under a key.
    public static func key(_ key: CacheKey) -> CacheSelection {
        var selection = CacheSelection()
        selection.key = key
        return selection
    }

    /// Selects the responses for a URL, in all partitions.
    public static func url(_ url: URL) -> CacheSelection {
        var selection = CacheSelection()
        selection.url = NormalURL.text(of: url)
        return selection
    }

    /// Selects the responses of a host, compared case-insensitively, with any scheme and port.
    public static func host(_ host: String) -> CacheSelection {
        var selection = CacheSelection()
        selection.host = host.lowercased()
        return selection
    }

    /// Selects the responses of a partition, of all session managers, for example to remove them when a user logs out.
    public static func partition(_ partition: CachePartition) -> CacheSelection {
        var selection = CacheSelection()
        selection.partition = partition.text
        return selection
    }

    /// Selects the responses that were received or last validated before a date.
    public static func storedBefore(_ date: Date) -> CacheSelection {
        var selection = CacheSelection()
        selection.storedBefore = date
        return selection
    }

    /// Returns whether a response is selected.
    ///
    /// - Parameters:
    ///   - other: The key of the response.
    ///   - date: The date at which it was received or last validated: ``CacheEntry/storedAt``.
    public func contains(_ other: CacheKey, storedAt date: Date) -> Bool {
        if let key, key != other { return false }
        if let url, url != other.url { return false }
        if let partition, !partition.utf8.elementsEqual(other.user.utf8) { return false }
        if let storedBefore, date >= storedBefore { return false }
        if let host, host != other.host { return false }
        return true
    }
}

extension CacheSelection: RedactedStringConvertible {
    /// A textual representation of the conditions, without the query of a URL.
    public var description: String {
        let conditions = [
            key.map { "key \($0)" }, url.map { "URL \(URLText($0).originAndPath)" }, host.map { "host \($0.printable)" },
            partition.map { "partition \($0.printable)" }, storedBefore.map { "stored before \(HTTPDate($0))" },
        ]
        let text = conditions.compactMap(\.self).joined(separator: ", ")
        return "CacheSelection(\(text.isEmpty ? "all" : text))"
    }
}
