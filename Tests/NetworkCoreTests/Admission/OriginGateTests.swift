import Testing
import TransferTestSupport

@testable import NetworkTransport

struct OriginGateTests {
    @Test func `the members of one origin are admitted in order of arrival`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 2))
        for number in 0..<6 { #expect((gate.tryToEnter("a", number) == nil) == (number < 2)) }
        #expect(gate.tryToEnter("b", 6) == nil, "each origin has separate slots")
        #expect((0..<4).flatMap { _ in gate.leaving("a") } == [2, 3, 4, 5])
        #expect(gate.leaving("a").isEmpty && gate.leaving("a").isEmpty && gate.leaving("b").isEmpty)
        #expect(gate.tryToEnter("a", 7) == nil && gate.tryToEnter("a", 8) == nil && gate.tryToEnter("a", 9) != nil)
    }

    @Test func `an origin that is widened to streams admits waiting members in order, up to the new limit`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 2, streamsPerOrigin: 5))
        for number in 0..<10 { #expect((gate.tryToEnter("a", number) == nil) == (number < 2)) }
        #expect(gate.widen("a").map(\.member) == [2, 3, 4])
        #expect(gate.widen("a").isEmpty && gate.widen("b").isEmpty)
        #expect(gate.tryToEnter("a", 10) != nil && gate.tryToEnter("b", 11) == nil)
        #expect((0..<6).flatMap { _ in gate.leaving("a") } == [5, 6, 7, 8, 9, 10])
        for _ in 0..<5 { #expect(gate.leaving("a").isEmpty) }
        #expect(gate.tryToEnter("a", 12) == nil && gate.tryToEnter("a", 13) == nil)
        #expect(gate.tryToEnter("a", 14) != nil, "the wider limit ends when the origin is empty")
    }

    @Test func `a stream limit below the connection limit has no effect`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 3, streamsPerOrigin: 1))
        for number in 0..<4 { #expect((gate.tryToEnter("a", number) == nil) == (number < 3)) }
        #expect(gate.widen("a").isEmpty)
        #expect(gate.leaving("a") == [3])
    }

    @Test func `if the total connection limit is reached, origins are admitted in turn`() {
        var gate = OriginGate<String>(GateLimits(connectionsPerOrigin: 2, connections: 3))
        for member in ["a1", "a2"] { #expect(gate.tryToEnter("a", member) == nil) }
        #expect(gate.tryToEnter("b", "b1") == nil)
        for member in ["a3", "a4", "a5", "a6"] { #expect(gate.tryToEnter("a", member) != nil) }
        for member in ["b2", "b3", "b4"] { #expect(gate.tryToEnter("b", member) != nil) }
        #expect(gate.tryToEnter("c", "c1") != nil)
        var inside = ["a1", "a2", "b1"]
        var order: [String] = []
        while !inside.isEmpty {
            let next = gate.leaving(String(inside.removeFirst().prefix(1)))
            order += next
            inside += next
        }
        #expect(order == ["b2", "c1", "a3", "a4", "b3", "b4", "a5", "a6"])
    }

    @Test func `members that share a connection do not use additional slots`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 1, streamsPerOrigin: 10, connections: 2))
        #expect(gate.tryToEnter("h2", 0) == nil && gate.tryToEnter("other", 1) == nil)
        for number in 2..<6 { #expect(gate.tryToEnter("h2", number) != nil) }
        #expect(gate.tryToEnter("third", 6) != nil)
        #expect(gate.widen("h2").map(\.member) == [2, 3, 4, 5], "two connections, both in use")
        #expect(gate.leaving("other") == [6])
        for _ in 0..<5 { #expect(gate.leaving("h2").isEmpty) }
    }

    @Test func `a cancelled member is skipped, and the next waiting member is admitted`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 1, connections: 1))
        #expect(gate.tryToEnter("a", 0) == nil)
        let tickets = (1...3).map { gate.tryToEnter("b", $0) ?? .max }
        gate.stopWaiting("b", ticket: tickets[0])
        gate.stopWaiting("b", ticket: tickets[0])
        gate.stopWaiting("b", ticket: tickets[2])
        #expect(gate.leaving("a") == [2])
        #expect(gate.leaving("b").isEmpty)
        #expect(gate.tryToEnter("a", 4) == nil && gate.tryToEnter("b", 5) != nil)
    }

    @Test func `a limit that is raised admits waiting members, and one that is lowered applies when members have left`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 2, connections: 6))
        for number in 0..<9 { _ = gate.tryToEnter("a", number) }
        #expect(gate.limit("a", to: 4).map(\.member) == [2, 3] && gate.inside("a") == 4)
        #expect(gate.limit("a", to: 2).isEmpty && gate.inside("a") == 4)
        // Members above the limit count in total.
        #expect(gate.tryToEnter("b", 10) == nil && gate.tryToEnter("b", 11) == nil && gate.tryToEnter("c", 12) != nil)
        #expect(gate.leaving("a") == [12] && gate.leaving("a").isEmpty)
        #expect(gate.leaving("a") == [4] && gate.inside("a") == 2)
        #expect(gate.limit("a", to: 9).map(\.member) == [5])
        #expect(gate.inside("a") + gate.inside("b") + gate.inside("c") == 6)
    }

    @Test func `if each origin has fewer slots than there are shards, origins are spread over the shards`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 1, shards: 8))
        let shards = (0..<100).map { number -> Int in
            guard case .inside(let shard) = gate.enter("o\(number)", number) else { return -1 }
            return shard
        }
        #expect(Set(shards).count > 4 && !shards.contains(-1))
    }

    @Test func `a member is admitted to the preferred shard while it has a free slot`() {
        var gate = OriginGate<Int>(GateLimits(connectionsPerOrigin: 4, shards: 2))
        let shards = (0..<3).map { number -> Int in
            guard case .inside(let shard) = gate.enter("a", number, near: 1) else { return -1 }
            return shard
        }
        #expect(shards == [1, 1, 0])
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var limits: GateLimits
        var testDescription: String { "\(limits)" }
    }

    @Test(
        arguments: [
            GateLimits(connectionsPerOrigin: 4), GateLimits(connectionsPerOrigin: 1, connections: 1),
            GateLimits(connectionsPerOrigin: 3, streamsPerOrigin: 7, connections: 5),
            GateLimits(connectionsPerOrigin: 4, connections: 8, shards: 2),
            GateLimits(connectionsPerOrigin: 1, connections: 3, shards: 3),
            GateLimits(connectionsPerOrigin: 5, streamsPerOrigin: 9, connections: 7, shards: 3),
            GateLimits(connectionsPerOrigin: 2, streamsPerOrigin: 20, connections: 4, shards: 4),
            GateLimits(connectionsPerOrigin: 64, connections: 10, shards: 4),
        ].map(Case.init))
    func `limits are never exceeded, free slots are used, and every waiting member is admitted`(of example: Case) {
        var simulation = Simulation(example.limits, seed: 3)
        for _ in 0..<(runs(500, slow: 6000)) {
            simulation.performRandomOperation()
            simulation.check()
        }
        simulation.leaveAll()
    }

    @Test func `a queue skips removed members and is empty after all others were taken`() {
        var line = TicketQueue<Int>()
        var areKept = true
        for number in 0..<runs(20_000, slow: 100_000) {
            line.append(number, ticket: UInt64(number))
            if number % 10 != 0 { _ = line.remove(UInt64(number)) }
            if number >= 100, let first = line.popFirst() { areKept = areKept && first.member % 10 == 0 }
        }
        #expect(areKept)
        #expect(line.isEmpty)
    }
}

