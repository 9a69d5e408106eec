/// Lets at most `limit` members per origin in; the others wait in line.
///
/// Waiting here rather than inside libcurl keeps a queued request free of handles and of connect and idle timeouts.
struct OriginGate<Member> {
    private struct Origin {
        var inside = 0
        var line = WaitingLine<Member>()
    }

    let limit: Int
    private var origins: [String: Origin] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// `nil` when the member may go in at once; else its ticket.
    mutating func enter(_ origin: String, _ member: @autoclosure () -> Member) -> UInt64? {
        if origins[origin, default: Origin()].inside < limit {
            origins[origin, default: Origin()].inside += 1
            return nil
        }
        return origins[origin, default: Origin()].line.append(member())
    }

    /// One has left: the member that takes its place, if one waits.
    mutating func leave(_ origin: String) -> Member? {
        if let member = origins[origin]?.line.popFirst() { return member }
        origins[origin]?.inside -= 1
        // Origins nobody uses are forgotten: a crawler visits millions.
        if origins[origin]?.inside == 0 { origins[origin] = nil }
        return nil
    }

    mutating func stopWaiting(_ origin: String, ticket: UInt64) {
        origins[origin]?.line.remove(ticket)
    }
}
