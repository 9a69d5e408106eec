import Endpoints
import Foundation

/// Which responses are meant: those that meet all conditions that are set. Without any, all.
///
/// ```swift
/// await cache.remove(.host("api.example.com"))
/// await cache.remove(.storedBefore(Date(timeIntervalSinceNow: -86_400)))
/// ```
public struct CacheSelection: Hashable, Sendable {
    /// Only those under this key.
    public var key: CacheKey?
    /// Only those of this URL in its normal form (``CacheKey/url``), in all partitions.
    public var url: String?
    /// Only those of this host, in lower case, whatever scheme and port.
    public var host: String?
    /// Only those of this partition (``CacheKey/partition``).
    public var partition: String?
    /// Only those received before this date.
    public var storedBefore: Date?

    /// Without conditions: all.
    public init() {}

    /// All.
    public static let all = CacheSelection()

    /// All variants under a key.
    public static func key(_ key: CacheKey) -> CacheSelection {
        var selection = CacheSelection()
        selection.key = key
        return selection
    }

    /// Those of a URL, whoever they are for.
    public static func url(_ url: URL) -> CacheSelection {
        var selection = CacheSelection()
        selection.url = NormalURL.text(of: url)
        return selection
    }

    /// Those of a host, compared without case, whatever scheme and port.
    public static func host(_ host: String) -> CacheSelection {
        var selection = CacheSelection()
        selection.host = host.lowercased()
        return selection
    }

    /// Those of a partition: what a user leaves behind at a logout.
    public static func partition(_ partition: CachePartition) -> CacheSelection {
        var selection = CacheSelection()
        selection.partition = partition.text
        return selection
    }

    /// Those received, or last found valid, before a date.
    public static func storedBefore(_ date: Date) -> CacheSelection {
        var selection = CacheSelection()
        selection.storedBefore = date
        return selection
    }

    /// Whether a response is meant.
    ///
    /// - Parameter date: When it was received: ``StoredResponse/responseTime``.
    public func contains(_ other: CacheKey, storedAt date: Date) -> Bool {
        if let key, key != other { return false }
        if let url, url != other.url { return false }
        if let partition, partition != other.partition, !other.partition.hasPrefix(partition + CacheKey.trustMark) {
            return false
        }
        if let storedBefore, date >= storedBefore { return false }
        if let host, host != other.host { return false }
        return true
    }
}

extension CacheSelection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The conditions, without the query of a URL.
    public var description: String {
        let conditions = [
            key.map { "key \($0)" }, url.map { "URL \(URLText($0).originAndPath)" }, host.map { "host \($0.printable)" },
            partition.map { "partition \($0.printable)" }, storedBefore.map { "stored before \(HTTPDate($0))" },
        ]
        let text = conditions.compactMap(\.self).joined(separator: ", ")
        return "CacheSelection(\(text.isEmpty ? "all" : text))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
