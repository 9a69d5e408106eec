import Foundation
import NetworkCore

/// Keeps responses in a directory, up to a number of bytes and of keys: those longest unused go first, all variants under a key
/// together.
///
/// ```swift
/// let store = try DiskCacheStore(directory: folder, maximumBytes: 256 << 20)
/// ```
///
/// **Several processes** may share the directory, and any of them may be killed at any moment: what was saved is found again, and
/// nothing is ever mixed. Nothing waits for the disk (`fsync`), so a loss of power may lose the last entries; what is damaged is
/// a miss, and removed. Entries of another version of the format are misses, and stay until they are replaced or make room.
///
/// **Safety.** The directory has to belong to this user and to be writable by nobody else, and may be no symbolic link. What is
/// made in it may be read by its owner alone. Names of files are hashes. The checksums find damage, not intent: whoever can write
/// to the directory can put answers into it.
///
/// **Limits** hold within about a sixteenth: room is made in the background, in small steps that no request waits for. "Longest
/// unused" is known to the minute.
///
/// **Threads.** Opening reads no entry, and takes no longer for a hundred thousand than for none. Everything is read and written on
/// ``NetworkCore/BackgroundThreads/files``: reads side by side, changes one after another.
public final class DiskCacheStore: CacheStore {
    /// The limits it was made with.
    public struct Limits: Hashable, Sendable {
        /// All entries together, in bytes of their files. 128 MiB.
        public var bytes = 128 << 20
        /// One key with all its variants, in bytes; the variant received first makes room. 8 MiB; never more than ``bytes``.
        public var entryBytes = 8 << 20
        /// Keys, each with all its variants. 100,000.
        public var keys = 100_000
        /// Variants under one key (RFC 9111 §4.1); the one received first makes room. 8.
        public var variants = 8

        /// The defaults.
        public init() {}
    }

    /// Beyond the responses: keys, and what is noted of them.
    private static let overhead = 64 << 10

    /// Where they are.
    public let directory: URL
    /// What it keeps to.
    public let limits: Limits
    let records: DiskRecords
    private let onRemoval: CacheRemovalHandler?

    /// Opens the directory, or makes it.
    ///
    /// - Parameters:
    ///   - maximumBytes: All entries together. 128 MiB unless given.
    ///   - onRemoval: Hears of each response that this process no longer keeps, and why. For it, each is read once more before it
    ///     makes room.
    /// - Throws: ``CacheStoreError`` where it cannot be made, is not this user's alone, or may not be written.
    public convenience init(
        directory: URL, maximumBytes: Int = 128 << 20, onRemoval: CacheRemovalHandler? = nil
    ) throws(CacheStoreError) {
        var limits = Limits()
        limits.bytes = maximumBytes
        try self.init(directory: directory, limits: limits, onRemoval: onRemoval)
    }

    /// Opens the directory, or makes it.
    ///
    /// - Parameter limits: Numbers below zero count as zero, which keeps nothing.
    /// - Throws: ``CacheStoreError`` where it cannot be made, is not this user's alone, or may not be written.
    public convenience init(directory: URL, limits: Limits, onRemoval: CacheRemovalHandler? = nil) throws(CacheStoreError) {
        try self.init(directory: directory, limits: limits, noting: .seconds(60), clock: { .now }, onRemoval: onRemoval)
    }

    init(
        directory: URL, limits: Limits, noting interval: Duration, clock: @escaping @Sendable () -> FileTime,
        onRemoval: CacheRemovalHandler? = nil
    ) throws(CacheStoreError) {
        self.directory = directory
        self.limits = limits
        self.onRemoval = onRemoval
        let recordBytes = min(max(0, limits.entryBytes), Int.max - Self.overhead) + Self.overhead
        let notify = onRemoval.map { onRemoval in
            { @Sendable (head: DiskRecordHead, reason: CacheRemoval) in
                guard let key = StoredVariants.key(in: head.key), let variants = StoredVariants.notes(in: head.info) else {
                    return
                }
                for _ in variants { onRemoval(key, reason) }
            }
        }
        records = try DiskRecords(
            directory, limits: DiskLimits(bytes: limits.bytes, entries: limits.keys, recordBytes: recordBytes),
            noting: interval, clock: clock, onRemoval: notify)
    }