extension OriginGate {
    /// - Returns: The ticket of a waiting member.
    fileprivate mutating func tryToEnter(_ origin: String, _ member: Member) -> UInt64? {
        if case .waiting(let ticket) = enter(origin, member) { return ticket }
        return nil
    }

    fileprivate mutating func leaving(_ origin: String) -> [Member] {
        leave(origin, shard: 0).map(\.member)
    }
}

/// A simulation of members that enter, leave and cancel at random, with the state that the gate is expected to have.
private struct Simulation {
    struct Client: Equatable {
        var origin: String
        var number: Int
    }

    let limits: GateLimits
    var gate: OriginGate<Client>
    var random: SeededGenerator
    var number = 0
    var inside: [(client: Client, shard: Int)] = []
    var waiting: [(client: Client, ticket: UInt64)] = []
    var wide: Set<String> = []
    /// The number of connections that each origin may have in each shard.
    private let capacities: [String: [Int]]
    static let origins = (0..<5).map { "o\($0)" }

    init(_ limits: GateLimits, seed: UInt64) {
        self.limits = limits
        capacities = Self.capacities(limits)
        gate = OriginGate(limits)
        random = SeededGenerator(seed: seed)
    }

    mutating func performRandomOperation() {
        let origin = Self.origins[Int.random(in: 0..<Self.origins.count, using: &random)]
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<10:
            number += 1
            let client = Client(origin: origin, number: number)
            switch gate.enter(origin, client, near: Bool.random(using: &random) ? 0 : nil) {
            case .inside(let shard): inside.append((client, shard))
            case .waiting(let ticket): waiting.append((client, ticket))
            }
        case 10..<17 where !inside.isEmpty: leave(Int.random(in: 0..<inside.count, using: &random))
        case 17, 18:
            guard !waiting.isEmpty else { return }
            let cancelled = waiting.remove(at: Int.random(in: 0..<waiting.count, using: &random))
            gate.stopWaiting(cancelled.client.origin, ticket: cancelled.ticket)
        case 19 where limits.streamsPerOrigin > 1 && inside.contains { $0.client.origin == origin }:
            wide.insert(origin)
            admit(gate.widen(origin))
        default: break
        }
    }

    mutating func leave(_ index: Int) {
        let (client, shard) = inside.remove(at: index)
        let next = gate.leave(client.origin, shard: shard)
        let isGone = !(inside.map(\.client) + waiting.map(\.client)).contains { $0.origin == client.origin }
        if isGone { wide.remove(client.origin) }
        admit(next)
    }

    mutating func admit(_ next: [OriginGate<Client>.Admission]) {
        for admission in next {
            let first = waiting.firstIndex { $0.client.origin == admission.member.origin }
            #expect(first.map { waiting[$0].client } == admission.member, "an origin admits members in order of arrival")
            if let first { waiting.remove(at: first) }
            inside.append((admission.member, admission.shard))
        }
    }

    func check() {
        var total = 0
        for shard in 0..<limits.shards {
            let share = GateLimits.share(of: limits.connections, shard: shard, shards: limits.shards)
            let used = Self.origins.map { min(count($0, shard), places($0, shard)) }.reduce(0, +)
            #expect(used <= share)
            total += used
            let idle = Set(waiting.map(\.client.origin)).filter { count($0, shard) < places($0, shard) }
            #expect(idle.isEmpty || used == share, "a slot is free although a member waits for it")
        }
        #expect(total <= limits.connections)
        for origin in Self.origins {
            let count = inside.count { $0.client.origin == origin }
            let wider = wide.contains(origin) ? limits.streamsPerOrigin : 0
            #expect(count <= max(limits.connectionsPerOrigin, wider))
        }
    }

    private func count(_ origin: String, _ shard: Int) -> Int {
        inside.count { $0.client.origin == origin && $0.shard == shard }
    }

    /// The number of slots that an origin has in a shard, determined by filling another gate.
    private func places(_ origin: String, _ shard: Int) -> Int {
        capacities[origin]?[shard] ?? 0
    }

    private static func capacities(_ limits: GateLimits) -> [String: [Int]] {
        var limits = limits
        limits.connections = .max
        var gate = OriginGate<Int>(limits)
        var capacities: [String: [Int]] = [:]
        for origin in origins {
            capacities[origin] = Array(repeating: 0, count: limits.shards)
            for number in 0..<limits.connectionsPerOrigin {
                if case .inside(let shard) = gate.enter(origin, number) { capacities[origin]?[shard] += 1 }
            }
        }
        return capacities
    }

    mutating func leaveAll() {
        while !inside.isEmpty { leave(Int.random(in: 0..<inside.count, using: &random)) }
        #expect(waiting.isEmpty)
        for origin in Self.origins {
            for number in 0..<min(limits.connectionsPerOrigin, limits.connections / limits.shards) {
                let client = Client(origin: origin, number: number)
                guard case .inside(let shard) = gate.enter(origin, client) else {
                    Issue.record("a slot was not released")
                    return
                }
                inside.append((client, shard))
            }
            while !inside.isEmpty { leave(0) }
        }
    }
}
