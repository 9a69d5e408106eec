import TestSupport
import Testing

@testable import NetworkEngine
@testable import NetworkTransport

/// The pool without a socket: what it keeps, and what it has closed.
struct ConnectionPoolTests {
    private final class Connection: PoolMember {
        let key: ConnectionKey
        var deadline = UInt64.max
        var heapIndex = -1
        var uses = 1

        init(_ origin: String = "a", trust: Int = 0) {
            key = ConnectionKey(origin: origin, trust: trust)
        }
    }

    private typealias Pool = ConnectionPool<Connection>

    private func pool(idle: Int = 4, open: Int = 10, lifetime: UInt64 = 1_000, uses: Int? = nil) -> Pool {
        Pool(ConnectionLimits(maximumIdle: idle, maximumOpen: open, idleLifetime: lifetime, maximumUses: uses))
    }

    @Test func `the connection that was used last is reused first, and only for the same origin and policy`() {
        var pool = pool()
        let connections = [Connection(), Connection(), Connection("b"), Connection(trust: 1)]
        for connection in connections {
            pool.add()
            guard case .kept(nil) = pool.keep(connection, uses: 1, serverSeconds: nil, at: 0) else {
                Issue.record("not kept")
                return
            }
        }
        #expect(pool.take(ConnectionKey(origin: "a", trust: 0)) === connections[1])
        #expect(pool.take(ConnectionKey(origin: "a", trust: 0)) === connections[0])
        #expect(pool.take(ConnectionKey(origin: "a", trust: 0)) == nil)
        #expect(pool.take(ConnectionKey(origin: "a", trust: 1)) === connections[3])
        #expect(pool.take(ConnectionKey(origin: "b", trust: 0, versions: .http2)) == nil)
        #expect(pool.open == 4, "taking a connection does not close it")
    }

    @Test(arguments: [
        (idle: 0, lifetime: 1_000 as UInt64, uses: nil as Int?, seconds: nil as Int?),
        (4, 0, nil, nil), (4, 1_000, 7, nil), (4, 1_000, nil, 0), (4, 1_000, nil, -5),
    ])
    func `a connection is refused if the limits or the server forbid to keep it`(
        idle: Int, lifetime: UInt64, uses: Int?, seconds: Int?
    ) {
        var pool = pool(idle: idle, lifetime: lifetime, uses: uses)
        guard case .refused = pool.keep(Connection(), uses: 7, serverSeconds: seconds, at: 5) else {
            Issue.record("kept")
            return
        }
        #expect(pool.deadline == .max && pool.removeFirst() == nil)
    }

    @Test(arguments: [(1, 500_000_000 as UInt64), (2, 1_000_000_000), (60, 59_000_000_000), (.max, 90_000_000_000)])
    func `the server's time is kept with a margin, because it began earlier`(seconds: Int, lifetime: UInt64) {
        var pool = pool(lifetime: 90_000_000_000)
        let connection = Connection()
        _ = pool.keep(connection, uses: 1, serverSeconds: seconds, at: 1_000)
        #expect(connection.deadline == 1_000 + lifetime && pool.deadline == connection.deadline)
    }

    @Test func `of too many idle connections, the one with the least time left is closed`() {
        var pool = pool(idle: 2, lifetime: 90_000_000_000)
        let short = Connection()
        _ = pool.keep(Connection(), uses: 1, serverSeconds: nil, at: 0)
        _ = pool.keep(short, uses: 1, serverSeconds: 3, at: 0)
        guard case .kept(let surplus) = pool.keep(Connection("b"), uses: 1, serverSeconds: nil, at: 0) else {
            Issue.record("refused")
            return
        }
        #expect(surplus === short)
    }

    @Test func `connections are closed when their time is over, not before`() {
        var pool = pool()
        let (first, second) = (Connection(), Connection("b"))
        _ = pool.keep(first, uses: 1, serverSeconds: nil, at: 0)
        _ = pool.keep(second, uses: 1, serverSeconds: nil, at: 10)
        #expect(pool.removeLate(at: 999) == nil)
        #expect(pool.removeLate(at: 1_000) === first)
        #expect(pool.removeLate(at: 1_000) == nil && pool.deadline == 1_010)
        #expect(pool.removeLate(at: 1_010) === second)
    }

