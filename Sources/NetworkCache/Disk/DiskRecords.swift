import Foundation
import NetworkCore
import NetworkSupport

/// A ``RecordFolder`` with limits. The least recently used records are evicted in the background, in small steps.
///
/// All changes of the folder run as ``SerialWork``, one after another. Steps of the eviction and writes alternate, so that
/// eviction keeps up with any amount of writes. Reads do not use this queue, and never wait for changes.
final class DiskRecords: Sendable {
    let folder: RecordFolder
    let limits: DiskLimits
    private let clock: @Sendable () -> FileTime
    /// The minimum age of a record's last use. If it is more recent, a new use is not recorded.
    private let interval: Duration
    private let onRemoval: (@Sendable (DiskRecordHead, CacheRemoval) -> Void)?
    private let queue = SerialWork()
    private let names = RecordNames()
    private let state: Locked<State>

    private struct State {
        var eviction: RecordEviction
        /// Whether a step of the eviction is queued or running.
        var isWorking = true
        /// The callers of `settle()` that wait until the eviction is idle.
        var waiting: [Promise<Void>] = []
    }

    /// Opens the folder without reading its contents. Eviction begins in the background with a scan of all records.
    init(
        _ url: URL, limits: DiskLimits, noting interval: Duration = .seconds(60),
        clock: @escaping @Sendable () -> FileTime = { .now },
        onRemoval: (@Sendable (DiskRecordHead, CacheRemoval) -> Void)? = nil
    ) throws(CacheStoreError) {
        folder = try RecordFolder(url)
        self.limits = limits
        self.interval = interval
        self.clock = clock
        self.onRemoval = onRemoval
        state = Locked(State(eviction: RecordEviction(limits)))
        queue.run { [weak self] in
            self?.folder.removeLeftovers()
            self?.work()
        }
    }

    // MARK: Reading

    /// Returns the record of a key, or `nil` if there is none. A damaged record is removed.
    ///
    /// A small record that the system has in memory is read at once. Anything else is left to a thread that may wait for the disk.
    func read(_ key: RecordKey) async -> DiskRecord? {
        let name = names.name(of: key)
        if let record = folder.recordInMemory(key, name, maximumBytes: limits.recordBytes, now: clock(), noting: interval) {
            return record
        }
        return await BackgroundThreads.files.value {
            self.folder.open(key, name, maximumBytes: self.limits.recordBytes).flatMap(self.read)
        }
    }

    private func read(_ file: RecordFolder.OpenRecord) -> DiskRecord? {
        switch folder.read(file, now: clock(), noting: interval) {
        case .found(let record): return record
        case .missing: return nil
        case .damaged(let status):
            queue.run { [weak self] in self?.remove([status], because: .damaged) }
            return nil
        }
    }

    // MARK: Changes

    /// Replaces the record of a key: see ``RecordFolder/update(_:maximumBytes:now:_:)``. Throws if the new one exceeds the limit
    /// for one record.
    func update(
        _ key: RecordKey, _ change: @escaping @Sendable (DiskRecord?) throws(CacheStoreError) -> RecordFolder.Replacement
    ) async throws(CacheStoreError) {
        try await queue.value { () throws(CacheStoreError) in
            let limit = self.limits.recordBytes
            let done = try self.folder.update(key, maximumBytes: limit, now: self.clock()) { (old) throws(CacheStoreError) in
                let new = try change(old)
                if case .record(let info, let payload) = new { try self.check(key.bytes.count + info.count + payload.count) }
                return new
            }
            self.note(done, shard: RecordName(key).shard)
        }
    }

    /// Writes a record, replacing an existing one.
    func write(_ key: RecordKey, info: [UInt8], payload: Data) async throws(CacheStoreError) {
        try check(key.bytes.count + info.count + payload.count)
        try await queue.value { () throws(CacheStoreError) in
            let done = try self.folder.write(key, info: info, payload: payload, now: self.clock())
            self.note(done, shard: RecordName(key).shard)
        }
    }

