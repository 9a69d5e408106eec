import Foundation
import NetworkCore

/// Keeps responses in memory, up to a number of bytes: those longest unused go first, all variants under a key together.
///
/// ```swift
/// let store = MemoryCacheStore(maximumBytes: 64 << 20) { key, reason in print("\(key): \(reason.rawValue)") }
/// ```
public final class MemoryCacheStore: CacheStore {
    /// The limits it was made with.
    public struct Limits: Hashable, Sendable {
        /// All entries together, in bytes of ``CacheEntry/footprint``. 16 MiB.
        public var bytes = 16 << 20
        /// One entry, in bytes. 4 MiB; never more than ``bytes``.
        public var entryBytes = 4 << 20
        /// Keys, each with all its variants. 10,000.
        public var keys = 10_000
        /// Variants under one key (RFC 9111 §4.1); the one received first makes room. 8.
        public var variants = 8

        /// The defaults.
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

    /// What it keeps to.
    public let limits: Limits
    private let state = Locked(State())
    private let onRemoval: CacheRemovalHandler?

    /// - Parameters:
    ///   - maximumBytes: All entries together. 16 MiB unless given.
    ///   - onRemoval: Hears of each response that is no longer kept, and why.
    public convenience init(maximumBytes: Int = 16 << 20, onRemoval: CacheRemovalHandler? = nil) {
        var limits = Limits()
        limits.bytes = maximumBytes
        self.init(limits: limits, onRemoval: onRemoval)
    }

    /// - Parameter limits: Numbers below zero count as zero, which keeps nothing.
    public init(limits: Limits, onRemoval: CacheRemovalHandler? = nil) {
        self.limits = limits
        self.onRemoval = onRemoval
    }

    /// What all entries come to.
    public var byteCount: Int { state.withLock(\.bytes) }
    /// How many responses there are, variants counted each.
    public var count: Int { state.withLock(\.count) }
    /// The smaller of the limits for one entry and for all.
    public var maximumEntryBytes: Int { min(limits.entryBytes, limits.bytes) }

    /// All variants under a key. Never throws.
    public func entries(for key: CacheKey) -> [CacheEntry] {
        state.withLock { $0.table.use(key)?.entries ?? [] }
    }

    /// Keeps a response; one beyond the limit for one entry only takes the place of the older one, by removing it. Never throws.
    public func save(_ entry: CacheEntry) {
        let gone = state.withLock { state in
            var gone = state.replace(entry, keeps: entry.footprint <= maximumEntryBytes, maximumVariants: limits.variants)
            while state.bytes > limits.bytes || state.table.count > limits.keys, let key = state.table.oldestKey {
                gone += state.removeAll(key).map { ($0.response.key, .evicted) }
            }
            return gone
        }
        notify(gone)
    }

    /// Forgets what is selected. Never throws.
    @discardableResult
    public func remove(_ selection: CacheSelection, because reason: CacheRemoval = .removed) -> Int {
        let gone = state.withLock { $0.remove(selection) }
        notify(gone.map { ($0.response.key, reason) })
        return gone.count
    }

    private func notify(_ gone: [(CacheKey, CacheRemoval)]) {
        guard let onRemoval else { return }
        for (key, reason) in gone { onRemoval(key, reason) }
    }
}

extension MemoryCacheStore.State {
    mutating func replace(_ entry: CacheEntry, keeps: Bool, maximumVariants: Int) -> [(CacheKey, CacheRemoval)] {
        let key = entry.response.key
        var gone: [(CacheKey, CacheRemoval)] = []
        var entries = table.peek(key)?.entries ?? []
        if let index = entries.firstIndex(where: { $0.isSameVariant(as: entry) }) {
            entries.remove(at: index)
            gone.append((key, .replaced))
        }
        if keeps {
            entries.append(entry)
            while entries.count > max(0, maximumVariants) {
                entries.removeFirst()
                gone.append((key, .evicted))
            }
        }
        set(entries, for: key)
        return gone
    }

    mutating func removeAll(_ key: CacheKey) -> [CacheEntry] {
        let entries = table.peek(key)?.entries ?? []
        set([], for: key)
        return entries
    }

    mutating func remove(_ selection: CacheSelection) -> [CacheEntry] {
        var gone: [CacheEntry] = []
        for key in keys(selection) {
            guard let entries = table.peek(key)?.entries else { continue }
            let kept = entries.filter { !selection.contains(key, storedAt: $0.response.responseTime) }
            guard kept.count < entries.count else { continue }
            gone += entries.filter { selection.contains(key, storedAt: $0.response.responseTime) }
            set(kept, for: key)
        }
        return gone
    }

    /// Those that come into question.
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
