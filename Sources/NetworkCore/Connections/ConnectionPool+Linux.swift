#if os(Linux)
    /// A member of a ``ConnectionPool``: found by its key, and due for removal at its deadline.
    protocol PoolMember: DeadlineMember {
        var key: ConnectionKey { get }
    }

    /// The connections of one event loop that no request uses: idle ones, or those that are still being made.
    ///
    /// The connection of an origin that was used last is used next, so that the others come to the end of their time.
    struct ConnectionPool<Member: PoolMember> {
        private var byKey: [ConnectionKey: [Member]] = [:]
        private var byDeadline = DeadlineHeap<Member>()
        private(set) var count = 0

        /// The one whose time ends first.
        var first: Member? { byDeadline.first }

        mutating func put(_ member: Member) {
            byKey[member.key, default: []].append(member)
            byDeadline.insert(member)
            count += 1
        }

        /// The newest of an origin.
        mutating func take(_ key: ConnectionKey) -> Member? {
            guard let member = byKey[key]?.popLast() else { return nil }
            byDeadline.remove(member)
            count -= 1
            if byKey[key]?.isEmpty == true, byKey.count > 64 { byKey[key] = nil }
            return member
        }

        /// Does nothing for one that is not inside.
        mutating func remove(_ member: Member) {
            guard member.heapIndex >= 0, let index = byKey[member.key]?.lastIndex(where: { $0 === member }) else { return }
            byKey[member.key]?.remove(at: index)
            if byKey[member.key]?.isEmpty == true { byKey[member.key] = nil }
            byDeadline.remove(member)
            count -= 1
        }
    }
#endif
