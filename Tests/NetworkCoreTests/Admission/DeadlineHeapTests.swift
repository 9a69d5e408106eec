import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkTransport

struct DeadlineHeapTests {
    private final class Member: DeadlineMember {
        var deadline: UInt64
        var heapIndex = -1
        init(_ deadline: UInt64) { self.deadline = deadline }
    }

    @Test func `a deadline heap returns the earliest deadline after any insertions and removals`() {
        var random = SeededGenerator(seed: 7)
        var heap = DeadlineHeap<Member>()
        var list: [Member] = []
        for _ in 0..<5000 {
            if list.isEmpty || Int.random(in: 0..<3, using: &random) > 0 {
                let member = Member(UInt64.random(in: 0..<1000, using: &random))
                heap.insert(member)
                list.append(member)
            } else {
                let member = list.remove(at: Int.random(in: 0..<list.count, using: &random))
                heap.remove(member)
                heap.remove(member)
                #expect(member.heapIndex == -1)
            }
            #expect(heap.first?.deadline == list.map(\.deadline).min())
        }
    }
}
