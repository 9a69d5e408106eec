import Foundation
import NetworkCore
import NetworkSupport
import NetworkLogging

/// A store that keeps responses in a directory, up to a total size and number of keys. The least recently used key is evicted
/// first, with all its variants.
///
/// ```swift
/// let store = try DiskCacheStore(
///     directory: folder, limits: CacheStoreLimits(maximumBytes: 256 << 20))
/// ```
///
/// **Processes.** Several processes may share the directory, and any of them may be killed at any moment: saved responses remain
/// available, and contents of different responses are never mixed. Nothing waits for the disk (`fsync`), so a loss of power may
/// lose the last entries. A damaged entry is a miss, and is removed. An entry of another format version is a miss, and remains
/// until it is replaced or evicted.
///
/// **Safety.** The directory must belong to this user, must not be writable by others, and must not be a symbolic link. Files in
/// it are readable only by their owner. File names are hashes. The checksums detect accidental damage, but not deliberate
/// changes: anybody who can write to the directory can insert responses.
///
/// **Limits** may be exceeded by about a sixteenth: eviction runs in the background, in small steps for which no request waits.
/// The time of the last use is recorded with a precision of one minute.
///
/// **Threads.** Opening reads no entries, and takes the same time for a hundred thousand entries as for none. Files are read and
/// written on a group of threads that may block (`BackgroundThreads`): reads concurrently, changes one after another. On Linux, a
/// record of at most 64 KiB that the system has in memory is read on the caller's thread, with calls that fail rather than wait.
public final class DiskCacheStore: CacheStore {
    /// The number of bytes that a record may have in addition to its responses, for the key and the metadata.
    private static let overhead = 64 << 10

    /// The directory that contains the entries.
    package let directory: URL
    /// The limits that the store was created with.
    package let limits: CacheStoreLimits
    let records: DiskRecords
    private let onRemoval: CacheRemovalHandler?

    /// Creates a store in a directory, which is created if it does not exist.
    ///
    /// - Parameters:
    ///   - directory: The URL of the directory.
    ///   - limits: The limits. Default: ``CacheStoreLimits/disk``. Negative numbers count as zero, with which nothing is stored.
    ///   - onRemoval: Called for each response that this process removes, with the reason. With it, the head of each entry is
    ///     read before it is evicted.
    /// - Throws: ``CacheStoreError`` if the directory cannot be created, is not accessible to this user alone, or is not
    ///   writable.
    public convenience init(directory: URL, limits: CacheStoreLimits = .disk, onRemoval: CacheRemovalHandler? = nil)
        throws
    {
        try self.init(directory: directory, limits: limits, noting: .seconds(60), clock: { .now }, onRemoval: onRemoval)
    }

    init(
        directory: URL, limits: CacheStoreLimits, noting interval: Duration, clock: @escaping @Sendable () -> FileTime,
        onRemoval: CacheRemovalHandler? = nil
    ) throws(CacheStoreError) {
        self.directory = directory
        self.limits = limits
        self.onRemoval = onRemoval
        let recordBytes = min(max(0, limits.maximumEntryBytes), Int.max - Self.overhead) + Self.overhead
        let notify = onRemoval.map { onRemoval in
            { @Sendable (head: DiskRecordHead, reason: CacheRemoval) in
                guard let key = StoredVariants.key(in: head.key), let variants = StoredVariants.notes(in: head.info) else {
                    return
                }
                for _ in variants { onRemoval(key, reason) }
            }
        }
        records = try DiskRecords(
            directory, limits: DiskLimits(bytes: limits.maximumBytes, entries: limits.maximumKeys, recordBytes: recordBytes),
            noting: interval, clock: clock, onRemoval: notify)
    }

    /// The maximum size of an entry, in bytes: the smaller of the limits for one entry and for all entries.
    public var maximumEntryBytes: Int { max(0, min(limits.maximumEntryBytes, limits.maximumBytes)) }
    /// The size of all files in bytes, according to the last scan of the directory and later changes by this process. Until the
    /// first scan after opening has ended, only changes by this process are counted.
    public var byteCount: Int { records.usage.bytes }
    /// The number of keys, according to the last scan of the directory and later changes by this process.
    public var count: Int { records.usage.count }

    /// Returns all variants that are stored under a key, without damaged and unreadable ones. Never throws.
    public func entries(for key: CacheKey) async -> [CacheEntry] {
        guard let record = await records.read(StoredVariants.recordKey(key)) else { return [] }
        return StoredVariants(record)?.entries(of: key) ?? []
    }

    /// Stores a response, replacing the one with the same key and the same varying fields.
    ///
    /// - Throws: ``CacheStoreError``, for example with ``CacheStoreError/Code/diskFull``. With ``CacheStoreError/Code/tooLarge``
    ///   for a response that exceeds the limit for one entry; the response that it would replace is removed then.
    public func save(_ entry: CacheEntry) async throws(CacheStoreError) {
        let new = StoredVariants.Variant(entry.response)
        let fits = entry.footprint <= maximumEntryBytes && new.bytes.count <= maximumEntryBytes && limits.maximumVariants > 0
        let removals = Locked<[CacheRemoval]>([])
        try await records.update(StoredVariants.recordKey(entry.response.key)) { [limits, maximumEntryBytes] old in
            var variants = old.flatMap(StoredVariants.init) ?? StoredVariants()
            let reasons = variants.put(
                fits ? new : nil, insteadOf: new, maximumBytes: maximumEntryBytes, maximumCount: limits.maximumVariants)
            removals.withLock { $0 = reasons }
            return variants.replacement
        }
        for reason in removals.withLock(\.self) { onRemoval?(entry.response.key, reason) }
        guard fits else {
            throw CacheStoreError(
                .tooLarge, "the response takes \(entry.footprint) bytes, and the limit for one is \(maximumEntryBytes)",
                path: directory.path)
        }
    }

    /// Removes the selected responses. A key or a URL is found directly. For any other selection the beginning of each file is
    /// read, which takes about ten microseconds per file.
    ///
    /// - Returns: The number of removed responses.
    /// - Throws: ``CacheStoreError`` if responses could not be removed. All others have been removed then.
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

extension DiskCacheStore: RedactedStringConvertible {}
