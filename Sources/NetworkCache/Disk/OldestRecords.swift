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
