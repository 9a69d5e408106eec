import Testing
import TransferTestSupport

@testable import NetworkTransport

/// The rules of ``SiteQuota`` once more, which removes one entry after the other.
enum PlainQuota {
    static func excess(
        _ entries: [SiteQuota.Entry], limit: Int, for isTrusted: Bool, share: Int, removesTenth: Bool
    ) -> Set<Int> {
        guard entries.count > limit else { return [] }
        var left = Set(entries.indices)
        func count(_ isTrusted: Bool) -> Int { left.count { entries[$0].isTrusted == isTrusted } }
        func remove(_ isTrusted: Bool) {
            func top(_ group: [Int]) -> (Int, UInt64) { group.map { (entries[$0].standing, entries[$0].recency) }.max(by: <)! }
            func loser(_ positions: [Int], _ key: (Int) -> String) -> [Int] {
                Dictionary(grouping: positions, by: key).values.max {
                    ($0.count, 0, top($1).0, top($1).1) < ($1.count, 0, top($0).0, top($0).1)
                }!
            }
            let site = loser(left.filter { entries[$0].isTrusted == isTrusted }) { entries[$0].site }
            let setter = loser(site) { entries[$0].setter }
            left.remove(setter.min { (entries[$0].standing, entries[$0].recency) < (entries[$1].standing, entries[$1].recency) }!)
        }
        func tenth(_ room: Int) -> Int { removesTenth ? room / 10 : 0 }
        let room = max(0, limit - count(true))
        let goal = max(room - tenth(room), isTrusted ? min(share, limit) : 0)
        while count(false) > goal { remove(false) }
        if isTrusted, left.count > limit {
            let room = limit - count(false)
            while count(true) > room - tenth(room) { remove(true) }
        }
        return Set(entries.indices).subtracting(left)
    }
}

struct SiteQuotaTests {
    @Test func `random tables lose the same entries as if one after the other were removed`() {
        var random = SeededGenerator(seed: 5)
        for round in 0..<runs(400, slow: 8_000) {
            let sites = 1 + random.below(6)
            var recencies = (0..<40).map { UInt64($0) }.shuffled(using: &random)
            let entries = (0..<random.below(30)).map { _ in
                // Sites with smaller numbers are more frequent.
                SiteQuota.Entry(
                    isTrusted: random.chance(60), site: "s\(min(random.below(sites), random.below(sites)))",
                    setter: "h\(random.below(3))",
                    standing: random.below(2), recency: recencies.removeLast())
            }
            let (limit, share, isTrusted, tenth) = (random.below(30), random.below(12), random.chance(50), random.chance(50))
            let removed = SiteQuota.excess(entries, limit: limit, for: isTrusted, share: share, removesTenth: tenth)
            let expected = PlainQuota.excess(entries, limit: limit, for: isTrusted, share: share, removesTenth: tenth)
            #expect(removed == expected, "round \(round): \(entries), limit \(limit), share \(share), \(isTrusted), \(tenth)")
            #expect(isTrusted || removed.allSatisfy { !entries[$0].isTrusted })
        }
    }

    @Test func `the site of a host is one label longer than its public suffix`() {
        let rule = PublicSuffixRule { $0 == "github.io" || $0 == "s3.amazonaws.com" }
        for (host, site) in [
            ("a.b.example.org", "example.org"), ("example.org", "example.org"), ("a.b.co.uk", "b.co.uk"), ("co.uk", "co.uk"),
            ("x.me.github.io", "me.github.io"), ("github.io", "github.io"), ("localhost", "localhost"), ("10.0.0.1", "10.0.0.1"),
            ("::1", "::1"), ("b.s3.amazonaws.com", "b.s3.amazonaws.com"), ("x.amazonaws.com", "amazonaws.com"),
        ] {
            #expect(rule.site(of: host) == site, "\(host)")
        }
    }
}
