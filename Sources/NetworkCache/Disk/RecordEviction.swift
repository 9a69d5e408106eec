/// Decides what is to be done so that a folder of records stays within its limits: which shard to look at, which records to
/// remove.
///
/// It knows no files. Sums come from scanning at all shards one after the other, and from what this process writes; what others
/// write is noticed at the next look, which comes when a sixteenth of a limit was written. The records longest unused are
/// remembered from each look, and are removed in that order as room is needed: whoever uses one of them meanwhile changes its
/// time, and so it is not the one that was meant.
struct RecordEviction {
    enum Action: Equatable {
        case scan(shard: Int)
        /// Those that still are as they were.
        case remove([RecordStatus])
        case none
    }

    private enum Phase {
        case idle
        /// The next shard, and what those before it come to.
        case scanning(Int, RecordFolder.Change)
    }

    /// How many are remembered, and how many are removed in one go.
    static let remembered = 4096
    static let batch = 16

    private let limits: DiskLimits
    private var phase = Phase.scanning(0, .init())
    private(set) var bytes = 0
    private(set) var count = 0
    /// Whether all shards were looked at once.
    private(set) var hasScanned = false
    /// Written since the last look began.
    private var changesSinceScan = RecordFolder.Change()
    private var oldest = OldestRecords(capacity: Self.remembered)
    /// From the last look: the oldest at the end.
    private var candidates: [RecordStatus] = []
    /// Longer than anything may be.
    private var oversized: [RecordStatus] = []
    /// Removed since the last look ended: where nothing can be removed, another look is of no use.
    private var removedCount = 0

    init(_ limits: DiskLimits) {
        self.limits = limits
    }

    private var isOver: Bool { bytes > limits.bytes || count > limits.entries }

    /// Takes note of what was written or removed.
    mutating func note(_ change: RecordFolder.Change, shard: Int) {
        changesSinceScan.bytes += max(0, change.bytes)
        changesSinceScan.count += max(0, change.count)
        bytes = max(0, bytes + change.bytes)
        count = max(0, count + change.count)
        // The shards to come are still to be counted.
        guard case .scanning(let next, let sum) = phase, shard < next else { return }
        phase = .scanning(next, .init(bytes: sum.bytes + change.bytes, count: sum.count + change.count))
    }

    /// Takes note that there is nothing any more.
    mutating func noteRemovedAll() {
        self = RecordEviction(limits)
        phase = .idle
        hasScanned = true
    }

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
        let isMuch = changesSinceScan.bytes > limits.bytes / 16 || changesSinceScan.count > max(64, limits.entries / 16)
        guard isMuch || isOver && (removedCount > 0 || changesSinceScan.count > 0 || changesSinceScan.bytes > 0) else {
            return .none
        }
        phase = .scanning(0, .init())
        changesSinceScan = .init()
        oldest = OldestRecords(capacity: Self.remembered)
        candidates = []
        return .scan(shard: 0)
    }

    /// How many of these, from the end, have to go.
    private func enough(_ batch: ArraySlice<RecordStatus>) -> Int {
        var (bytes, count, chosen) = (bytes, count, 0)
        for record in batch.reversed() where bytes > limits.bytes || count > limits.entries {
            bytes -= record.bytes
            count -= 1
            chosen += 1
        }
        return chosen
    }

    /// A record of the shard that is looked at.
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

    /// All records of the shard were reported.
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

    /// What came of ``Action/remove(_:)``.
    mutating func removed(_ change: RecordFolder.Change, shard: Int) {
        removedCount -= change.count
        note(change, shard: shard)
    }
}

/// The records longest unused among all that are offered, at most as many as it has room for: a heap with the newest of them on
/// top.
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

    /// - Parameter now: Later times are from before the clock was set back, and so older than all others.
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

    /// The oldest at the end.
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
