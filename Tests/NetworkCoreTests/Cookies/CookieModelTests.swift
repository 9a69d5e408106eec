import Foundation
import NetworkSupport
import TransferTestSupport
import Testing

@testable import NetworkTransport

/// Random cookies and requests, compared with the rules of 6265bis written once more over one list of plain texts.
struct CookieModelTests {
    private struct Place {
        var scheme: String
        var host: String
        var path: String
        var isLocal: Bool { ["localhost", "127.0.0.1", "::1"].contains(host) }
        var isSecure: Bool { scheme == "https" || isLocal }
        var isAddress: Bool { host.contains(":") || host.hasPrefix("1") }
        var url: URL { URL(string: "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(8080)\(path)")! }
        var folder: String {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            return parts.count < 2 ? "/" : parts.joined(separator: "/")
        }

        static func random(_ random: inout SeededGenerator) -> Place {
            Place(scheme: random.pick(["http", "https"]), host: random.pick(hosts), path: random.pick(paths))
        }
    }

    private struct Model: Equatable {
        var name: String
        var value: String
        var domain: String
        var isHostOnly: Bool
        var path: String
        var isSecure: Bool
        var isHTTPOnly: Bool
        var sameSite: String
        var expires: Int64?

        func isSame(_ other: Model) -> Bool {
            [name, domain, path] == [other.name, other.domain, other.path] && isHostOnly == other.isHostOnly
        }

        func belongs(to place: Place) -> Bool {
            (domain == place.host || !isHostOnly && place.host.hasSuffix("." + domain)) && (!isSecure || place.isSecure)
                && (path == place.path || place.path.hasPrefix(path.hasSuffix("/") ? path : path + "/"))
        }
    }

    private static let hosts = [
        "example.org", "www.example.org", "a.b.example.org", "x.co.uk", "y.x.co.uk", "co.uk", "me.github.io", "you.github.io",
        "10.0.0.1", "127.0.0.1", "::1", "localhost", "org",
    ]
    private static let paths = ["/", "/a", "/a/", "/a/b", "/ab/c", "/a;x/b"]
    private static let suffixes: Set<String> = ["org", "uk", "io", "localhost", "co.uk", "github.io"]
    private static let names = ["a", "b", "__Host-a", "__sEcure-b", "__Http-c", "__host-http-d", ""]

    private static func isCovered(_ host: String, by domain: String) -> Bool { ("." + host).hasSuffix("." + domain) }

    /// Returns a random `Set-Cookie` value, and the cookie that it sets; `nil` if it is to be refused.
    private static func field(
        _ random: inout SeededGenerator, from place: Place, number: Int, now: Int64
    ) -> (text: String, cookie: Model?) {
        let name = random.pick(names)
        var text = "\(name)=v\(number)"
        var cookie = Model(
            name: name, value: "v\(number)", domain: place.host, isHostOnly: true, path: place.folder,
            isSecure: random.chance(50),
            isHTTPOnly: random.chance(50), sameSite: "unspecified", expires: nil)
        var isRefused = false
        if random.chance(60) {
            let domain = random.chance(60) ? random.pick(hosts) : random.pick(Array(suffixes).sorted())
            text += "; Domain=\(random.pick(["", "."]))\(random.chance(50) ? domain.uppercased() : domain)"
            if domain == place.host {
                cookie.isHostOnly = place.isAddress || suffixes.contains(domain)
            } else if place.isAddress || !place.host.hasSuffix("." + domain) || !domain.contains(".") {
                isRefused = true
            } else if !suffixes.contains(domain) {
                (cookie.domain, cookie.isHostOnly) = (domain, false)
            }
        }
        let hasPath = random.chance(60)
        if hasPath {
            cookie.path = random.pick(["/", "/a", "/a/", "/ab"])
            text += "; Path=\(cookie.path)"
        }
        if cookie.isSecure { text += "; Secure" }
        if cookie.isHTTPOnly { text += "; HttpOnly" }
        if random.chance(50) {
            let value = random.pick(["Strict", "LAX", "none", "other"])
            text += "; SameSite=\(value)"
            cookie.sameSite = value == "other" ? "unspecified" : value.lowercased()
        }
        if random.chance(50) {
            let age = random.pick([-1, 0, 5, 1000])
            text += "; Max-Age=\(age)"
            cookie.expires = age <= 0 ? 0 : now + Int64(age) * 1000
        }
        let lower = name.lowercased()
        if lower.hasPrefix("__"), !cookie.isSecure { isRefused = true }
        if lower.contains("http"), !cookie.isHTTPOnly { isRefused = true }
        if lower.hasPrefix("__host-"), !(hasPath && cookie.path == "/" && cookie.isHostOnly) { isRefused = true }
        if cookie.isSecure, !place.isSecure { isRefused = true }
        if cookie.sameSite == "none", !cookie.isSecure { isRefused = true }
        return (text, isRefused ? nil : cookie)
    }

    private static func isSameSite(_ one: String, _ other: String) -> Bool {
        if one == other { return true }
        return hosts.contains { host in
            // A common parent domain that is no suffix and no address.
            var labels = host.split(separator: ".")
            if host.contains(":") || host.hasPrefix("1") { return false }
            while labels.count > 1 {
                let domain = labels.joined(separator: ".")
                if !suffixes.contains(domain), isCovered(one, by: domain), isCovered(other, by: domain) { return true }
                labels.removeFirst()
            }
            return false
        }
    }

