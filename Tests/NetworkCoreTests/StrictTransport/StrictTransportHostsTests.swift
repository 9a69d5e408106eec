import Foundation
import Testing
import TransferTestSupport

@testable import NetworkTransport

struct StrictTransportHostsTests {
    private func field(_ age: Int64, _ subdomains: Bool = false) -> StrictTransportField {
        StrictTransportField(maximumAge: age, includesSubdomains: subdomains)
    }

    @Test func `subdomains are known only if the field includes them, and superdomains never`() {
        var hosts = StrictTransportHosts()
        hosts.apply(field(10, true), to: "b.example", now: 100)
        hosts.apply(field(10), to: "c.example", now: 100)
        for (host, isKnown) in [
            ("b.example", true), ("a.b.example", true), ("x.a.b.example", true), ("example", false), ("ab.example", false),
            ("c.example", true), ("a.c.example", false),
        ] {
            #expect(hosts.contain(host, now: 109) == isKnown, "\(host)")
            #expect(!hosts.contain(host, now: 110), "\(host) has expired")
        }
        // A known subdomain without its own subdomains does not end what its superdomain says (§8.2).
        hosts.apply(field(10), to: "a.b.example", now: 100)
        #expect(hosts.contain("x.a.b.example", now: 105))
        hosts.apply(field(0), to: "b.example", now: 105)
        #expect(!hosts.contain("x.a.b.example", now: 105) && hosts.contain("a.b.example", now: 105))
    }

    @Test func `random fields make hosts known as in a model that keeps every field`() {
        var random = SeededGenerator(seed: 11)
        let labels = ["a", "b", "c"]
        func host(_ random: inout SeededGenerator) -> String {
            (0..<1 + random.below(4)).map { _ in random.pick(labels) }.joined(separator: ".")
        }
        for _ in 0..<runs(12, slow: 50) {
            var hosts = StrictTransportHosts()
            var fields: [(host: String, field: StrictTransportField, time: Int64)] = []
            var now: Int64 = 1000
            for _ in 0..<200 {
                now += Int64(random.below(5))
                let applied = field(random.chance(20) ? 0 : Int64(random.below(40)), random.chance(50))
                let name = host(&random)
                hosts.apply(applied, to: name, now: now)
                fields.append((name, applied, now))
                let asked = host(&random)
                // The last field of each host counts.
                let isKnown = Set(fields.map(\.host)).contains { known in
                    guard let last = fields.last(where: { $0.host == known }), last.time + last.field.maximumAge > now else {
                        return false
                    }
                    return known == asked || last.field.includesSubdomains && asked.hasSuffix("." + known)
                }
                #expect(hosts.contain(asked, now: now) == isKnown, "\(asked) at \(now)")
            }
        }
    }

    @Test func `the number of hosts is limited, and those of the largest site are removed, the least recently confirmed first`()
        throws
    {
        var hosts = StrictTransportHosts()
        for host in ["bank.example", "www.bank.example"] { hosts.apply(field(10_000), to: host, now: 0) }
        for number in 0..<3000 {
            hosts.apply(field(100_000), to: "h\(number).evil.example", now: 0)
            hosts.apply(field(100_000), to: "h0.evil.example", now: 0)
        }
        #expect((900...1000).contains(hosts.entries.count) && hosts.inOrder.prefix(2) == ["bank.example", "www.bank.example"])
        #expect(hosts.contain("h0.evil.example", now: 1) && !hosts.contain("h1.evil.example", now: 1))
        // The file has the same order, and is read in time that is linear in its length.
        let text = hosts.text(now: 0) + (0..<20_000).map { "g\($0).evil.example \"unlimited\"\n" }.joined()
        let read = try StrictTransportHosts(text: text, now: 0)
        #expect(
            read.entries.count == 900 && read.contain("www.bank.example", now: 1) && read.contain("g19999.evil.example", now: 1))
        #expect(try StrictTransportHosts(text: hosts.text(now: 0), now: 0).inOrder == hosts.inOrder)
        hosts.apply(field(5), to: "short.example", now: 0)
        #expect(hosts.contain("short.example", now: 1), "the host of the response itself is kept")
    }

    @Test func `hosts are the same after they were written and read`() throws {
        var random = SeededGenerator(seed: 12)
        for _ in 0..<runs(30, slow: 100) {
            var hosts = StrictTransportHosts()
            for _ in 0..<random.below(20) {
                hosts.apply(
                    field(Int64(1 + random.below(2_000_000_000)), random.chance(50)), to: "h\(random.below(30)).example",
                    now: 1_700_000_000)
            }
            #expect(try StrictTransportHosts(text: hosts.text(now: 1_700_000_000), now: 1_700_000_000) == hosts)
        }
    }

    @Test func `the file has the format of curl`() throws {
        let text =
            "# Your HSTS cache. https://curl.se/docs/hsts.html\r\n.b.example \"20300102 03:04:05\"\nc.example \"unlimited\"\n\nold.example \"20010101 00:00:00\"\n"
        let hosts = try StrictTransportHosts(text: text, now: 1_700_000_000)
        #expect(hosts.entries["b.example"] == .init(expires: 1_893_553_445, includesSubdomains: true))
        #expect(hosts.contain("c.example", now: 60_000_000_000) && hosts.entries.count == 2)
        #expect(hosts.text(now: 1_700_000_000).contains("\n.b.example \"20300102 03:04:05\"\n"))
    }

    @Test(
        arguments: [
            "x", "x ", "x \"\"", "x \"20300102 03:04:05", "x \"20301302 03:04:05\"", "x \"20300230 03:04:05\"",
            "x \"20300102 24:00:00\"",
            "x \"2030010a 03:04:05\"", "127.0.0.1 \"unlimited\"", "..a \"unlimited\"", " \"unlimited\"", "a/b \"unlimited\"",
            "\u{0}",
            "x \"20300102 03:04:05\" y", "x  \"20300102 03:04:05\"",
        ])
    func `a damaged line is an error with its number`(line: String) {
        #expect(throws: StrictTransportHosts.Damage(line: 3)) {
            try StrictTransportHosts(text: "# a\na.example \"unlimited\"\n\(line)\nb", now: 0)
        }
    }
}
