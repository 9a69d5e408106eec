/// First come, first served, with removal from the middle at no cost: each member holds the ticket it was given.
struct WaitingLine<Member> {
    private var members: [UInt64: Member] = [:]
    private var first: UInt64 = 0
    private var next: UInt64 = 0

    var isEmpty: Bool { members.isEmpty }
    var count: Int { members.count }

    mutating func append(_ member: Member) -> UInt64 {
        defer { next += 1 }
        members[next] = member
        return next
    }

    mutating func remove(_ ticket: UInt64) {
        members[ticket] = nil
    }

    mutating func popFirst() -> Member? {
        while first < next {
            defer { first += 1 }
            if let member = members.removeValue(forKey: first) { return member }
        }
        return nil
    }
}
