import Foundation
import NetworkSupport
import Testing
import TransferTestSupport

@testable import NetworkTransport

/// Random responses of honest and hostile servers, over TLS and without it, to several users with a store of cookies and known hosts each. The rules,
/// written once more over plain lists, decide what each user must have and send.
struct SiteStormTests {
    private struct Item: Equatable {
        var name: String
        var value: String
        var domain: String
        var isHostOnly: Bool
        var path: String
        var isSecure: Bool
        var site: String
        var setter: String
        var isTrusted: Bool
        var expires: Int64?
        var lastUse: UInt64

        var identity: [String] { [name, domain, path, "\(isHostOnly)"] }
        var entry: SiteQuota.Entry {
            SiteQuota.Entry(isTrusted: isTrusted, site: site, setter: setter, standing: isSecure ? 1 : 0, recency: lastUse)
        }
    }

    private struct Host {
        var expires: Int64
        var includesSubdomains: Bool
        var confirmed: UInt64
    }

    /// What one user has.
    private final class User {
        let name: String
        let store: CookieStore
        var hosts = StrictTransportHosts(limit: SiteStormTests.maximumHosts)
        var items: [Item] = []
        var known: [String: Host] = [:]
        var ticks: UInt64 = 0

        init(_ name: String, _ clock: Locked<Int64>) {
            self.name = name
            store = CookieStore(limits: SiteStormTests.limits) { clock.withLock { $0 } }
        }

        func tick() -> UInt64 {
            ticks += 1
            return ticks
        }
    }

    private static let limits = CookieLimits(maximumCookiesPerDomain: 6, maximumCookies: 30, maximumFieldBytes: .max)
    private static let maximumHosts = 12
    /// The sites with their hosts. The first ones are honest.
    private static let sites = [
        "bank.test": ["bank.test", "www.bank.test", "api.bank.test"], "shop.co.uk": ["shop.co.uk", "www.shop.co.uk"],
        "10.0.0.1": ["10.0.0.1"],
        "evil.test": (0..<12).map { "h\($0).evil.test" }, "evil.co.uk": (0..<6).map { "h\($0).evil.co.uk" },
    ]
    private static let hosts = sites.flatMap { site, hosts in hosts.map { (site, $0) } }.sorted { $0.1 < $1.1 }
    private static let names = ["session", "a", "__Secure-b", "__HOST-c", ""]