    @Test func `room is made by attempts first, then by idle connections`() {
        var pool = pool(open: 3)
        func next(_ pool: inout Pool, others: Int, attempts: Bool = false) -> String {
            switch pool.makeRoom(beside: others, hasAttempts: attempts) {
            case nil: "none"
            case .giveUpAttempt: "attempt"
            case .close: "idle"
            }
        }
        pool.add()
        #expect(next(&pool, others: 1, attempts: true) == "none", "there is room")
        pool.add()
        _ = pool.keep(Connection(), uses: 1, serverSeconds: nil, at: 0)
        #expect(next(&pool, others: 1, attempts: true) == "attempt")
        #expect(next(&pool, others: 1) == "idle")
        #expect(next(&pool, others: 1) == "none", "nothing can be closed")
        pool.subtract()
        #expect(next(&pool, others: 1, attempts: true) == "none")
    }

    @Test(arguments: 0..<20)
    func `in any order of calls, the pool does what a list of connections does`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limits = ConnectionLimits(
            maximumIdle: Int.random(in: 0...5, using: &random), maximumOpen: Int.random(in: 1...8, using: &random),
            idleLifetime: UInt64.random(in: 0...50, using: &random), maximumUses: Bool.random(using: &random) ? 3 : nil)
        var pool = Pool(limits)
        var idle: [Connection] = []
        var inUse: [Connection] = []
        var now: UInt64 = 0
        func close(_ connection: Connection?) {
            guard let connection else { return }
            idle.removeAll { $0 === connection }
            pool.subtract()
        }
        for _ in 0..<2_000 {
            now += UInt64.random(in: 0...10, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                while let eviction = pool.makeRoom(beside: 0, hasAttempts: false) {
                    guard case .close(let closed) = eviction else {
                        Issue.record("there is no attempt")
                        return
                    }
                    #expect(closed.deadline == idle.map(\.deadline).min())
                    close(closed)
                }
                #expect(idle.count + inUse.count < limits.maximumOpen || idle.isEmpty)
                inUse.append(Connection(["a", "b", "c"].randomElement(using: &random) ?? "a"))
                pool.add()
            case 1:
                guard let connection = inUse.popLast() else { continue }
                let uses = Int.random(in: 1...3, using: &random)
                let isKept = limits.keepsConnections && (limits.maximumUses.map { uses < $0 } ?? true)
                switch pool.keep(connection, uses: uses, serverSeconds: nil, at: now) {
                case .refused:
                    #expect(!isKept)
                    close(connection)
                case .kept(let surplus):
                    #expect(isKept && connection.deadline == now + limits.idleLifetime)
                    idle.append(connection)
                    #expect((surplus != nil) == (idle.count > limits.maximumIdle))
                    if let surplus { #expect(surplus.deadline == idle.map(\.deadline).min()) }
                    close(surplus)
                }
            case 2:
                let key = ConnectionKey(origin: ["a", "b", "c"].randomElement(using: &random) ?? "a", trust: 0)
                let expected = idle.last { $0.key == key }
                let taken = pool.take(key)
                #expect(taken === expected)
                idle.removeAll { $0 === taken }
                if let taken { inUse.append(taken) }
            case 3:
                while let late = pool.removeLate(at: now) {
                    #expect(late.deadline <= now)
                    close(late)
                }
                #expect(!idle.contains { $0.deadline <= now })
            default:
                guard let closed = idle.randomElement(using: &random) else { continue }
                pool.remove(closed)
                close(closed)
            }
            #expect(pool.open == idle.count + inUse.count && idle.count <= limits.maximumIdle)
            #expect(pool.deadline == idle.map(\.deadline).min() ?? .max)
            #expect(Set(pool.idleConnections.map(ObjectIdentifier.init)) == Set(idle.map(ObjectIdentifier.init)))
        }
    }
}
