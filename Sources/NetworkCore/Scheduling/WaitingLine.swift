/// First come, first served, with removal from the middle at no cost: each member is known by a ticket.
struct WaitingLine<Member> {
    private var members: [UInt64: Member] = [:]
    /// In order, with some that have gone; from `next` on.
    private var tickets: [UInt64] = []
    private var next = 0

    var isEmpty: Bool { members.isEmpty }
    var count: Int { members.count }

    /// - Parameter ticket: One that no other member has or had.
    mutating func append(_ member: Member, ticket: UInt64) {
        if tickets.count >= 64, tickets.count > members.count * 4 { forgetGone() }
        members[ticket] = member
        tickets.append(ticket)
    }

    /// - Returns: `nil` when none inside has the ticket.
    mutating func remove(_ ticket: UInt64) -> Member? {
        members.removeValue(forKey: ticket)
    }

    mutating func popFirst() -> (ticket: UInt64, member: Member)? {
        while next < tickets.count {
            let ticket = tickets[next]
            next += 1
            if let member = members.removeValue(forKey: ticket) { return (ticket, member) }
        }
        tickets.removeAll(keepingCapacity: tickets.count <= 1024)
        next = 0
        return nil
    }

    private mutating func forgetGone() {
        tickets = tickets[next...].filter { members[$0] != nil }
        next = 0
    }
}
