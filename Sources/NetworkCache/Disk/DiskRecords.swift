import Foundation
import NetworkCore

/// A ``RecordFolder`` that keeps within limits: what was longest unused is removed, in small steps and in the background.
///
/// Whatever changes the folder is done as ``SerialWork``, one thing after the other, so that steps of the eviction and writes take
/// turns: however much is written, as much is removed. Reading does not pass through it, and never waits for any of that.
final class DiskRecords: Sendable {
    let folder: RecordFolder
    let limits: DiskLimits
    private let clock: @Sendable () -> FileTime
    /// How old a record's last use has to be for a new one to be noted.
    private let interval: Duration
    private let onRemoval: (@Sendable (DiskRecordHead, CacheRemoval) -> Void)?
    private let queue = SerialWork()
    private let state: Locked<State>

    private struct State {
        var eviction: RecordEviction
        /// A step is on the queue, or under way.
        var isWorking = true
        /// Those who wait for the eviction to have nothing to do.
        var waiting: [UnsafeContinuation<Void, Never>] = []
    }

    /// Opens the folder. Nothing in it is read now; the eviction begins in the background with a look at all of it.
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

    /// The record of a key. Damaged ones are removed.
    func read(_ key: RecordKey) async -> DiskRecord? {
        await BackgroundThreads.files.value {
            self.folder.open(key, maximumBytes: self.limits.recordBytes).flatMap(self.read)
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

    /// As ``RecordFolder/update(_:maximumBytes:now:_:)``, within the limit for one record.
    func update(
        _ key: RecordKey, _ change: @escaping @Sendable (DiskRecord?) throws(CacheStoreError) -> RecordFolder.Replacement
    ) async throws(CacheStoreError) {
        try await onQueue { () throws(CacheStoreError) in
            let limit = self.limits.recordBytes
            let done = try self.folder.update(key, maximumBytes: limit, now: self.clock()) { (old) throws(CacheStoreError) in
                let new = try change(old)
                if case .record(let info, let payload) = new { try self.check(key.bytes.count + info.count + payload.count) }
                return new
            }
            self.note(done, shard: RecordName(key).shard)
        }
    }

    /// Puts a record in the place of what there was.
    func write(_ key: RecordKey, info: [UInt8], payload: Data) async throws(CacheStoreError) {
        try check(key.bytes.count + info.count + payload.count)
        try await onQueue { () throws(CacheStoreError) in
            let done = try self.folder.write(key, info: info, payload: payload, now: self.clock())
            self.note(done, shard: RecordName(key).shard)
        }
    }

    private func check(_ bytes: Int) throws(CacheStoreError) {
        guard bytes + DiskRecord.fixedBytes <= limits.recordBytes else {
            throw CacheStoreError(
                .tooLarge, "the entry would take \(bytes + DiskRecord.fixedBytes) bytes, and one may take \(limits.recordBytes)")
        }
    }

    /// Removes all records at once.
    func removeAll() async throws(CacheStoreError) {
        try await onQueue { () throws(CacheStoreError) in
            try self.folder.removeAll()
            self.state.withLock { $0.eviction.noteRemovedAll() }
        }
    }

    /// The heads of all records, or of those of a group: found now, in no order. Reads the beginning of each file.
    func heads(ofGroup group: [UInt8]? = nil) async -> [DiskRecordHead] {
        // Not on the queue: it may take long, and changes nothing.
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

    // MARK: Upkeep

    /// What there is, as far as is known: bytes and records.
    var usage: (bytes: Int, count: Int) { state.withLock { ($0.eviction.bytes, $0.eviction.count) } }

    /// Returns when there is nothing to be done in the background.
    func settle() async {
        await withUnsafeContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.isWorking { state.waiting.append(continuation) }
                return !state.isWorking
            }
            if isIdle { continuation.resume() }
        }
    }

    private func note(_ change: RecordFolder.Change, shard: Int) {
        let starts = state.withLock { state in
            state.eviction.note(change, shard: shard)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if starts { queue.run { [weak self] in self?.work() } }
    }

    /// One step. The next one goes behind what waits on the queue.
    private func work() {
        let (action, waiting): (RecordEviction.Action, [UnsafeContinuation<Void, Never>]) = state.withLock { state in
            let action = state.eviction.next()
            guard action == .none else { return (action, []) }
            state.isWorking = false
            defer { state.waiting = [] }
            return (action, state.waiting)
        }
        switch action {
        case .none:
            for continuation in waiting { continuation.resume() }
            return
        case .scan(let shard):
            var found: [RecordStatus] = []
            folder.forEachRecord(inShard: shard) { found.append($0) }
            // Afterwards: what another process wrote meanwhile is not of the future.
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

    /// Those that are as they were.
    private func remove(_ records: [RecordStatus], because reason: CacheRemoval) {
        for record in records {
            // Who it was has to be known before it is gone.
            let head = onRemoval == nil ? nil : folder.head(of: record.name)
            guard let change = try? folder.remove(record.name, if: { $0 == record }) else { continue }
            state.withLock { $0.eviction.removed(change, shard: record.name.shard) }
            if change.count < 0, let head { onRemoval?(head, reason) }
        }
    }

    private func onQueue(_ work: @escaping @Sendable () throws(CacheStoreError) -> Void) async throws(CacheStoreError) {
        // What comes of it comes through a lock: the thread sanitizer does not see the way through a continuation.
        let done = Locked<Result<Void, CacheStoreError>>(.success(()))
        await withUnsafeContinuation { continuation in
            queue.run {
                let result = Result { () throws(CacheStoreError) in try work() }
                done.withLock { $0 = result }
                continuation.resume()
            }
        }
        try done.withLock(\.self).get()
    }
}

/// How much a folder of records may hold. Files count with their length; what the file system rounds it up to is not known here.
struct DiskLimits: Equatable, Sendable {
    /// All records together.
    var bytes: Int
    /// How many records.
    var entries: Int
    /// One record. Longer files are neither written nor read, and removed where they are seen.
    var recordBytes: Int

    init(bytes: Int, entries: Int, recordBytes: Int) {
        self.bytes = max(0, bytes)
        self.entries = max(0, entries)
        self.recordBytes = max(0, min(recordBytes, bytes))
    }
}
