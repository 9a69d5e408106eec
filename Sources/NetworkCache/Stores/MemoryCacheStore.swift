import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A store that keeps responses in memory, up to a total size. The least recently used key is evicted first, with all its
/// variants.
///
/// ```swift
/// let limits = CacheStoreLimits(maximumBytes: 64 << 20)
/// let store = MemoryCacheStore(limits: limits) { print($0, $1.rawValue) }
/// ```
public final class MemoryCacheStore: CacheStore {
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
    package let limits: CacheStoreLimits
    private let state = Locked(State())
    private let onRemoval: CacheRemovalHandler?

    /// Creates a store with limits.
    ///
    /// - Parameters:
    ///   - limits: The limits. Default: ``CacheStoreLimits/memory``. Negative numbers count as zero, with which nothing is stored.
    ///   - onRemoval: Called for each response that is removed, with the reason.
    public init(limits: CacheStoreLimits = .memory, onRemoval: CacheRemovalHandler? = nil) {
        self.limits = limits
        self.onRemoval = onRemoval
    }

    /// The size of all entries, in bytes of ``CacheEntry/footprint``.
    public var byteCount: Int { state.withLock(\.bytes) }
    /// The number of stored responses, counting each variant.
    public var count: Int { state.withLock(\.count) }
    /// The maximum size of an entry, in bytes: the smaller of the limits for one entry and for all entries.
    public var maximumEntryBytes: Int { min(limits.maximumEntryBytes, limits.maximumBytes) }

    /// Returns all variants that are stored under a key, and marks them as used. Never throws.
    public func entries(for key: CacheKey) -> [CacheEntry] {
        state.withLock { $0.table.use(key)?.entries ?? [] }
    }

    /// Stores a response. If it exceeds the limit for one entry, it is not stored, but the response that it would replace is
    /// removed. Never throws.
    public func save(_ entry: CacheEntry) {
        let removals = state.withLock { state in
            var removals = state.replace(
                entry, keeps: entry.footprint <= maximumEntryBytes, maximumVariants: limits.maximumVariants)
            while state.bytes > limits.maximumBytes || state.table.count > limits.maximumKeys, let key = state.table.oldestKey {
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

extension MemoryCacheStore: RedactedStringConvertible {}
