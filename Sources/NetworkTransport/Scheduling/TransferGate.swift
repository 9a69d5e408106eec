import Endpoints

/// An ``OriginGate`` whose members are objects of any class, for the engine: generic code of another module would not be specialized for its
/// transfers, which takes half as many instructions again for a request.
package struct TransferGate {
    package typealias Member = any AnyObject & Sendable

    package enum Entry {
        case inside(shard: Int)
        case waiting(ticket: UInt64)
    }

    /// A member that is admitted, and its shard.
    package struct Admission {
        package let member: Member
        package let shard: Int

        fileprivate init(_ admission: OriginGate<Member>.Admission) {
            member = admission.member
            shard = admission.shard
        }
    }

    private var gate: OriginGate<Member>

    package init(_ limits: GateLimits) {
        gate = OriginGate(limits)
    }

    /// Admits a member, or adds it to the queue of its origin. See ``OriginGate/enter(_:_:priority:near:)``.
    package mutating func enter(_ name: String, _ member: Member, priority: RequestPriority, near preferred: Int?) -> Entry {
        switch gate.enter(name, member, priority: priority, near: preferred) {
        case .inside(let shard): .inside(shard: shard)
        case .waiting(let ticket): .waiting(ticket: ticket)
        }
    }

    /// Removes an admitted member.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func leave(_ name: String, shard: Int) -> [Admission] {
        let admitted = gate.leave(name, shard: shard)
        return admitted.isEmpty ? [] : admitted.map(Admission.init)
    }

    /// Allows an origin `streamsPerOrigin` members until its last member has left.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func widen(_ name: String) -> [Admission] { gate.widen(name).map(Admission.init) }

    /// Removes a waiting member from the queue of its origin.
    package mutating func stopWaiting(_ name: String, ticket: UInt64) { gate.stopWaiting(name, ticket: ticket) }

    /// Removes all waiting members from their queues.
    package mutating func removeWaiting() -> [Member] { gate.removeWaiting() }

    /// The numbers of waiting members, by origin, without those that are 0.
    package var waiting: [String: Int] { gate.waiting }

    /// Whether no member is admitted. No member waits then either.
    package var isEmpty: Bool { gate.isEmpty }
}
