#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Endpoints
import NetworkLogging

/// The cookies of one session manager (RFC 6265), in memory, for use from any thread.
///
/// Of the draft that revises RFC 6265 (draft-ietf-httpbis-rfc6265bis) it has cookies without a name, the name prefixes `__Secure-` and
/// `__Host-`, the limits of sizes, that control characters refuse a cookie, and that what did not come over TLS neither sets a cookie
/// with `Secure` nor replaces one. `SameSite` and `HttpOnly` are ignored. Cookies without `Max-Age` and `Expires` live as long as the
/// store.
///
/// **Public suffixes are not known**: there is no list of them here. `Domain=com` and any other single label is refused, unless it is the
/// host itself, but `Domain=co.uk` is accepted of a host below it. Do not let one session manager keep cookies of servers that
/// distrust each other below such a suffix.
///
/// When a limit is passed, cookies that are out of date go first, then the least recently used; of one domain, cookies with `Secure`
/// go last.
final class CookieStore: Sendable {
    /// How much is kept.
    struct Limits: Sendable {
        /// Cookies of one domain, subdomains not counted. libcurl has no limit, 6265bis §6.1 asks for at least 50.
        var perDomain = 50
        /// Cookies in all (6265bis §6.1). One more, and a tenth of them goes at once.
        var total = 3000
        /// `Set-Cookie` fields of one response, as in libcurl; the rest is ignored.
        var perResponse = 50
        /// Bytes of a `Cookie` field, as in libcurl: the common limit of servers. Stored cookies that do not fit are left out of it.
        var fieldBytes = 8190
    }

    private let limits: Limits
    private let now: @Sendable () -> Int64
    private let jar = Locked(CookieJar())

    /// - Parameter now: Milliseconds since 1970, which decide whether a cookie is out of date. The time of the system.
    init(limits: Limits = Limits(), now: @escaping @Sendable () -> Int64 = CookieStore.systemMilliseconds) {
        self.limits = limits
        self.now = now
    }

    /// The number of cookies, those that are out of date and not yet removed included.
    var count: Int { jar.withLock { $0.count } }

    /// Takes what a response sets (RFC 6265 §5.2, §5.3). What is wrong is ignored, as the RFC asks.
    ///
    /// - Parameters:
    ///   - fields: The values of the response's `Set-Cookie` fields, one each, in their order.
    ///   - location: The URL that was asked, not the one that the response names.
    func receive(_ fields: [String], from location: CookieLocation) {
        if fields.isEmpty { return }
        let now = now()
        let cookies = fields.prefix(limits.perResponse).compactMap { field in
            SetCookie(field).flatMap { Cookie($0, from: location, now: now) }
        }
        if cookies.isEmpty { return }
        // Short ones say what is wanted (`theme=dark`), long ones who wants it.
        for cookie in cookies where cookie.pair.count >= 16 {
            SecretValues.insert(fieldValue: String(decoding: cookie.pair, as: UTF8.self), named: "Cookie")
        }
        jar.withLock { jar in
            for cookie in cookies where location.isSecure || !jar.holdsSecure(over: cookie, now: now) {
                jar.store(cookie, now: now, limits: limits)
            }
        }
    }

    /// The `Cookie` field of a request (RFC 6265 §5.4): the longer its path, the earlier a cookie stands, and the older before the
    /// younger.
    ///
    /// - Returns: `nil` if there is no cookie for it.
    func header(for location: CookieLocation) -> String? {
        merged(own: nil, for: location)
    }

    /// The one `Cookie` field of a request that has its own: that one as it is, then the stored cookies whose names are not in it.
    ///
    /// - Parameter own: The request's own field; several have to be joined with `"; "` before. It is never shortened.
    /// - Returns: `nil` if there is neither.
    func merged(own: String?, for location: CookieLocation) -> String? {
        guard let added = added(to: own, for: location) else { return own }
        let start = Self.withoutEnd(Array((own ?? "").utf8))
        return start.isEmpty ? added : "\(String(decoding: start, as: UTF8.self)); \(added)"
    }

    /// The stored cookies that ``merged(own:for:)`` puts behind a request's own; `nil` if there are none.
    func added(to request: NetworkRequest) -> String? {
        guard let location = CookieLocation(request.url) else { return nil }
        return added(to: request.headers["Cookie"], for: location)
    }

    func added(to own: String?, for location: CookieLocation) -> String? {
        let now = now()
        let matching = jar.withLock { $0.use(for: location, now: now) }
        if matching.isEmpty { return nil }
        let start = Self.withoutEnd(Array((own ?? "").utf8))
        let ownNames = Set(start.split(separator: UInt8(ascii: ";")).compactMap { Self.name(ofSent: $0) })
        var field: [UInt8] = []
        for cookie in matching.sorted(by: Self.isBefore) {
            let used = field.isEmpty || start.isEmpty ? start.count + field.count : start.count + 2 + field.count
            guard used + 2 + cookie.pair.count <= limits.fieldBytes else { continue }
            if let name = Self.name(ofSent: cookie.pair[...]), ownNames.contains(name) { continue }
            if !field.isEmpty { field += "; ".utf8 }
            field += cookie.pair
        }
        return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
    }

