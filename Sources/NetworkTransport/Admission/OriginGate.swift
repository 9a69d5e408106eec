import Endpoints

/// Admits members while the limits on connections allow it, per origin and in total. The others wait in queues.
///
/// Members wait in the queue of their origin. If the origin has free places, but there are too many connections in total, the
/// origin itself is queued, once for each such place and waiting member. So both limits are first come, first served, and an
/// origin with a thousand waiting members does not delay the others longer than one with as many as it has places. In the queue of
/// an origin, a higher ``Endpoints/RequestPriority`` goes first, as ``PriorityQueue`` says.
///
/// Each place belongs to a shard: an event loop, whose connections no other loop can use. A waiting member takes the first place
/// that becomes free in any shard. After ``widen(_:)``, members of an origin share connections: they count as at most
/// `connectionsPerOrigin` connections.
///
/// A queued request has no connection, and neither a connect nor an idle timeout.
// A struct, so that access is exclusive. It must not be copied, because its origins are objects.
package struct OriginGate<Member> {
    package enum Entry {
        case inside(shard: Int)
        case waiting(ticket: UInt64)
    }

    /// A member that is admitted, and its shard.
    package struct Admission {
        package let member: Member
        package let shard: Int
    }

    /// The members and queue tickets of an origin in one shard.
    private struct Share {
        var inside = 0
        /// The number of members that count as connections; without shared connections, all of them.
        var connections = 0
        /// The origin's tickets in the shard's queue, the first one first.
        var claims: [UInt64] = []
    }

    private final class Origin {
        let name: String
        /// The shard of the origin's first place. It depends on the name, so that origins are spread over the shards.
        let firstShard: Int
        var isWide = false
        /// The limit that replaces `connectionsPerOrigin`.
        var limit: Int?
        @exclusivity(unchecked) var shares: [Share]
        @exclusivity(unchecked) var queue = PriorityQueue<Member>()

        init(_ name: String, shards: Int) {
            self.name = name
            firstShard = shards == 1 ? 0 : Int(UInt(bitPattern: name.hashValue) % UInt(shards))
            shares = Array(repeating: Share(), count: shards)
        }
    }

    private struct Shard {
        var inside = 0
        var connections = 0
        let limit: Int
        var queue = TicketQueue<Origin>()
    }

    package let limits: GateLimits
    private var origins: [String: Origin] = [:]
    /// The origin that was used last. Most members have the same origin as the member before, so that it is rarely looked up.
    private var latest: Origin?
    private var shards: [Shard]
    private var nextTicket: UInt64 = 0

    package init(_ limits: GateLimits) {
        self.limits = limits
        shards = (0..<limits.shards).map { shard in
            Shard(limit: GateLimits.share(of: limits.connections, shard: shard, shards: limits.shards))
        }
    }

    /// Admits a member, or adds it to the queue of its origin.
    ///
    /// - Parameters:
    ///   - priority: The class of the member in the queue.
    ///   - preferred: The shard to use if it has a free place. Otherwise the shard with the fewest members is used.
    package mutating func enter(
        _ name: String, _ member: Member, priority: RequestPriority = .normal, near preferred: Int? = nil
    ) -> Entry {
        let origin = origin(name)
        if let shard = seatAtOnce(origin, near: preferred) { return .inside(shard: shard) }
        let ticket = makeTicket()
        origin.queue.append(member, ticket: ticket, priority: priority)
        settleClaims(of: origin)
        return .waiting(ticket: ticket)
    }

    /// Admits a member if it does not have to wait.
    ///
    /// - Returns: The member's shard; `nil` if it would have to wait.
    package mutating func enterAtOnce(_ name: String) -> Int? {
        seatAtOnce(origin(name))
    }

    /// Removes an admitted member.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func leave(_ name: String, shard: Int) -> [Admission] {
        guard let origin = known(name) else { return [] }
        var admitted: [Admission] = []
        origin.shares[shard].inside -= 1
        shards[shard].inside -= 1
        if origin.shares[shard].inside < origin.shares[shard].connections {
            origin.shares[shard].connections -= 1
            shards[shard].connections -= 1
            admitFromQueue(of: shard, &admitted)
        }
        advance(origin, &admitted)
        forget(origin)
        return admitted
    }

    /// Allows an origin `streamsPerOrigin` members until its last member has left.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func widen(_ name: String) -> [Admission] {
        guard let origin = known(name), !origin.isWide else { return [] }
        origin.isWide = true
        var admitted: [Admission] = []
        advance(origin, &admitted)
        return admitted
    }

    /// Allows an origin only `connectionsPerOrigin` members again. Those that are inside stay.
    package mutating func narrow(_ name: String) {
        known(name)?.isWide = false
    }

    /// Sets the maximum number of members of an origin, until it is forgotten because no member is left. Those that are inside stay.
    ///
    /// For a gate with one shard and no shared connections.
    ///
    /// - Returns: The waiting members that are admitted now.
    package mutating func limit(_ name: String, to limit: Int) -> [Admission] {
        let origin = origin(name)
        guard origin.limit != limit else { return [] }
        origin.limit = limit
        var admitted: [Admission] = []
        advance(origin, &admitted)
        return admitted
    }

    /// Returns the number of admitted members of an origin.
    package mutating func inside(_ name: String) -> Int {
        known(name)?.shares.reduce(0) { $0 + $1.inside } ?? 0
    }

    /// Removes a waiting member from the queue of its origin.
    ///
    /// - Returns: `false` if the member was not waiting any more.
    @discardableResult
    package mutating func stopWaiting(_ name: String, ticket: UInt64) -> Bool {
        guard let origin = known(name), origin.queue.remove(ticket) != nil else { return false }
        settleClaims(of: origin)
        forget(origin)
        return true
    }

    /// Removes all waiting members from their queues.
    package mutating func removeWaiting() -> [Member] {
        var removed: [Member] = []
        for origin in Array(origins.values) where !origin.queue.isEmpty {
            while let (_, member) = origin.queue.popFirst() { removed.append(member) }
            settleClaims(of: origin)
            forget(origin)
        }
        return removed
    }

    /// The numbers of waiting members, by origin, without those that are 0.
    package var waiting: [String: Int] { origins.mapValues(\.queue.count).filter { $0.value > 0 } }

    /// Whether no member is admitted. No member waits then either.
    package var isEmpty: Bool { shards.allSatisfy { $0.inside == 0 } }

    // MARK: - Places

    private mutating func origin(_ name: String) -> Origin {
        if let origin = known(name) { return origin }
        let origin = Origin(name, shards: shards.count)
        origins[name] = origin
        latest = origin
        return origin
    }

    private mutating func known(_ name: String) -> Origin? {
        if let latest, latest.name == name { return latest }
        guard let origin = origins[name] else { return nil }
        latest = origin
        return origin
    }

    /// Resets an origin that is not in use, and removes it if there are more than 64: a crawler visits millions.
    private mutating func forget(_ origin: Origin) {
        guard origin.queue.isEmpty, origin.shares.allSatisfy({ $0.inside == 0 }) else { return }
        origin.isWide = false
        guard origins.count > 64 else { return }
        origins[origin.name] = nil
        latest = nil
    }

    private mutating func makeTicket() -> UInt64 {
        defer { nextTicket += 1 }
        return nextTicket
    }

    /// Returns a shard's share of an origin's limit. With fewer places than shards, some shards have none of this origin.
    private func share(of limit: Int, _ origin: Origin, _ shard: Int) -> Int {
        if shards.count == 1 { return limit }
        let used = min(limits.connectionsPerOrigin, shards.count)
        let rank = (shard - origin.firstShard + shards.count) % shards.count
        return rank < used ? GateLimits.share(of: limit, shard: rank, shards: used) : 0
    }

    /// Returns the number of connections that an origin may have in a shard.
    private func places(of origin: Origin, _ shard: Int) -> Int {
        share(of: origin.limit ?? limits.connectionsPerOrigin, origin, shard)
    }

    private func entrance(to origin: Origin, near preferred: Int? = nil) -> Int? {
        var best: Int?
        for rank in shards.indices {
            let shard = (origin.firstShard + rank) % shards.count
            let inside = origin.shares[shard].inside
            let places = places(of: origin, shard)
            let isOpen =
                inside < places
                ? shards[shard].connections < shards[shard].limit
                : origin.isWide && inside < share(of: limits.streamsPerOrigin, origin, shard)
            guard isOpen else { continue }
            if shard == preferred { return shard }
            if best.map({ shards[shard].inside < shards[$0].inside }) ?? true { best = shard }
        }
        return best
    }

    private mutating func seatAtOnce(_ origin: Origin, near preferred: Int? = nil) -> Int? {
        guard origin.queue.isEmpty, let shard = entrance(to: origin, near: preferred) else { return nil }
        seat(origin, shard)
        return shard
    }

    private mutating func seat(_ origin: Origin, _ shard: Int) {
        if origin.shares[shard].inside < places(of: origin, shard) {
            origin.shares[shard].connections += 1
            shards[shard].connections += 1
        }
        origin.shares[shard].inside += 1
        shards[shard].inside += 1
    }

    /// Gives a shard's free places to the origins in its queue.
    private mutating func admitFromQueue(of shard: Int, _ admitted: inout [Admission]) {
        while !shards[shard].queue.isEmpty, shards[shard].connections < shards[shard].limit,
            let (_, origin) = shards[shard].queue.popFirst()
        {
            origin.shares[shard].claims.removeFirst()
            if let (_, member) = origin.queue.popFirst() {
                seat(origin, shard)
                admitted.append(Admission(member: member, shard: shard))
            }
            advance(origin, &admitted)
        }
    }

    /// Admits members from an origin's queue while there are places.
    private mutating func advance(_ origin: Origin, _ admitted: inout [Admission]) {
        while !origin.queue.isEmpty, let shard = entrance(to: origin), let (_, member) = origin.queue.popFirst() {
            seat(origin, shard)
            admitted.append(Admission(member: member, shard: shard))
        }
        settleClaims(of: origin)
    }

    /// Queues an origin once for each place that it could use if more connections in total were allowed.
    private mutating func settleClaims(of origin: Origin) {
        for shard in shards.indices where !origin.queue.isEmpty || !origin.shares[shard].claims.isEmpty {
            let wanted = max(0, min(origin.queue.count, places(of: origin, shard) - origin.shares[shard].inside))
            while origin.shares[shard].claims.count > wanted, let ticket = origin.shares[shard].claims.popLast() {
                _ = shards[shard].queue.remove(ticket)
            }
            while origin.shares[shard].claims.count < wanted {
                let ticket = makeTicket()
                origin.shares[shard].claims.append(ticket)
                shards[shard].queue.append(origin, ticket: ticket)
            }
        }
    }
}

