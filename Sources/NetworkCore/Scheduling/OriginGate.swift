/// Lets at most `limit` members per origin in; the others wait in line.
///
/// Waiting here rather than inside libcurl keeps a queued request free of handles and of connect and idle timeouts.
struct OriginGate<Member> {
    private struct Origin {
        var inside = 0
        /// Another limit than the others', once it is known that the origin bears it.
        var limit: Int?
        var line = WaitingLine<Member>()

        mutating func enter(limit: Int, _ member: () -> Member) -> UInt64? {
            guard inside < self.limit ?? limit else { return line.append(member()) }
            inside += 1
            return nil
        }
    }

    let limit: Int
    private var origins: [String: Origin] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    /// `nil` when the member may go in at once; else its ticket.
    mutating func enter(_ origin: String, _ member: @autoclosure () -> Member) -> UInt64? {
        origins[origin, default: Origin()].enter(limit: limit, member)
    }

    /// One has left: the member that takes its place, if one waits.
    mutating func leave(_ origin: String) -> Member? {
        if let member = origins[origin]?.line.popFirst() { return member }
        origins[origin]?.inside -= 1
        // Origins nobody uses are forgotten: a crawler visits millions.
        if origins[origin]?.inside == 0 { origins[origin] = nil }
        return nil
    }

    /// Allows an origin more than the others, for as long as somebody is inside.
    ///
    /// - Returns: Those who waited and may go in now.
    mutating func widen(_ origin: String, to limit: Int) -> [Member] {
        guard var state = origins[origin], limit > state.limit ?? self.limit else { return [] }
        state.limit = limit
        var admitted: [Member] = []
        while state.inside < limit, let member = state.line.popFirst() {
            state.inside += 1
            admitted.append(member)
        }
        origins[origin] = state
        return admitted
    }

    mutating func stopWaiting(_ origin: String, ticket: UInt64) {
        origins[origin]?.line.remove(ticket)
    }
}