    private static func isCovered(_ host: String, by domain: String) -> Bool { ("." + host).hasSuffix("." + domain) }
    private static func isInside(_ path: String, _ folder: String) -> Bool {
        path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// A `Set-Cookie` field of a host, and the cookie that it sets; `nil` if it is to be refused.
    private static func field(
        _ random: inout SeededGenerator, _ place: (site: String, host: String), isSecure: Bool, value: String, now: Int64
    ) -> (text: String, item: Item?) {
        if random.chance(3) { return ("=__Host-c=\(value)", nil) }
        let name = random.chance(60) ? random.pick(names) : "n\(random.below(30))"
        var item = Item(
            name: name, value: value, domain: place.host, isHostOnly: true, path: "/", isSecure: random.chance(50),
            site: place.site,
            setter: place.host, isTrusted: isSecure, lastUse: 0)
        var text = "\(name)=\(value)"
        if random.chance(40), !place.host.hasPrefix("1") {
            (item.domain, item.isHostOnly) = (place.site, false)
            text += "; Domain=\(place.site)"
        }
        let hasPath = random.chance(70)
        if hasPath {
            item.path = random.pick(["/", "/", "/p"])
            text += "; Path=\(item.path)"
        }
        if item.isSecure { text += "; Secure" }
        if random.chance(20) {
            let age = random.pick([-1, 0, 3, 100])
            text += "; Max-Age=\(age)"
            item.expires = age <= 0 ? 0 : now + Int64(age) * 1000
        }
        let prefix = name.lowercased().hasPrefix("__")
        let isRefused =
            item.isSecure && !isSecure || prefix && !item.isSecure
            || name == "__HOST-c" && !(item.isHostOnly && hasPath && item.path == "/")
        return (text, isRefused ? nil : item)
    }

    /// Stores an item as the rules say.
    private static func store(_ item: Item, _ user: User, overTLS: Bool, _ protected: [Item], now: Int64) {
        let isProtected = protected.contains { other in
            other.name == item.name && isInside(item.path, other.path)
                && (isCovered(other.domain, by: item.domain) || isCovered(item.domain, by: other.domain))
        }
        if isProtected { return }
        var item = item
        item.lastUse = user.tick()
        let isExpired = item.expires.map { $0 <= now } ?? false
        if let index = user.items.firstIndex(where: { $0.identity == item.identity }) {
            user.items.remove(at: index)
            if !isExpired { user.items.insert(item, at: index) }
        } else if !isExpired {
            user.items.append(item)
        }
        lose(user, overTLS, now, limits.maximumCookiesPerDomain, share: 0, tenth: false) { $0.domain == item.domain }
    }

    /// Applies a limit to some of the items.
    private static func lose(
        _ user: User, _ overTLS: Bool, _ now: Int64, _ limit: Int, share: Int, tenth: Bool, _ isConcerned: (Item) -> Bool
    ) {
        guard user.items.filter(isConcerned).count > limit else { return }
        user.items.removeAll { isConcerned($0) && ($0.expires.map { $0 <= now } ?? false) }
        let concerned = user.items.filter(isConcerned)
        let lost = PlainQuota.excess(concerned.map(\.entry), limit: limit, for: overTLS, share: share, removesTenth: tenth)
        let times = Set(lost.map { concerned[$0].lastUse })
        user.items.removeAll { times.contains($0.lastUse) }
    }

    /// What the user's list has lost that it must keep, whatever the rules for the order are.
    private static func violations(
        _ before: [Item], _ user: User, _ place: (site: String, host: String), overTLS: Bool, now: Int64
    ) -> [String] {
        let left = Set(user.store.stored().map { String(decoding: $0.value, as: UTF8.self) })
        let lost = before.filter { !left.contains($0.value) && !($0.expires.map { $0 <= now } ?? false) }
        if !overTLS { return lost.filter(\.isSecure).map { "a response without TLS has removed \($0)" } }
        let trusted = Dictionary(grouping: before.filter(\.isTrusted), by: \.site)
        let part = limits.maximumCookies / 2 * 9 / 10 / (trusted.count + 1)
        return lost.filter { $0.isTrusted && $0.site != place.site && trusted[$0.site, default: []].count <= part }
            .map { "\(place) has removed \($0)" }
    }

    private static func receive(_ user: User, _ random: inout SeededGenerator, step: Int, now: Int64) throws {
        let isFlood = random.chance(10)
        let place = isFlood ? hosts.filter { $0.0.hasPrefix("evil") }[random.below(18)] : random.pick(hosts)
        let overTLS = random.chance(50)
        let before = user.items
        var texts: [String] = []
        let protected = overTLS ? [] : user.items.filter { $0.isSecure && !($0.expires.map { $0 <= now } ?? false) }
        for number in 0..<(isFlood ? 12 : 1 + random.below(2)) {
            let (text, item) = field(
                &random, (place.0, place.1), isSecure: overTLS, value: "\(user.name).\(step).\(number)", now: now)
            texts.append(text)
            if let item { store(item, user, overTLS: overTLS, protected, now: now) }
        }
        lose(user, overTLS, now, limits.maximumCookies, share: limits.maximumCookies / 2, tenth: true) { _ in true }
        user.store.receive(
            texts, from: try #require(CookieLocation(scheme: overTLS ? "https" : "http", host: place.1[...], path: "/")))
        let violations = violations(before, user, (place.0, place.1), overTLS: overTLS, now: now)
        #expect(violations.isEmpty, "step \(step): \(violations)")
    }

    private static func send(_ user: User, _ random: inout SeededGenerator, step: Int, now: Int64) {
        let (host, isSecure, path) = (random.pick(hosts).1, random.chance(50), random.pick(["/", "/p", "/p/q", "/px"]))
        var sent: [(path: Int, offset: Int, pair: String)] = []
        user.items.removeAll { item in
            isCovered(host, by: item.domain) && (item.expires.map { $0 <= now } ?? false)
        }
        // The cookies of the host come before those of its parent domains, and each has a separate time of use.
        for length in stride(from: host.utf8.count, through: 0, by: -1) {
            for (offset, item) in user.items.enumerated() where item.domain.utf8.count == length {
                guard host == item.domain || !item.isHostOnly && isCovered(host, by: item.domain), isInside(path, item.path),
                    isSecure || !item.isSecure
                else { continue }
                sent.append((item.path.utf8.count, offset, item.name.isEmpty ? item.value : "\(item.name)=\(item.value)"))
            }
        }
        let location = CookieLocation(scheme: isSecure ? "https" : "http", host: host[...], path: path[...])!
        let field = user.store.added(to: nil, for: location)
        sent.sort { ($1.path, $0.offset) < ($0.path, $1.offset) }
        #expect(field == (sent.isEmpty ? nil : sent.map(\.pair).joined(separator: "; ")), "step \(step)")
        // The times of use are those of the store: their order among the cookies of one request is not stated.
        let uses = Dictionary(
            uniqueKeysWithValues: user.store.stored().map { (String(decoding: $0.value, as: UTF8.self), $0.lastUse) })
        for index in user.items.indices {
            if let use = uses[user.items[index].value] { user.items[index].lastUse = use }
        }
        user.ticks = max(user.ticks, uses.values.max() ?? 0)
    }

    private static func confirm(_ user: User, _ random: inout SeededGenerator, step: Int, now: Int64) {
        let seconds = now / 1000
        for _ in 0..<(random.chance(10) ? 15 : 1) {
            let (site, host) = random.chance(20) ? ("evil.test", "f\(random.below(100)).evil.test") : random.pick(hosts)
            guard !host.hasPrefix("1") else { continue }
            let field = StrictTransportField(maximumAge: random.pick([0, 5, 1000, 1000]), includesSubdomains: random.chance(30))
            let before = user.known.filter { $0.value.expires > seconds }
            user.hosts.apply(field, to: host, now: seconds)
            user.known[host] =
                field.maximumAge == 0
                ? nil
                : Host(expires: seconds + field.maximumAge, includesSubdomains: field.includesSubdomains, confirmed: user.tick())
            if user.known.count > maximumHosts { user.known = user.known.filter { $0.value.expires > seconds } }
            if user.known.count > maximumHosts {
                let names = Array(user.known.keys)
                let entries = names.map { name in
                    let site = sites.keys.first { isCovered(name, by: $0) } ?? ""
                    return SiteQuota.Entry(isTrusted: true, site: site, setter: name, recency: user.known[name]!.confirmed)
                }
                let lost = PlainQuota.excess(entries, limit: maximumHosts, for: true, share: 0, removesTenth: true)
                for position in lost { user.known[names[position]] = nil }
            }
            let counts = Dictionary(grouping: before.keys) { name in sites.keys.first { isCovered(name, by: $0) } ?? "" }
            for (other, names) in counts where other != site && names.count <= (maximumHosts - 1) / (counts.count + 1) {
                #expect(
                    names.allSatisfy { user.hosts.entries[$0] != nil }, "step \(step): \(host) has removed a host of \(other)")
            }
        }
        let host = random.pick(hosts).1
        let isKnown = user.known.contains { name, entry in
            entry.expires > seconds && (name == host || entry.includesSubdomains && isCovered(host, by: name))
        }
        #expect(user.hosts.contain(host, now: seconds) == isKnown, "step \(step): \(host)")
    }

    /// Saves and loads what a user has: the order of use becomes that of creation, and what was received without TLS remains so.
    private static func restart(_ user: User, _ folder: TemporaryFolder, now: Int64, _ clock: Locked<Int64>) throws -> User {
        let next = User(user.name, clock)
        try user.store.save(to: folder.file(user.name), includesSessionCookies: true)
        try next.store.load(from: folder.file(user.name))
        next.items = user.items.filter { $0.expires.map { $0 > now } ?? true }
        let uses = next.store.stored().map(\.lastUse)
        if uses.count == next.items.count { for index in uses.indices { next.items[index].lastUse = uses[index] } }
        next.ticks = uses.max() ?? 0
        next.hosts.set(
            try StrictTransportHosts(text: user.hosts.text(now: now / 1000), now: now / 1000).inOrder.map {
                ($0, user.hosts.entries[$0])
            },
            now: now / 1000)
        for (order, name) in user.known.filter({ $0.value.expires > now / 1000 }).sorted(by: {
            $0.value.confirmed < $1.value.confirmed
        })
        .map(\.key).enumerated() {
            next.known[name] = user.known[name]
            next.known[name]?.confirmed = UInt64(order)
        }
        next.ticks += UInt64(maximumHosts)
        return next
    }

    @Test func `no server removes or overlays what another site or TLS has stored, and no user has anything of another`() throws {
        var random = SeededGenerator(seed: UInt64(ProcessInfo.processInfo.environment["DATA_TRANSFER_SEED"] ?? "") ?? 1)
        let clock = Locked(Int64(1_500_000_000_000))
        let folder = try TemporaryFolder()
        var users = ["x", "y", "z"].map { User($0, clock) }
        for step in 0..<runs(4_000, slow: 80_000) {
            let now = clock.withLock { time in
                if random.chance(5) { time += Int64(random.pick([1, 1000, 4000])) }
                return time
            }
            let index = random.below(users.count)
            let user = users[index]
            switch random.below(1000) {
            case 0..<450: try Self.receive(user, &random, step: step, now: now)
            case 450..<700: Self.send(user, &random, step: step, now: now)
            case 700..<999: Self.confirm(user, &random, step: step, now: now)
            default: users[index] = try Self.restart(user, folder, now: now, clock)
            }
            guard step % 4 == 0 else { continue }
            let stored = users[index].store.stored().map { String(decoding: $0.value, as: UTF8.self) }
            let expected = users[index].items.filter { $0.expires.map { $0 > now } ?? true }.map(\.value)
            #expect(stored == expected && stored.allSatisfy { $0.hasPrefix(user.name + ".") }, "step \(step)")
            #expect(
                users[index].store.count <= Self.limits.maximumCookies && users[index].hosts.entries.count <= Self.maximumHosts)
        }
    }
}