/// The limits of an ``OriginGate``, each of which is at least 1.
package struct GateLimits: Sendable, Hashable {
    /// The maximum number of connections to one origin.
    package var connectionsPerOrigin: Int
    /// The maximum number of members of one origin whose connections carry several members at once.
    package var streamsPerOrigin = 1
    /// The maximum number of connections to all origins together; at least the number of shards.
    package var connections = Int.max
    /// The number of shards: event loops with their own connections, among which the other limits are divided.
    package var shards = 1

    package init(connectionsPerOrigin: Int, streamsPerOrigin: Int = 1, connections: Int = .max, shards: Int = 1) {
        self.connectionsPerOrigin = connectionsPerOrigin
        self.streamsPerOrigin = streamsPerOrigin
        self.connections = connections
        self.shards = shards
    }

    /// Returns a shard's share of a limit. If it cannot be divided evenly, the first shards have one more.
    package static func share(of limit: Int, shard: Int, shards: Int) -> Int {
        limit / shards + (shard < limit % shards ? 1 : 0)
    }
}

/// A first-in, first-out queue from which any member can be removed in constant time by its ticket.
struct TicketQueue<Member> {
    private var members: [UInt64: Member] = [:]
    /// The tickets in order, from `next` on. Some belong to members that were removed.
    private var tickets: [UInt64] = []
    private var next = 0

    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    /// Adds a member to the end of the queue.
    ///
    /// - Parameter ticket: A ticket that no other member has or had.
    package mutating func append(_ member: Member, ticket: UInt64) {
        if tickets.count >= 64, tickets.count > members.count * 4 { removeStaleTickets() }
        members[ticket] = member
        tickets.append(ticket)
    }

    /// Removes the member with a ticket.
    ///
    /// - Returns: `nil` if there is no such member.
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

    /// Calls a closure with each member, in no particular order.
    func forEach(_ body: (Member) -> Void) {
        members.values.forEach(body)
    }

    private mutating func removeStaleTickets() {
        tickets = tickets[next...].filter { members[$0] != nil }
        next = 0
    }
}
