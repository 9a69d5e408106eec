/// An ``OriginGate`` of one lane whose members are objects of any class: for other modules, where generic code of this one would be slow.
package struct ObjectGate {
    package typealias Member = any AnyObject & Sendable

    private var gate: OriginGate<Member>
    /// Members inside.
    package private(set) var inside = 0
    /// Members in line.
    package private(set) var waiting = 0

    package init(perOrigin: Int, total: Int) {
        gate = OriginGate(GateLimits(connectionsPerOrigin: perOrigin, connections: total))
    }

    /// - Returns: `false` when the next has to wait.
    package mutating func enterAtOnce(_ name: String) -> Bool {
        guard gate.enterAtOnce(name) != nil else { return false }
        inside += 1
        return true
    }

    /// - Returns: The member's ticket; `nil` when it is inside at once.
    package mutating func enter(_ name: String, _ member: Member) -> UInt64? {
        guard case .waiting(let ticket) = gate.enter(name, member) else {
            inside += 1
            return nil
        }
        waiting += 1
        return ticket
    }

    /// One has left.
    ///
    /// - Returns: Those who may go in now, if any waits.
    package mutating func leave(_ name: String) -> [Member] {
        let admitted = gate.leave(name, lane: 0)
        inside += admitted.count - 1
        waiting -= admitted.count
        return admitted.isEmpty ? [] : admitted.map(\.member)
    }

    package mutating func stopWaiting(_ name: String, ticket: UInt64) {
        if gate.stopWaiting(name, ticket: ticket) { waiting -= 1 }
    }
}
