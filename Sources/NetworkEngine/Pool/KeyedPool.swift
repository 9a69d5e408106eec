import NetworkSupport

/// A member of a ``KeyedPool``, which is found by its key and removed at its deadline.
protocol PoolMember: DeadlineMember {
    var key: ConnectionKey { get }
}

/// Objects that no request uses, such as idle connections, by the properties that a request needs.
struct KeyedPool<Member: PoolMember> {
    private final class List {
        let key: ConnectionKey
        @exclusivity(unchecked) var members: [Member] = []

        init(_ key: ConnectionKey) { self.key = key }
    }

    private var byKey: [ConnectionKey: List] = [:]
    /// The list that was used last. Most members have the same key as the member before, so that it is rarely looked up.
    private var latest: List?
    private var byDeadline = DeadlineHeap<Member>()
    private(set) var count = 0

    /// The member with the earliest deadline.
    var first: Member? { byDeadline.first }
    /// All members, in no particular order.
    var all: [Member] { byDeadline.all }

    mutating func put(_ member: Member) {
        let list = list(member.key) ?? add(member.key)
        list.members.append(member)
        byDeadline.insert(member)
        count += 1
    }

    /// Removes and returns the member with this key that was added last.
    mutating func take(_ key: ConnectionKey) -> Member? {
        guard let list = list(key), let member = list.members.popLast() else { return nil }
        byDeadline.remove(member)
        count -= 1
        forget(list)
        return member
    }

    /// Removes a member. Does nothing if it is not in the pool.
    mutating func remove(_ member: Member) {
        guard member.heapIndex >= 0, let list = list(member.key),
            let index = list.members.lastIndex(where: { $0 === member })
        else { return }
        list.members.remove(at: index)
        forget(list)
        byDeadline.remove(member)
        count -= 1
    }

    private mutating func list(_ key: ConnectionKey) -> List? {
        if let latest, latest.key == key { return latest }
        guard let list = byKey[key] else { return nil }
        latest = list
        return list
    }

    private mutating func add(_ key: ConnectionKey) -> List {
        let list = List(key)
        byKey[key] = list
        latest = list
        return list
    }

    /// Removes a list that is empty, if there are more than 64: a crawler visits millions of hosts.
    private mutating func forget(_ list: List) {
        guard byKey.count > 64, list.members.isEmpty else { return }
        byKey[list.key] = nil
        latest = nil
    }
}
