import Foundation
import NetworkCore

/// A store that keeps responses in memory, up to a total size. The least recently used key is evicted first, with all its
/// variants.
///
/// ```swift
/// let store = MemoryCacheStore(maximumBytes: 64 << 20) { key, reason in print("\(key): \(reason.rawValue)") }
/// ```
public final class MemoryCacheStore: CacheStore {
    /// The limits of a memory store.
    public struct Limits: Hashable, Sendable {
        /// The maximum size of all entries, in bytes of ``CacheEntry/footprint``. Default: 16 MiB.
        public var bytes = 16 << 20
        /// The maximum size of one entry, in bytes. Never more than ``bytes``. Default: 4 MiB.
        public var entryBytes = 4 << 20
        /// The maximum number of keys, each with all its variants. Default: 10,000.
        public var keys = 10_000
        /// The maximum number of variants under one key (RFC 9111 §4.1). Beyond it, the variant stored first is evicted.
        /// Default: 8.
        public var variants = 8

        /// Creates limits with the default values.
        public init() {}
    }

    fileprivate struct Bucket {
        var entries: [CacheEntry]
        var bytes: Int
    }

    fileprivate struct State {
        var table = RecencyTable<CacheKey, Bucket>()
        /// The keys of each URL: one per method and partition.
        var keysOfURL: [String: Set<CacheKey>] = [:]
        var bytes = 0
        var count = 0
    }

    /// The limits that the store was created with.
    public let limits: Limits
    private let state = Locked(State())
    private let onRemoval: CacheRemovalHandler?

    /// Creates a store with a total size limit.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of all entries, in bytes. Default: 16 MiB.
    ///   - onRemoval: Called for each response that is removed, with the reason.
    public convenience init(maximumBytes: Int = 16 << 20, onRemoval: CacheRemovalHandler? = nil) {
        var limits = Limits()
        limits.bytes = maximumBytes
        self.init(limits: limits, onRemoval: onRemoval)
    }

    /// Creates a store with limits.
    ///
    /// - Parameters:
    ///   - limits: The limits. Negative numbers count as zero, with which nothing is stored.
    ///   - onRemoval: Called for each response that is removed, with the reason.
    public init(limits: Limits, onRemoval: CacheRemovalHandler? = nil) {
        self.limits = limits
        self.onRemoval = onRemoval
    }

    /// The size of all entries, in bytes of ``CacheEntry/footprint``.
    public var byteCount: Int { state.withLock(\.bytes) }
    /// The number of stored responses, counting each variant.
    public var count: Int { state.withLock(\.count) }
    /// The maximum size of an entry, in bytes: the smaller of the limits for one entry and for all entries.
    public var maximumEntryBytes: Int { min(limits.entryBytes, limits.bytes) }

    /// Returns all variants that are stored under a key, and marks them as used. Never throws.
    public func entries(for key: CacheKey) -> [CacheEntry] {
        state.withLock { $0.table.use(key)?.entries ?? [] }
    }

    /// Stores a response. If it exceeds the limit for one entry, it is not stored, but the response that it would replace is
    /// removed. Never throws.
    public func save(_ entry: CacheEntry) {
        let removals = state.withLock { state in
            var removals = state.replace(entry, keeps: entry.footprint <= maximumEntryBytes, maximumVariants: limits.variants)
            while state.bytes > limits.bytes || state.table.count > limits.keys, let key = state.table.oldestKey {
                removals += state.removeAll(key).map { ($0.response.key, .evicted) }
            }
            return removals
        }
        notify(removals)
    }

    /// Removes the selected responses. Never throws.
    ///
    /// - Returns: The number of removed responses.
    @discardableResult
    public func remove(_ selection: CacheSelection, because reason: CacheRemoval = .removed) -> Int {
        let removals = state.withLock { $0.remove(selection) }
        notify(removals.map { ($0.response.key, reason) })
        return removals.count
    }

    private func notify(_ removals: [(CacheKey, CacheRemoval)]) {
        guard let onRemoval else { return }
        for (key, reason) in removals { onRemoval(key, reason) }
    }
}

extension MemoryCacheStore.State {
    mutating func replace(_ entry: CacheEntry, keeps: Bool, maximumVariants: Int) -> [(CacheKey, CacheRemoval)] {
        let key = entry.response.key
        var removals: [(CacheKey, CacheRemoval)] = []
        var entries = table.peek(key)?.entries ?? []
        if let index = entries.firstIndex(where: { $0.isSameVariant(as: entry) }) {
            entries.remove(at: index)
            removals.append((key, .replaced))
        }
        if keeps {
            entries.append(entry)
            while entries.count > max(0, maximumVariants) {
                entries.removeFirst()
                removals.append((key, .evicted))
            }
        }
        set(entries, for: key)
        return removals
    }

    mutating func removeAll(_ key: CacheKey) -> [CacheEntry] {
        let entries = table.peek(key)?.entries ?? []
        set([], for: key)
        return entries
    }

    mutating func remove(_ selection: CacheSelection) -> [CacheEntry] {
        var removals: [CacheEntry] = []
        for key in keys(selection) {
            guard let entries = table.peek(key)?.entries else { continue }
            let kept = entries.filter { !selection.contains(key, storedAt: $0.response.responseTime) }
            guard kept.count < entries.count else { continue }
            removals += entries.filter { selection.contains(key, storedAt: $0.response.responseTime) }
            set(kept, for: key)
        }
        return removals
    }

    /// Returns the keys that a selection may match.
    private func keys(_ selection: CacheSelection) -> [CacheKey] {
        if let key = selection.key { return [key] }
        if let url = selection.url { return Array(keysOfURL[url] ?? []) }
        return Array(table.keys)
    }

    private mutating func set(_ entries: [CacheEntry], for key: CacheKey) {
        let before = table.peek(key)
        bytes -= before?.bytes ?? 0
        count += entries.count - (before?.entries.count ?? 0)
        guard !entries.isEmpty else {
            guard table.remove(key) != nil else { return }
            keysOfURL[key.url]?.remove(key)
            if keysOfURL[key.url]?.isEmpty == true { keysOfURL[key.url] = nil }
            return
        }
        let sum = entries.reduce(0) { $0 + $1.footprint }
        bytes += sum
        table.set(MemoryCacheStore.Bucket(entries: entries, bytes: sum), for: key)
        if before == nil { keysOfURL[key.url, default: []].insert(key) }
    }
}
