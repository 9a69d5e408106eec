/// A member of a ``DeadlineHeap``, which orders members by their deadlines.
@usableFromInline package protocol DeadlineMember: AnyObject {
    /// The deadline, in nanoseconds of the monotonic clock.
    var deadline: UInt64 { get set }
    /// The position in the heap, or -1 outside of it. Only the heap changes it.
    var heapIndex: Int { get set }
}

/// A binary heap whose first member has the earliest deadline. Any member can be removed in O(log n), because members store their
/// position.
@usableFromInline package struct DeadlineHeap<Member: DeadlineMember> {
    @usableFromInline var members: [Member] = []

    @inlinable package init() {}

    @inlinable package var first: Member? { members.first }
    /// All members, in no particular order.
    @inlinable package var all: [Member] { members }

    @inlinable package mutating func insert(_ member: Member) {
        member.heapIndex = members.count
        members.append(member)
        siftUp(members.count - 1)
    }

    /// Removes a member. Does nothing if it is not in the heap.
    @inlinable package mutating func remove(_ member: Member) {
        let index = member.heapIndex
        guard index >= 0 else { return }
        member.heapIndex = -1
        let last = members.removeLast()
        guard index < members.count else { return }
        members[index] = last
        last.heapIndex = index
        siftUp(index)
        siftDown(last.heapIndex)
    }

    @inlinable mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard members[index].deadline < members[parent].deadline else { return }
            swap(index, parent)
            index = parent
        }
    }

    @inlinable mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < members.count {
                if members[child].deadline < members[smallest].deadline { smallest = child }
            }
            guard smallest != index else { return }
            swap(index, smallest)
            index = smallest
        }
    }

    @inlinable mutating func swap(_ left: Int, _ right: Int) {
        members.swapAt(left, right)
        members[left].heapIndex = left
        members[right].heapIndex = right
    }
}