    /// RFC 6265 §5.4 step 2.
    private static func isBefore(_ left: Cookie, _ right: Cookie) -> Bool {
        left.path.count == right.path.count ? left.creation < right.creation : left.path.count > right.path.count
    }

    /// The name of a pair as a server reads it, which does not know of cookies without one. `nil` for what is no pair.
    private static func name(ofSent pair: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = pair.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
        guard let end = pair.firstIndex(of: UInt8(ascii: "=")) else { return [] }
        return pair[start..<end].lastIndex { $0 != 0x20 && $0 != 0x09 }.map { pair[start...$0] } ?? []
    }

    private static func withoutEnd(_ field: [UInt8]) -> [UInt8] {
        field.lastIndex { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }.map { Array(field[...$0]) } ?? []
    }

    /// Forgets everything.
    func removeAll() {
        jar.withLock { $0 = CookieJar() }
    }

    @Sendable private static func systemMilliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension CookieStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many there are.
    var description: String { "\(count) cookies" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// Cookies by their domain. A value: it looks at no clock and takes no lock.
struct CookieJar: Sendable {
    private var cookies: [String: [Cookie]] = [:]
    /// All cookies, those that are out of date and not yet removed included.
    private(set) var count = 0
    /// Counts cookies and uses of them.
    private var ticks: UInt64 = 0

    /// Whether a cookie with `Secure` would be replaced or shadowed by this one, which did not come over TLS (6265bis, storage model).
    func holdsSecure(over cookie: Cookie, now: Int64) -> Bool {
        cookies.contains { domain, others in
            (CookieLocation.name(domain, isInside: cookie.domain) || CookieLocation.name(cookie.domain, isInside: domain))
                && others.contains { other in
                    other.isSecure && other.name == cookie.name && CookieLocation.path(cookie.path, isInside: other.path)
                        && !other.isExpired(at: now)
                }
        }
    }

    /// RFC 6265 §5.3 steps 11 and 12, and what has to go for it. A cookie that is out of date only removes the one that it replaces.
    mutating func store(_ cookie: Cookie, now: Int64, limits: CookieStore.Limits) {
        ticks += 1
        var cookie = cookie
        (cookie.creation, cookie.lastUse) = (ticks, ticks)
        var others = cookies.removeValue(forKey: cookie.domain) ?? []
        count -= others.count
        if let index = others.firstIndex(where: cookie.isSame) {
            cookie.creation = others.remove(at: index).creation
        }
        if !cookie.isExpired(at: now) { others.append(cookie) }
        if others.count > limits.perDomain { others.removeAll { $0.isExpired(at: now) } }
        while others.count > limits.perDomain {
            let leastUsed = others.indices.min { left, right in
                let (left, right) = (others[left], others[right])
                return left.isSecure == right.isSecure ? left.lastUse < right.lastUse : !left.isSecure
            }
            leastUsed.map { _ = others.remove(at: $0) }
        }
        count += others.count
        if !others.isEmpty { cookies[cookie.domain] = others }
        if count > limits.total { makeRoom(now: now, limit: limits.total) }
    }

    /// Removes a tenth more than it has to, so that it is not needed again for each cookie.
    private mutating func makeRoom(now: Int64, limit: Int) {
        removeAll { $0.isExpired(at: now) }
        guard count > limit else { return }
        let sorted = cookies.values.joined().map { ($0.lastUse, $0.creation) }.sorted(by: <)
        let last = sorted[count - (limit - limit / 10) - 1]
        removeAll { ($0.lastUse, $0.creation) <= last }
    }

    private mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        for (domain, others) in cookies where others.contains(where: isUnwanted) {
            let kept = others.filter { !isUnwanted($0) }
            count -= others.count - kept.count
            cookies[domain] = kept.isEmpty ? nil : kept
        }
    }

    /// The cookies for a request, not sorted; they count as used. What is out of date is removed on the way.
    mutating func use(for location: CookieLocation, now: Int64) -> [Cookie] {
        if count == 0 { return [] }
        var matching: [Cookie] = []
        ticks += 1
        for domain in location.domains {
            guard let index = cookies.index(forKey: domain) else { continue }
            if cookies.values[index].contains(where: { $0.isExpired(at: now) }) {
                let before = cookies.values[index].count
                cookies.values[index].removeAll { $0.isExpired(at: now) }
                count -= before - cookies.values[index].count
            }
            for position in cookies.values[index].indices {
                let cookie = cookies.values[index][position]
                guard location.isSecure || !cookie.isSecure, !cookie.isHostOnly || domain == location.host,
                    location.isInside(cookie.path)
                else { continue }
                cookies.values[index][position].lastUse = ticks
                matching.append(cookie)
            }
            if cookies.values[index].isEmpty { cookies.remove(at: index) }
        }
        return matching
    }
}