    /// The smaller of the limits for one entry and for all.
    public var maximumEntryBytes: Int { max(0, min(limits.entryBytes, limits.bytes)) }
    /// What all files come to, as last counted. Until the first count after opening has ended, what was found so far.
    public var byteCount: Int { records.usage.bytes }
    /// How many keys there are, as last counted.
    public var count: Int { records.usage.count }

    /// All variants under a key. What is damaged or cannot be read is left out. Never throws.
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        guard let record = await records.read(StoredVariants.recordKey(key)) else { return [] }
        return StoredVariants(record)?.entries(of: key) ?? []
    }

    /// Keeps a response.
    ///
    /// - Throws: ``CacheStoreError``, such as ``CacheStoreError/Code/diskFull``. One beyond the limit for one entry is
    ///   ``CacheStoreError/Code/tooLarge``, and the older one is gone then.
    public func save(_ entry: CacheEntry) async throws(CacheStoreError) {
        let new = StoredVariants.Variant(entry.response)
        let fits = entry.footprint <= maximumEntryBytes && new.bytes.count <= maximumEntryBytes && limits.variants > 0
        let gone = Locked<[CacheRemoval]>([])
        try await records.update(StoredVariants.recordKey(entry.response.key)) { [limits, maximumEntryBytes] old in
            var variants = old.flatMap(StoredVariants.init) ?? StoredVariants()
            let reasons = variants.put(
                fits ? new : nil, insteadOf: new, maximumBytes: maximumEntryBytes, maximumCount: limits.variants)
            gone.withLock { $0 = reasons }
            return variants.replacement
        }
        for reason in gone.withLock(\.self) { onRemoval?(entry.response.key, reason) }
        guard fits else {
            throw CacheStoreError(
                .tooLarge, "a response takes \(entry.footprint) bytes, and one may take \(maximumEntryBytes)",
                path: directory.path)
        }
    }

    /// Forgets what is selected. A key or a URL is found at once; for any other selection the beginning of each file is read, ten
    /// microseconds each.
    ///
    /// - Throws: ``CacheStoreError``, after all that could be forgotten is.
    @discardableResult
    public func remove(_ selection: CacheSelection, because reason: CacheRemoval = .removed) async throws(CacheStoreError) -> Int
    {
        if let key = selection.key { return try await remove([key], selection, because: reason) }
        let heads = await records.heads(ofGroup: selection.url.map { Array($0.utf8) })
        guard selection == .all else {
            return try await remove(heads.compactMap { StoredVariants.key(in: $0.key) }, selection, because: reason)
        }
        try await records.removeAll()
        var count = 0
        for head in heads {
            guard let key = StoredVariants.key(in: head.key), let notes = StoredVariants.notes(in: head.info) else { continue }
            count += notes.count
            for _ in notes { onRemoval?(key, reason) }
        }
        return count
    }

    private func remove(
        _ keys: [CacheKey], _ selection: CacheSelection, because reason: CacheRemoval
    ) async throws(CacheStoreError) -> Int {
        var failure: CacheStoreError?
        var sum = 0
        for key in keys where selection.contains(key, storedAt: .distantPast) {
            let count = Locked(0)
            do throws(CacheStoreError) {
                try await records.update(StoredVariants.recordKey(key)) { old in
                    guard var variants = old.flatMap(StoredVariants.init) else { return .same }
                    let removed = variants.removeAll { selection.contains(key, storedAt: $0) }
                    count.withLock { $0 = removed }
                    return removed == 0 ? .same : variants.replacement
                }
            } catch {
                failure = error
                continue
            }
            sum += count.withLock(\.self)
            for _ in 0..<count.withLock(\.self) { onRemoval?(key, reason) }
        }
        if let failure { throw failure }
        return sum
    }
}