    private func check(_ bytes: Int) throws(CacheStoreError) {
        guard bytes + DiskRecord.fixedBytes <= limits.recordBytes else {
            throw CacheStoreError(
                .tooLarge,
                "the entry takes \(bytes + DiskRecord.fixedBytes) bytes, and the limit for one is \(limits.recordBytes)")
        }
    }

    /// Removes all records at once.
    func removeAll() async throws(CacheStoreError) {
        try await queue.value { () throws(CacheStoreError) in
            try self.folder.removeAll()
            self.state.withLock { $0.eviction.noteRemovedAll() }
        }
    }

    /// Returns the heads of all current records, or of those of a group, in no order. Reads the beginning of each file.
    func heads(ofGroup group: [UInt8]? = nil) async -> [DiskRecordHead] {
        // Not on the queue, because it may take long and does not change anything.
        await BackgroundThreads.files.value {
            let shards = group.map { [RecordName.shard(ofGroup: $0)] } ?? Array(0..<RecordName.shards)
            return shards.flatMap { shard in
                var names: [RecordName] = []
                self.folder.forEachRecord(inShard: shard) { names.append($0.name) }
                if let group { names.removeAll { !$0.isOfGroup(group) } }
                return names.compactMap(self.folder.head(of:))
            }
        }
    }

    // MARK: Eviction

    /// The size and number of the records, according to the last scan and later changes by this process.
    var usage: (bytes: Int, count: Int) { state.withLock { ($0.eviction.bytes, $0.eviction.count) } }

    /// Waits until the eviction is idle.
    func settle() async {
        let idle = Promise<Void>()
        let isIdle = state.withLock { state in
            if state.isWorking { state.waiting.append(idle) }
            return !state.isWorking
        }
        if !isIdle { await idle.value() }
    }

    private func note(_ change: RecordFolder.Change, shard: Int) {
        let starts = state.withLock { state in
            state.eviction.note(change, shard: shard)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if starts { queue.run { [weak self] in self?.work() } }
    }

    /// Performs one step of the eviction, and queues the next one behind waiting changes.
    private func work() {
        let (action, waiting): (RecordEviction.Action, [Promise<Void>]) = state.withLock { state in
            let action = state.eviction.next()
            guard action == .none else { return (action, []) }
            state.isWorking = false
            defer { state.waiting = [] }
            return (action, state.waiting)
        }
        switch action {
        case .none:
            for promise in waiting { promise.resolve(()) }
            return
        case .scan(let shard):
            var found: [RecordStatus] = []
            folder.forEachRecord(inShard: shard) { found.append($0) }
            // The time is taken after the scan, so that records that other processes write meanwhile are not in the future.
            let now = clock()
            state.withLock { state in
                for record in found { state.eviction.found(record, now: now) }
                state.eviction.endScan()
            }
        case .remove(let records):
            remove(records, because: .evicted)
        }
        queue.run { [weak self] in self?.work() }
    }

    /// Removes the records that have not changed since they were found.
    private func remove(_ records: [RecordStatus], because reason: CacheRemoval) {
        for record in records {
            // The handler needs the key, which must be read before the record is removed.
            let head = onRemoval == nil ? nil : folder.head(of: record.name)
            guard let change = try? folder.remove(record.name, if: { $0 == record }) else { continue }
            state.withLock { $0.eviction.removed(change, shard: record.name.shard) }
            if change.count < 0, let head { onRemoval?(head, reason) }
        }
    }
}

/// The limits of a folder of records. The size of a file is its length, not the space that the file system allocates for it.
struct DiskLimits: Equatable, Sendable {
    /// The maximum size of all records, in bytes.
    var bytes: Int
    /// The maximum number of records.
    var entries: Int
    /// The maximum size of one record, in bytes. Larger files are neither written nor read, and are removed when a scan finds
    /// them.
    var recordBytes: Int

    init(bytes: Int, entries: Int, recordBytes: Int) {
        self.bytes = max(0, bytes)
        self.entries = max(0, entries)
        self.recordBytes = max(0, min(recordBytes, bytes))
    }
}
