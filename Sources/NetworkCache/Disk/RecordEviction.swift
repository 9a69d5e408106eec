import NetworkSupport

/// The state machine that keeps a folder of records within its limits. It decides which shard to scan and which records to
/// remove, and performs no I/O.
///
/// The sums come from scanning all shards one after another, and from the changes of this process. Changes by other processes are
/// included at the next scan, which starts after this process has written a sixteenth of a limit. Each scan collects the least
/// recently used records, which are removed in this order when space is needed. A record that is used after the scan gets a new
/// time, no longer equals the collected status, and so is not removed.
struct RecordEviction {
    enum Action: Equatable {
        /// Scan the records of a shard.
        case scan(shard: Int)
        /// Remove the records that have not changed since the scan.
        case remove([RecordStatus])
        case none
    }

    private enum Phase {
        case idle
        /// A scan is in progress: the next shard, and the sum of the shards before it.
        case scanning(Int, RecordFolder.Change)
    }

    /// The maximum number of records that a scan collects, and the maximum number that one step removes.
    static let remembered = 4096
    static let batch = 16

    private let limits: DiskLimits
    private var phase = Phase.scanning(0, .init())
    private(set) var bytes = 0
    private(set) var count = 0
    /// Whether all shards were scanned at least once.
    private(set) var hasScanned = false
    /// The bytes and records that were added since the last scan began.
    private var changesSinceScan = RecordFolder.Change()
    private var oldest = OldestRecords(capacity: Self.remembered)
    /// The least recently used records of the last scan, with the oldest at the end.
    private var candidates: [RecordStatus] = []
    /// The records that exceed the size limit for one record.
    private var oversized: [RecordStatus] = []
    /// The number of records removed since the last scan ended. If none could be removed, another scan is useless.
    private var removedCount = 0

    init(_ limits: DiskLimits) {
        self.limits = limits
    }

    private var isOver: Bool { bytes > limits.bytes || count > limits.entries }

    /// Adds a change by this process to the sums.
    mutating func note(_ change: RecordFolder.Change, shard: Int) {
        changesSinceScan.bytes += max(0, change.bytes)
        changesSinceScan.count += max(0, change.count)
        bytes = max(0, bytes + change.bytes)
        count = max(0, count + change.count)
        // Changes in shards that the scan has not reached yet are counted by the scan.
        guard case .scanning(let next, let sum) = phase, shard < next else { return }
        phase = .scanning(next, .init(bytes: sum.bytes + change.bytes, count: sum.count + change.count))
    }

    /// Resets the state after all records were removed.
    mutating func noteRemovedAll() {
        self = RecordEviction(limits)
        phase = .idle
        hasScanned = true
    }

    /// Returns the next action.
    mutating func next() -> Action {
        if case .scanning(let shard, _) = phase { return .scan(shard: shard) }
        if !oversized.isEmpty {
            defer { oversized = [] }
            return .remove(oversized)
        }
        if isOver, !candidates.isEmpty {
            let chosen = candidates.suffix(enough(candidates.suffix(Self.batch)))
            candidates.removeLast(chosen.count)
            return .remove(chosen.reversed())
        }
        let isScanDue = changesSinceScan.bytes > limits.bytes / 16 || changesSinceScan.count > max(64, limits.entries / 16)
        guard isScanDue || isOver && (removedCount > 0 || changesSinceScan.count > 0 || changesSinceScan.bytes > 0) else {
            return .none
        }
        phase = .scanning(0, .init())
        changesSinceScan = .init()
        oldest = OldestRecords(capacity: Self.remembered)
        candidates = []
        return .scan(shard: 0)
    }

    /// Returns how many records from the end of a batch must be removed to meet the limits.
    private func enough(_ batch: ArraySlice<RecordStatus>) -> Int {
        var (bytes, count, chosen) = (bytes, count, 0)
        for record in batch.reversed() where bytes > limits.bytes || count > limits.entries {
            bytes -= record.bytes
            count -= 1
            chosen += 1
        }
        return chosen
    }

    /// Reports a record of the shard that is being scanned.
    mutating func found(_ record: RecordStatus, now: FileTime) {
        guard case .scanning(let shard, var sum) = phase else { return }
        sum.bytes += record.bytes
        sum.count += 1
        phase = .scanning(shard, sum)
        if record.bytes > limits.recordBytes, oversized.count < 256 {
            oversized.append(record)
        } else {
            oldest.offer(record, now: now)
        }
    }

    /// Reports that all records of the shard have been reported.
    mutating func endScan() {
        guard case .scanning(let shard, let sum) = phase else { return }
        guard shard + 1 == RecordName.shards else {
            phase = .scanning(shard + 1, sum)
            return
        }
        phase = .idle
        hasScanned = true
        bytes = sum.bytes
        count = sum.count
        candidates = oldest.newestFirst
        oldest = OldestRecords(capacity: 0)
        removedCount = 0
    }

    /// Reports the result of ``Action/remove(_:)``.
    mutating func removed(_ change: RecordFolder.Change, shard: Int) {
        removedCount -= change.count
        note(change, shard: shard)
    }
}

/// A collection of the least recently used records among all that are offered, up to its capacity. It is a heap with the most
/// recently used of them at the top.
struct OldestRecords {
    private struct Item {
        var record: RecordStatus
        var time: FileTime
    }

    private let capacity: Int
    private var heap: [Item] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds a record if there is space, or replaces the most recently used one if the record is older.
    ///
    /// - Parameter now: The current time. Later times were recorded before the clock was set back, and count as older than all
    ///   others.
    mutating func offer(_ record: RecordStatus, now: FileTime) {
        let time = record.lastUse > now ? FileTime(nanoseconds: .min) : record.lastUse
        if heap.count < capacity {
            heap.append(Item(record: record, time: time))
            rise(heap.count - 1)
        } else if let newest = heap.first, time < newest.time {
            heap[0] = Item(record: record, time: time)
            sink(0)
        }
    }

    /// The collected records, with the oldest at the end.
    var newestFirst: [RecordStatus] { heap.sorted { $1.time < $0.time }.map(\.record) }

    private mutating func rise(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[parent].time < heap[child].time else { return }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func sink(_ start: Int) {
        var parent = start
        while true {
            var largest = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[largest].time < heap[child].time {
                largest = child
            }
            guard largest != parent else { return }
            heap.swapAt(parent, largest)
            parent = largest
        }
    }
}