    private static func listed(_ store: CookieStore) -> [Model] {
        store.stored().map { cookie in
            let stored = StoredCookie(cookie)
            return Model(
                name: stored.name, value: stored.value, domain: stored.domain, isHostOnly: stored.isHostOnly, path: stored.path,
                isSecure: stored.isSecure, isHTTPOnly: stored.isHTTPOnly, sameSite: stored.sameSite.rawValue,
                expires: cookie.expiry)
        }
    }

    private static func request(_ place: Place, method: RequestMethod = .get) -> NetworkRequest {
        NetworkRequest(method: method, url: place.url)
    }

    @Test(arguments: 0..<UInt64(runs(10, slow: 40)))
    func `each request is sent with exactly the cookies that belong to it, also after a file was saved and loaded`(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let clock = Locked(Int64(1_500_000_000_000))
        let folder = try TemporaryFolder()
        let file = folder.file("cookies")
        let limits = CookieLimits(maximumCookiesPerDomain: 10_000, maximumFieldBytes: .max)
        let rule = PublicSuffixRule { $0 == "github.io" }
        var store = CookieStore(limits: limits, suffixes: rule) { clock.withLock { $0 } }
        var model: [Model] = []
        for step in 0..<300 {
            let now = clock.withLock { $0 }
            model.removeAll { $0.expires.map { $0 <= now } ?? false }
            let place = Place.random(&random)
            switch random.below(10) {
            case 0..<5:
                let (text, cookie) = Self.field(&random, from: place, number: step, now: now)
                store.receive([text], from: try #require(CookieLocation(place.url)))
                guard let cookie else { break }
                let isProtected = model.contains { other in
                    other.isSecure && other.name == cookie.name
                        && (Self.isCovered(other.domain, by: cookie.domain) || Self.isCovered(cookie.domain, by: other.domain))
                        && (cookie.path == other.path
                            || cookie.path.hasPrefix(other.path.hasSuffix("/") ? other.path : other.path + "/"))
                }
                if isProtected, !place.isSecure { break }
                let isExpired = cookie.expires.map { $0 <= now } ?? false
                if let index = model.firstIndex(where: cookie.isSame) {
                    model.remove(at: index)
                    if !isExpired { model.insert(cookie, at: index) }
                } else if !isExpired {
                    model.append(cookie)
                }
            case 5: clock.withLock { $0 += Int64(random.pick([1, 1000, 5000])) }
            case 6:
                try store.save(to: file, includesSessionCookies: true)
                let first = try folder.contents("cookies")
                store = CookieStore(limits: limits, suffixes: rule) { clock.withLock { $0 } }
                try store.load(from: file)
                try store.save(to: file, includesSessionCookies: true)
                #expect(try folder.contents("cookies") == first)
            case 7 where !model.isEmpty:
                let index = random.below(model.count)
                let cookie = model.remove(at: index)
                let listed = try #require(store.cookies.first { $0.value == cookie.value })
                #expect(store.remove(listed))
            default:
                var trail = RedirectTrail()
                let before = (0..<random.pick([0, 0, 1, 3])).map { _ in Place.random(&random) }
                for place in before { trail.append(Self.request(place)) }
                let method = random.pick([RequestMethod.get, .post])
                let isForeign = !before.allSatisfy { Self.isSameSite($0.host, place.host) }
                let sent = model.enumerated().filter { _, cookie in
                    cookie.belongs(to: place)
                        && !(isForeign && (cookie.sameSite == "strict" || cookie.sameSite == "lax" && method == .post))
                }.sorted { ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset) }
                    .map { $0.element.name.isEmpty ? $0.element.value : "\($0.element.name)=\($0.element.value)" }
                let field = store.added(to: Self.request(place, method: method), after: trail)
                #expect(field == (sent.isEmpty ? nil : sent.joined(separator: "; ")), "seed \(seed), step \(step), \(place)")
            }
            let current = clock.withLock { $0 }
            #expect(Self.listed(store) == model.filter { $0.expires.map { $0 > current } ?? true }, "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: 0..<UInt64(runs(5, slow: 20)))
    func `no limit is exceeded, and no cookie is sent where it does not belong while others are removed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let limits = CookieLimits(
            maximumCookiesPerDomain: random.below(6), maximumCookies: random.below(12), maximumFieldsPerResponse: 2,
            maximumFieldBytes: 20)
        let store = CookieStore(limits: limits, suffixes: PublicSuffixRule { $0 == "github.io" }) { 1_500_000_000_000 }
        var known: [String: Model] = [:]
        for step in 0..<300 {
            let place = Place.random(&random)
            let (text, cookie) = Self.field(&random, from: place, number: step, now: 1_500_000_000_000)
            if let cookie { known[cookie.value] = cookie }
            store.receive([text], from: try #require(CookieLocation(place.url)))
            let target = Place.random(&random)
            let field = store.added(to: Self.request(target)) ?? ""
            #expect(field.utf8.count <= 20 && store.count <= limits.maximumCookies)
            for pair in field.components(separatedBy: "; ") where !pair.isEmpty {
                let value = try #require(pair.split(separator: "=").last.map(String.init))
                #expect(known[value]?.belongs(to: target) == true, "seed \(seed), step \(step), \(pair)")
            }
            let counts = Dictionary(grouping: store.cookies, by: \.domain).values.map(\.count)
            #expect(counts.allSatisfy { $0 <= limits.maximumCookiesPerDomain })
        }
    }
}
