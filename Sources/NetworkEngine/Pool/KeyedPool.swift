import NetworkSupport

/// A member of a ``KeyedPool``, which is found by its key and removed at its deadline.
protocol PoolMember: DeadlineMember {
    var key: ConnectionKey { get }
}

/// Objects that no request uses, such as idle connections, by the properties that a request needs.
struct KeyedPool<Member: PoolMember> {
    private var byKey: [ConnectionKey: [Member]] = [:]
    private var byDeadline = DeadlineHeap<Member>()
    private(set) var count = 0

    /// The member with the earliest deadline.
    var first: Member? { byDeadline.first }
    /// All members, in no particular order.
    var all: [Member] { byDeadline.all }

    mutating func put(_ member: Member) {
        byKey[member.key, default: []].append(member)
        byDeadline.insert(member)
        count += 1
    }

    /// Removes and returns the member with this key that was added last.
    mutating func take(_ key: ConnectionKey) -> Member? {
        guard let member = byKey[key]?.popLast() else { return nil }
        byDeadline.remove(member)
        count -= 1
        if byKey[key]?.isEmpty == true, byKey.count > 64 { byKey[key] = nil }
        return member
    }

    /// Removes a member. Does nothing if it is not in the pool.
    mutating func remove(_ member: Member) {
        guard member.heapIndex >= 0, let entry = byKey.index(forKey: member.key),
            let index = byKey.values[entry].lastIndex(where: { $0 === member })
        else { return }
        byKey.values[entry].remove(at: index)
        if byKey.count > 64, byKey.values[entry].isEmpty { byKey.remove(at: entry) }
        byDeadline.remove(member)
        count -= 1
    }
}
