/// A dictionary that orders its values by their last use. It maps keys to the nodes of a doubly linked list, which an array
/// holds.
struct RecencyTable<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        /// The index of the next more recently used slot, or -1 if there is none.
        var newer: Int
        /// The index of the next less recently used slot, or -1 if there is none.
        var older: Int
    }

    private var indexes: [Key: Int] = [:]
    /// The nodes of the list. `nil` for removed ones, whose indexes are in `free`.
    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var newest = -1
    private var oldest = -1

    var count: Int { indexes.count }
    var keys: Dictionary<Key, Int>.Keys { indexes.keys }
    /// The least recently used key, or `nil` if the table is empty.
    var oldestKey: Key? { oldest < 0 ? nil : slots[oldest]?.key }

    /// Returns the value of a key without marking it as used.
    func peek(_ key: Key) -> Value? {
        indexes[key].flatMap { slots[$0]?.value }
    }

    /// Returns the value of a key and marks it as used.
    mutating func use(_ key: Key) -> Value? {
        guard let index = indexes[key] else { return nil }
        if index != newest {
            unlink(index)
            link(index)
        }
        return slots[index]?.value
    }

    /// Sets the value of a key and marks it as used.
    mutating func set(_ value: Value, for key: Key) {
        if let index = indexes[key] {
            slots[index]?.value = value
            unlink(index)
            link(index)
            return
        }
        let slot = Slot(key: key, value: value, newer: -1, older: -1)
        let index: Int
        if let last = free.popLast() {
            index = last
            slots[index] = slot
        } else {
            index = slots.count
            slots.append(slot)
        }
        indexes[key] = index
        link(index)
    }

    @discardableResult
    mutating func remove(_ key: Key) -> Value? {
        guard let index = indexes.removeValue(forKey: key) else { return nil }
        unlink(index)
        let value = slots[index]?.value
        slots[index] = nil
        free.append(index)
        return value
    }

    private mutating func link(_ index: Int) {
        slots[index]?.newer = -1
        slots[index]?.older = newest
        if newest >= 0 { slots[newest]?.newer = index }
        newest = index
        if oldest < 0 { oldest = index }
    }

    private mutating func unlink(_ index: Int) {
        guard let slot = slots[index] else { return }
        if slot.newer >= 0 { slots[slot.newer]?.older = slot.older } else { newest = slot.older }
        if slot.older >= 0 { slots[slot.older]?.newer = slot.newer } else { oldest = slot.newer }
    }
}
