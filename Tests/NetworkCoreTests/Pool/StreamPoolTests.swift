import Endpoints
import NetworkSupport
import TestSupport
import Testing

@testable import NetworkEngine
@testable import NetworkTransport

/// Which connection carries a request, which requests wait, and when another connection is made.
struct StreamPoolTests {
    private final class Connection: MultiplexedConnection {
        let key: ConnectionKey
        var limit: Int
        var open = 0
        var isSettling = false
        var isCounted = true

        init(_ key: ConnectionKey, limit: Int) {
            self.key = key
            self.limit = limit
        }

        var hasRoom: Bool { open < limit }
    }

    private let key = ConnectionKey(origin: "a", trust: 0, versions: .http2)

    private func name(_ placement: StreamPool<Connection, Int>.Placement) -> String {
        switch placement {
        case .use: "use"
        case .connect: "connect"
        case .wait: "wait"
        }
    }

    @Test func `a connection that takes no more requests may not count towards the limit`() {
        var pool = StreamPool<Connection, Int>(maximum: 1)
        let first = Connection(key, limit: 0)
        pool.add(first)
        #expect(name(pool.place(key, at: 0)) == "wait")
        first.isCounted = false
        #expect(name(pool.place(key, at: 0)) == "connect")
    }

    @Test func `one connection is made at a time, when those that exist are full, up to the limit`() {
        var pool = StreamPool<Connection, Int>(maximum: 2)
        #expect(name(pool.place(key, at: 0)) == "connect")
        pool.beginAttempt(key)
        #expect(name(pool.place(key, at: 0)) == "wait" && !pool.hasConnection(key))
        let first = Connection(key, limit: 1)
        pool.endAttempt(key)
        pool.add(first)
        #expect(name(pool.place(key, at: 0)) == "use")
        first.open = 1
        #expect(name(pool.place(key, at: 0)) == "connect")
        first.isSettling = true
        #expect(name(pool.place(key, at: 0)) == "wait")
        first.isSettling = false
        pool.add(Connection(key, limit: 0))
        #expect(name(pool.place(key, at: 0)) == "wait")
        pool.remove(first)
        #expect(name(pool.place(key, at: 0)) == "connect")
        #expect(name(pool.place(ConnectionKey(origin: "a", trust: 1, versions: .http2), at: 0)) == "connect")
    }

    @Test func `a connection that is not suitable is used only if no other can be made`() {
        var pool = StreamPool<Connection, Int>(maximum: 1)
        pool.add(Connection(key, limit: 5))
        #expect(name(pool.place(key, at: 0) { _ in false }) == "use")
        var wide = StreamPool<Connection, Int>(maximum: 2)
        wide.add(Connection(key, limit: 5))
        #expect(name(wide.place(key, at: 0) { _ in false }) == "connect")
    }

    @Test func `while a key is paused, no connection is made, and its requests go on afterwards`() {
        var pool = StreamPool<Connection, Int>(maximum: 1)
        #expect(pool.pauseEnd == .max)
        pool.pause(key, until: 100)
        #expect(name(pool.place(key, at: 99)) == "wait" && pool.pauseEnd == 100)
        _ = pool.wait(1, for: key, priority: .normal)
        #expect(pool.takeWaiting(key, at: 99) == nil)
        #expect(pool.endPauses(at: 99).isEmpty && pool.endPauses(at: 100) == [key])
        #expect(pool.takeWaiting(key, at: 100) == 1 && pool.pauseEnd == .max)
    }

    /// What each member is doing.
    private struct Model {
        var waiting: [Int: UInt64] = [:]
        var running: [Int: Connection] = [:]
        var connecting: [Int] = []
    }

    @Test func `in any order of events, each request is placed once, and none waits while there is room`() {
        let first = UInt64.random(in: 0...1 << 40)
        for seed in first..<first + UInt64(runs(40, slow: 800)) {
            var random = SeededGenerator(seed: seed)
            let maximum = 1 + random.below(3)
            var pool = StreamPool<Connection, Int>(maximum: maximum)
            var model = Model()
            var next = 0
            var now: UInt64 = 0

            func place(_ member: Int) {
                switch pool.place(key, at: now) {
                case .use(let connection):
                    #expect(connection.hasRoom)
                    connection.open += 1
                    model.running[member] = connection
                case .connect:
                    #expect(model.connecting.isEmpty && pool.connections.count < maximum)
                    pool.beginAttempt(key)
                    model.connecting.append(member)
                case .wait: model.waiting[member] = pool.wait(member, for: key, priority: random.pick([.high, .normal, .low]))
                }
            }
            func admit() {
                while let member = pool.takeWaiting(key, at: now) {
                    #expect(model.waiting.removeValue(forKey: member) != nil)
                    place(member)
                }
            }
            for _ in 0..<200 {
                switch random.below(8) {
                case 0, 1, 2:
                    place(next)
                    next += 1
                case 3:
                    guard let member = model.connecting.popLast() else { continue }
                    pool.endAttempt(key)
                    guard random.chance(70) else { break }
                    let connection = Connection(key, limit: random.below(4))
                    pool.add(connection)
                    place(member)
                case 4:
                    guard let (member, connection) = model.running.first else { continue }
                    model.running[member] = nil
                    connection.open -= 1
                case 5:
                    guard let (member, ticket) = model.waiting.first else { continue }
                    model.waiting[member] = nil
                    pool.stopWaiting(key, ticket: ticket)
                case 6:
                    guard let connection = pool.connections.first else { continue }
                    if random.chance(50) {
                        connection.limit = random.below(4)
                    } else {
                        pool.remove(connection)
                        for (member, other) in model.running where other === connection { model.running[member] = nil }
                    }
                default:
                    now += 10
                    if random.chance(20) { pool.pause(key, until: now + UInt64(random.below(30))) }
                    _ = pool.endPauses(at: now)
                }
                admit()
                #expect(pool.waitingCount(key) == model.waiting.count)
                if !model.waiting.isEmpty { #expect(name(pool.place(key, at: now)) == "wait", "seed \(seed)") }
            }
        }
    }
}
