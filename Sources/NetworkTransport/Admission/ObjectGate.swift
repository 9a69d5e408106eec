import Endpoints

/// An ``OriginGate`` whose members are objects of any class, for other modules: generic code of this module would not be specialized for their
/// types, and then takes half as many instructions again for a request.
package struct ObjectGate {
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
    /// The number of admitted members.
    package private(set) var count = 0
    /// The number of waiting members.
    package private(set) var waitingCount = 0

    package init(_ limits: GateLimits) {
        gate = OriginGate(limits)
    }

    /// Admits a member, or adds it to the queue of its origin. See ``OriginGate/enter(_:_:priority:near:)``.
    package mutating func enter(
        _ name: String, _ member: Member, priority: RequestPriority, near preferred: Int? = nil
    ) -> Entry {
        switch gate.enter(name, member, priority: priority, near: preferred) {
        case .inside(let shard):
            count += 1
            return .inside(shard: shard)
        case .waiting(let ticket):
            waitingCount += 1
            return .waiting(ticket: ticket)
        }
    }

    /// Admits a member if it does not have to wait.
    ///
    /// - Returns: `false` if the member would have to wait.
    package mutating func enterAtOnce(_ name: String) -> Bool {
        guard gate.enterAtOnce(name) != nil else { return false }
        count += 1
        return true
    }

    /// Removes an admitted member.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func leave(_ name: String, shard: Int = 0) -> [Admission] {
        count -= 1
        return admit(gate.leave(name, shard: shard))
    }

    /// Allows an origin `streamsPerOrigin` members until its last member has left.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func widen(_ name: String) -> [Admission] { admit(gate.widen(name)) }

    /// Limits the members of an origin to `connectionsPerOrigin` again.
    package mutating func narrow(_ name: String) { gate.narrow(name) }

    /// Sets the maximum number of members of an origin, until it is forgotten because no member is left.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func limit(_ name: String, to limit: Int) -> [Admission] { admit(gate.limit(name, to: limit)) }

    private mutating func admit(_ admitted: [OriginGate<Member>.Admission]) -> [Admission] {
        if admitted.isEmpty { return [] }
        count += admitted.count
        waitingCount -= admitted.count
        return admitted.map(Admission.init)
    }

    /// Removes a waiting member from the queue of its origin.
    package mutating func stopWaiting(_ name: String, ticket: UInt64) {
        if gate.stopWaiting(name, ticket: ticket) { waitingCount -= 1 }
    }

    /// Removes all waiting members from their queues.
    package mutating func removeWaiting() -> [Member] {
        waitingCount = 0
        return gate.removeWaiting()
    }

    /// Returns the number of admitted members of an origin.
    package mutating func inside(of name: String) -> Int { gate.inside(name) }

    /// The numbers of waiting members, by origin, without those that are 0.
    package var waiting: [String: Int] { gate.waiting }

    /// Whether no member is admitted. No member waits then either.
    package var isEmpty: Bool { gate.isEmpty }
}
