import Testing
import TransferTestSupport

@testable import NetworkEngine

/// Which addresses are connected to, and when, without sockets and without a clock (RFC 8305).
struct ConnectRaceTests {
    private typealias Race = ConnectRace<String>
    private static let ms: UInt64 = 1_000_000

    @Test func `the next address is tried after 250 ms, or at once when an attempt has failed`() {
        var race = Race(lookups: 0)
        race.replace(["a", "b", "c", "d"])
        #expect(race.step(at: 0) == .connect("a"))
        #expect(race.step(at: 0) == .wait(until: 250 * Self.ms))
        #expect(race.step(at: 249 * Self.ms) == .wait(until: 250 * Self.ms))
        #expect(race.step(at: 250 * Self.ms) == .connect("b"))
        #expect(race.step(at: 260 * Self.ms) == .wait(until: 500 * Self.ms))
        race.attemptDidFail()
        #expect(race.step(at: 260 * Self.ms) == .connect("c"))
        #expect(race.step(at: 260 * Self.ms) == .wait(until: 510 * Self.ms))
        #expect(race.step(at: 600 * Self.ms) == .connect("d"))
        #expect(race.step(at: 600 * Self.ms) == .wait(until: .max), "all are under way")
        for _ in 0..<3 { race.attemptDidFail() }
        #expect(race.step(at: 600 * Self.ms) == .exhausted)
        #expect(race.begun == 4 && race.active == 0)
    }

    @Test func `IPv4 waits 50 ms for IPv6, which waits for nothing`() {
        var race = Race(lookups: 2)
        #expect(race.step(at: 0) == .wait(until: .max))
        race.endLookup(["4"], awaitsOthers: true, at: 10 * Self.ms)
        #expect(race.step(at: 10 * Self.ms) == .wait(until: 60 * Self.ms))
        race.endLookup(["6", "4"], awaitsOthers: false, at: 20 * Self.ms)
        #expect(race.step(at: 20 * Self.ms) == .connect("6"))

        var late = Race(lookups: 2)
        late.endLookup(["4"], awaitsOthers: true, at: 0)
        #expect(late.step(at: 50 * Self.ms) == .connect("4"))
        #expect(late.step(at: 60 * Self.ms) == .wait(until: .max), "the other lookup may still find one")
        late.attemptDidFail()
        #expect(late.step(at: 60 * Self.ms) == .wait(until: .max))
        late.endLookup(["6", "4"], awaitsOthers: false, at: 70 * Self.ms)
        #expect(late.step(at: 70 * Self.ms) == .connect("6"))
        late.attemptDidFail()
        #expect(late.step(at: 70 * Self.ms) == .exhausted)

        var first = Race(lookups: 2)
        first.endLookup(["6"], awaitsOthers: false, at: 0)
        #expect(first.step(at: 0) == .connect("6"))
    }

    @Test func `a family without addresses is not waited for`() {
        var race = Race(lookups: 2)
        race.endLookup([], awaitsOthers: true, at: 0)
        #expect(race.step(at: 0) == .wait(until: .max))
        race.endLookup(["6"], awaitsOthers: false, at: 5)
        #expect(race.step(at: 5) == .connect("6"))
        var none = Race(lookups: 2)
        none.endLookup([], awaitsOthers: true, at: 0)
        none.endLookup([], awaitsOthers: false, at: 0)
        #expect(none.step(at: 0) == .exhausted && none.isEmpty)
    }

    @Test func `a second lookup adds only addresses that were not tried`() {
        var race = Race(lookups: 1)
        race.endLookup(["a", "b"], awaitsOthers: false, at: 0)
        #expect(race.step(at: 0) == .connect("a"))
        race.attemptDidFail()
        #expect(race.step(at: 0) == .connect("b"))
        race.attemptDidFail()
        race.lookUpAgain(1)
        #expect(race.step(at: 0) == .wait(until: .max))
        race.endLookup(["b", "c", "a"], awaitsOthers: false, at: 1)
        #expect(race.step(at: 1) == .connect("c"))
        race.attemptDidFail()
        #expect(race.step(at: 1) == .exhausted)
    }

    /// What has to hold in every order of events.
    @Test(arguments: 0..<200) func `each address is tried once, the last one begins in time, and the race ends`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let lookups = Int.random(in: 0...2, using: &random)
        var race = ConnectRace<Int>(lookups: lookups)
        var known = lookups == 0 ? Array(0..<Int.random(in: 1...6, using: &random)) : []
        if lookups == 0 { race.replace(known) }
        var (pending, active, tried) = (lookups, 0, [Int]())
        var (now, lastBeginning): (UInt64, UInt64) = (0, 0)
        for _ in 0..<1_000 {
            switch race.step(at: now) {
            case .connect(let address):
                #expect(!tried.contains(address) && known.contains(address))
                #expect(active == 0 || now - lastBeginning >= Race.attemptDelay || tried.count > active)
                tried.append(address)
                active += 1
                lastBeginning = now
            case .exhausted:
                #expect(pending == 0 && active == 0 && Set(tried) == Set(known))
                return
            case .wait(let time):
                #expect(time > now)
                #expect(time <= now + Race.attemptDelay || time == .max)
                let isOver = time == .max
                switch Int.random(in: 0..<3, using: &random) {
                case 0 where pending > 0, 1 where pending > 0 && isOver && active == 0:
                    pending -= 1
                    known = Array(Set(known + (0..<Int.random(in: 0...4, using: &random)).map { $0 + 10 * pending })).sorted()
                    race.endLookup(known, awaitsOthers: Bool.random(using: &random), at: now)
                case 1 where active > 0, 2 where active > 0 && isOver:
                    active -= 1
                    race.attemptDidFail()
                default:
                    if !isOver { now = time } else { now += 1 }
                }
            }
        }
        Issue.record("the race never ends")
    }
}
