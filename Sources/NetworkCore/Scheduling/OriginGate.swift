/// Lets members in as far as there may be connections: so many per origin, and so many in all. The others wait in line.
///
/// Members wait in their origin's line. Where it has places, but there are too many connections in all, the origin stands in line itself:
/// once for each place and waiting member. So both limits are first come, first served, and an origin with a thousand members in line
/// keeps the others waiting no longer than one with as many as it has places.
///
/// Each place is in a lane: an event loop, whose connections no other can use. Who waits takes the first place that becomes free, in
/// whichever lane. Members of one origin share connections where it bears that; they count up to `connectionsPerOrigin`.
///
/// Waiting here rather than inside libcurl keeps a queued request free of handles and of connect and idle timeouts.
// A struct for exclusive access, although its origins are objects: it is never copied.
package struct OriginGate<Member> {
    package enum Entry {
        case inside(lane: Int)
        case waiting(ticket: UInt64)
    }

    /// One that may go in now.
    package struct Admission {
        package let member: Member
        package let lane: Int
    }

    /// What an origin has in one lane.
    private struct Share {
        var inside = 0
        /// Tickets in the lane's line, the first one's first.
        var claims: [UInt64] = []
    }

    private final class Origin {
        let name: String
        /// The lane of its first place: others' first places are elsewhere.
        let firstLane: Int
        var isWide = false
        var shares: [Share]
        var line = WaitingLine<Member>()

        init(_ name: String, lanes: Int) {
            self.name = name
            firstLane = lanes == 1 ? 0 : Int(UInt(bitPattern: name.hashValue) % UInt(lanes))
            shares = Array(repeating: Share(), count: lanes)
        }
    }

    private struct Lane {
        var inside = 0
        var connections = 0
        let limit: Int
        var line = WaitingLine<Origin>()
    }

    package let limits: GateLimits
    private var origins: [String: Origin] = [:]
    private var lanes: [Lane]
    private var nextTicket: UInt64 = 0

    package init(_ limits: GateLimits) {
        self.limits = limits
        lanes = (0..<limits.lanes).map { lane in
            Lane(limit: GateLimits.share(of: limits.connections, lane: lane, lanes: limits.lanes))
        }
    }

    /// - Parameter preferred: A lane to stay in if it has a place; else it is the one with the fewest members.
    package mutating func enter(_ name: String, _ member: Member, near preferred: Int? = nil) -> Entry {
        let origin = origin(name)
        if let lane = seatAtOnce(origin, near: preferred) { return .inside(lane: lane) }
        let ticket = makeTicket()
        origin.line.append(member, ticket: ticket)
        settleClaims(of: origin)
        return .waiting(ticket: ticket)
    }

    /// - Returns: `nil` when the next has to wait.
    package mutating func enterAtOnce(_ name: String) -> Int? {
        seatAtOnce(origin(name))
    }

    /// One has left.
    ///
    /// - Returns: Those who may go in now, if any waits.
    package mutating func leave(_ name: String, lane: Int) -> [Admission] {
        guard let origin = origins[name] else { return [] }
        var admitted: [Admission] = []
        origin.shares[lane].inside -= 1
        lanes[lane].inside -= 1
        if origin.shares[lane].inside < places(of: origin, lane) {
            lanes[lane].connections -= 1
            admitFromLine(of: lane, &admitted)
        }
        advance(origin, &admitted)
        forget(origin)
        return admitted
    }

    /// Allows an origin `streamsPerOrigin` members, for as long as somebody is inside.
    ///
    /// - Returns: Those who waited and may go in now.
    package mutating func widen(_ name: String) -> [Admission] {
        guard let origin = origins[name], !origin.isWide else { return [] }
        origin.isWide = true
        var admitted: [Admission] = []
        advance(origin, &admitted)
        return admitted
    }

    /// - Returns: `false` when it did not wait any more.
    @discardableResult
    package mutating func stopWaiting(_ name: String, ticket: UInt64) -> Bool {
        guard let origin = origins[name], origin.line.remove(ticket) != nil else { return false }
        settleClaims(of: origin)
        forget(origin)
        return true
    }

    // MARK: - Places

    private mutating func origin(_ name: String) -> Origin {
        if let origin = origins[name] { return origin }
        let origin = Origin(name, lanes: lanes.count)
        origins[name] = origin
        return origin
    }

    /// Of origins nobody uses a few are kept for the next request: a crawler visits millions.
    private mutating func forget(_ origin: Origin) {
        guard origin.line.isEmpty, origin.shares.allSatisfy({ $0.inside == 0 }) else { return }
        origin.isWide = false
        if origins.count > 64 { origins[origin.name] = nil }
    }

    private mutating func makeTicket() -> UInt64 {
        defer { nextTicket += 1 }
        return nextTicket
    }

    /// With fewer places than lanes, some lanes have none of this origin.
    private func share(of limit: Int, _ origin: Origin, _ lane: Int) -> Int {
        if lanes.count == 1 { return limit }
        let used = min(limits.connectionsPerOrigin, lanes.count)
        let rank = (lane - origin.firstLane + lanes.count) % lanes.count
        return rank < used ? GateLimits.share(of: limit, lane: rank, lanes: used) : 0
    }

    /// One connection each.
    private func places(of origin: Origin, _ lane: Int) -> Int {
        share(of: limits.connectionsPerOrigin, origin, lane)
    }

    private func entrance(to origin: Origin, near preferred: Int? = nil) -> Int? {
        var best: Int?
        for rank in lanes.indices {
            let lane = (origin.firstLane + rank) % lanes.count
            let inside = origin.shares[lane].inside
            let places = places(of: origin, lane)
            let isOpen =
                inside < places
                ? lanes[lane].connections < lanes[lane].limit
                : origin.isWide && inside < share(of: limits.streamsPerOrigin, origin, lane)
            guard isOpen else { continue }
            if lane == preferred { return lane }
            if best.map({ lanes[lane].inside < lanes[$0].inside }) ?? true { best = lane }
        }
        return best
    }

    private mutating func seatAtOnce(_ origin: Origin, near preferred: Int? = nil) -> Int? {
        guard origin.line.isEmpty, let lane = entrance(to: origin, near: preferred) else { return nil }
        seat(origin, lane)
        return lane
    }

    private mutating func seat(_ origin: Origin, _ lane: Int) {
        if origin.shares[lane].inside < places(of: origin, lane) { lanes[lane].connections += 1 }
        origin.shares[lane].inside += 1
        lanes[lane].inside += 1
    }

    /// Gives a lane's places to the origins that stand in line for them.
    private mutating func admitFromLine(of lane: Int, _ admitted: inout [Admission]) {
        while lanes[lane].connections < lanes[lane].limit, let (_, origin) = lanes[lane].line.popFirst() {
            origin.shares[lane].claims.removeFirst()
            if let (_, member) = origin.line.popFirst() {
                seat(origin, lane)
                admitted.append(Admission(member: member, lane: lane))
            }
            advance(origin, &admitted)
        }
    }

    /// Lets an origin's line move up.
    private mutating func advance(_ origin: Origin, _ admitted: inout [Admission]) {
        while !origin.line.isEmpty, let lane = entrance(to: origin), let (_, member) = origin.line.popFirst() {
            seat(origin, lane)
            admitted.append(Admission(member: member, lane: lane))
        }
        settleClaims(of: origin)
    }

    /// Has an origin stand in line for each place that it lacks nothing for but a connection.
    private mutating func settleClaims(of origin: Origin) {
        for lane in lanes.indices {
            let wanted = max(0, min(origin.line.count, places(of: origin, lane) - origin.shares[lane].inside))
            while origin.shares[lane].claims.count > wanted, let ticket = origin.shares[lane].claims.popLast() {
                _ = lanes[lane].line.remove(ticket)
            }
            while origin.shares[lane].claims.count < wanted {
                let ticket = makeTicket()
                origin.shares[lane].claims.append(ticket)
                lanes[lane].line.append(origin, ticket: ticket)
            }
        }
    }
}

/// What an ``OriginGate`` lets in at a time. All at least 1.
package struct GateLimits: Sendable, Hashable {
    /// Connections to one origin.
    package var connectionsPerOrigin: Int
    /// Members of one origin whose connections carry several at once.
    package var streamsPerOrigin = 1
    /// Connections to all origins together; at least as many as lanes.
    package var connections = Int.max
    /// Event loops, each with connections of its own, among which the others are divided.
    package var lanes = 1

    package init(connectionsPerOrigin: Int, streamsPerOrigin: Int = 1, connections: Int = .max, lanes: Int = 1) {
        self.connectionsPerOrigin = connectionsPerOrigin
        self.streamsPerOrigin = streamsPerOrigin
        self.connections = connections
        self.lanes = lanes
    }

    /// Where a limit cannot be divided evenly, the first lanes have one more.
    package static func share(of limit: Int, lane: Int, lanes: Int) -> Int {
        limit / lanes + (lane < limit % lanes ? 1 : 0)
    }
}

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
