/// What ``DeadlineHeap`` keeps in order.
protocol DeadlineMember: AnyObject {
    /// In nanoseconds of the monotonic clock.
    var deadline: UInt64 { get set }
    /// Its place in the heap, -1 outside. Only the heap changes it.
    var heapIndex: Int { get set }
}

/// The member whose deadline comes first, with removal of any member in O(log n): a binary heap whose members know
/// their place.
struct DeadlineHeap<Member: DeadlineMember> {
    private var members: [Member] = []

    var first: Member? { members.first }
    var isEmpty: Bool { members.isEmpty }

    mutating func insert(_ member: Member) {
        member.heapIndex = members.count
        members.append(member)
        siftUp(members.count - 1)
    }

    /// Does nothing for a member that is not inside.
    mutating func remove(_ member: Member) {
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

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard members[index].deadline < members[parent].deadline else { return }
            swap(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
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

    private mutating func swap(_ left: Int, _ right: Int) {
        members.swapAt(left, right)
        members[left].heapIndex = left
        members[right].heapIndex = right
    }
}
