import Testing
import TransferTestSupport

@testable import NetworkEngine
@testable import NetworkTransport

/// The names that are being looked up, and what was found, without I/O.
struct NameTableTests {
    private static let query = NameQuery(name: "a.example", family: .ipv4)

    private static func address(_ last: UInt8) -> IPAddress {
        IPAddress(bytes: [10, 0, 0, last]) ?? IPAddress("10.0.0.0")!
    }

    private static func isFound(_ step: NameTable<Int>.Step, _ addresses: [IPAddress]) -> Bool {
        if case .found(let found) = step { found == addresses } else { false }
    }

    private static func starts(_ step: NameTable<Int>.Step) -> Bool? {
        if case .wait(let startsLookup) = step { startsLookup } else { nil }
    }

    @Test func `one lookup is performed at a time, and serves all that wait for it`() {
        var table = NameTable<Int>()
        #expect(Self.starts(table.ask(Self.query, for: 1, at: 0).0) == true)
        #expect(Self.starts(table.ask(Self.query, for: 2, at: 0).0) == false)
        #expect(Self.starts(table.ask(NameQuery(name: "a.example", family: .ipv6), for: 3, at: 0).0) == true)
        let result = NameResult.addresses([Self.address(1)])
        #expect(table.settle(Self.query, result, lifetime: 100, at: 10) == [1, 2])
        #expect(Self.isFound(table.ask(Self.query, for: 4, at: 109).0, [Self.address(1)]))
        #expect(Self.starts(table.ask(Self.query, for: 5, at: 110).0) == true, "its time is over")
    }

    @Test func `one that has stopped waiting is not notified, and what is found serves the next one`() {
        var table = NameTable<Int>()
        let (_, ticket) = table.ask(Self.query, for: 1, at: 0)
        table.withdraw(ticket, from: Self.query)
        #expect(Self.starts(table.ask(Self.query, for: 2, at: 1).0) == false, "the lookup goes on")
        table.withdraw(ticket, from: Self.query)
        #expect(table.settle(Self.query, .addresses([Self.address(1)]), lifetime: 100, at: 2) == [2])
        #expect(Self.isFound(table.ask(Self.query, for: 3, at: 3).0, [Self.address(1)]))
    }

    @Test func `a failure is not kept, and neither is what is forgotten`() {
        var table = NameTable<Int>()
        _ = table.ask(Self.query, for: 1, at: 0)
        #expect(table.settle(Self.query, .failed("no"), lifetime: 100, at: 0) == [1])
        #expect(Self.starts(table.ask(Self.query, for: 2, at: 0).0) == true)
        #expect(table.settle(Self.query, .addresses([]), lifetime: 100, at: 0) == [2])
        #expect(Self.isFound(table.ask(Self.query, for: 3, at: 0).0, []), "the name has no address of this family")
        table.forget("a.example")
        #expect(Self.starts(table.ask(Self.query, for: 4, at: 0).0) == true)
    }

    @Test func `a fresh lookup can be required, and an earlier result stays in use meanwhile`() {
        var table = NameTable<Int>()
        _ = table.ask(Self.query, for: 1, at: 0)
        _ = table.settle(Self.query, .addresses([Self.address(1)]), lifetime: 100, at: 0)
        #expect(Self.starts(table.ask(Self.query, for: 2, usesFound: false, at: 1).0) == true)
        #expect(Self.isFound(table.ask(Self.query, for: 3, at: 1).0, [Self.address(1)]))
        #expect(table.settle(Self.query, .addresses([Self.address(2)]), lifetime: 100, at: 2) == [2])
        #expect(Self.isFound(table.ask(Self.query, for: 4, at: 2).0, [Self.address(2)]))
    }

    @Test func `with a lifetime of 0, each connection looks up its name`() {
        var table = NameTable<Int>()
        for number in 0..<3 {
            #expect(Self.starts(table.ask(Self.query, for: number, at: 0).0) == true)
            #expect(table.settle(Self.query, .addresses([Self.address(1)]), lifetime: 0, at: 0) == [number])
        }
    }

    @Test(arguments: 0..<20) func `in any order of calls, nobody is lost and the size is limited`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = NameTable<Int>(maximum: 8)
        var waiting: [NameQuery: Set<Int>] = [:]
        var tickets: [(query: NameQuery, ticket: Int, number: Int)] = []
        var now: UInt64 = 0
        for number in 0..<2_000 {
            now += UInt64.random(in: 0...5, using: &random)
            let query = NameQuery(name: "\(Int.random(in: 0..<30, using: &random))", family: .ipv4)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let (step, ticket) = table.ask(query, for: number, usesFound: Bool.random(using: &random), at: now)
                guard case .wait(let starts) = step else { continue }
                #expect(starts == (waiting[query] == nil), "one lookup at a time")
                waiting[query, default: []].insert(number)
                tickets.append((query, ticket, number))
            case 2:
                guard let query = waiting.keys.sorted(by: { $0.name < $1.name }).randomElement(using: &random) else { continue }
                let notified = table.settle(query, .addresses([Self.address(1)]), lifetime: 20, at: now)
                #expect(Set(notified) == waiting.removeValue(forKey: query) && notified == notified.sorted())
            default:
                guard let taken = tickets.randomElement(using: &random) else { continue }
                table.withdraw(taken.ticket, from: taken.query)
                waiting[taken.query]?.remove(taken.number)
            }
            #expect(table.count <= 8 + waiting.count)
        }
    }
}
