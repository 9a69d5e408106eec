import Endpoints

/// A queue with a class for each ``Endpoints/RequestPriority``. Within a class, it is first in, first out.
///
/// A higher class goes first. So that a lower one is not delayed forever, its first member is next when `maximumPassed` members of
/// higher classes were taken since its last one was, or since it was empty. If this applies to two classes, the lower one goes
/// first; so the first normal member is passed by `maximumPassed` members of the highest class and one of the lowest, at most.
package struct PriorityQueue<Member> {
    private struct Class {
        var members = TicketQueue<Member>()
        /// The number of members of higher classes that were taken while the first member of this class waited.
        var passed = 0

        var isOverdue: Bool { passed >= maximumPassed && !members.isEmpty }

        mutating func append(_ member: Member, _ ticket: UInt64) {
            if members.isEmpty { passed = 0 }
            members.append(member, ticket: ticket)
        }

        mutating func popFirst() -> (ticket: UInt64, member: Member)? {
            passed = 0
            return members.popFirst()
        }

        /// Counts a member of a higher class that was taken.
        mutating func pass() {
            if !members.isEmpty { passed += 1 }
        }
    }

    /// The number of members of higher classes after which the first member of a lower class is next.
    static var maximumPassed: Int { 8 }

    private var high = Class()
    private var normal = Class()
    private var low = Class()

    package init() {}

    package var isEmpty: Bool { normal.members.isEmpty && high.members.isEmpty && low.members.isEmpty }
    package var count: Int { high.members.count + normal.members.count + low.members.count }

    /// Adds a member to the end of its class.
    ///
    /// - Parameter ticket: A ticket that no other member has or had.
    package mutating func append(_ member: Member, ticket: UInt64, priority: RequestPriority) {
        switch priority {
        case .high: high.append(member, ticket)
        case .normal: normal.append(member, ticket)
        case .low: low.append(member, ticket)
        }
    }

    /// Removes the member with a ticket.
    ///
    /// - Returns: `nil` if there is no such member.
    package mutating func remove(_ ticket: UInt64) -> Member? {
        normal.members.remove(ticket) ?? high.members.remove(ticket) ?? low.members.remove(ticket)
    }

    package mutating func popFirst() -> (ticket: UInt64, member: Member)? {
        if low.isOverdue { return low.popFirst() }
        if normal.isOverdue || high.members.isEmpty, let first = normal.popFirst() {
            low.pass()
            return first
        }
        if let first = high.popFirst() {
            normal.pass()
            low.pass()
            return first
        }
        return low.popFirst()
    }

    /// Calls a closure with each member, in no particular order.
    package func forEach(_ body: (Member) -> Void) {
        for members in [high, normal, low].map(\.members) { members.forEach(body) }
    }
}
