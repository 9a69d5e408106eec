import Endpoints
import NetworkFiles
import NetworkLogging

/// The cookies of one session manager (RFC 6265), in memory. It may be used from any thread.
///
/// From the revision of RFC 6265 (draft-ietf-httpbis-rfc6265bis) it implements cookies without a name, the name prefixes `__Secure-` and
/// `__Host-`, the limits of sizes, the refusal of control characters, and that a response without TLS neither sets nor replaces a cookie
/// with `Secure`. `SameSite` and `HttpOnly` are ignored. Cookies without `Max-Age` and `Expires` are kept for the lifetime of the store.
///
/// **There is no list of public suffixes.** `Domain=com` and any other single label is refused, unless it is the host itself, but
/// `Domain=co.uk` is accepted from a host below it. Do not use one session manager with cookies for servers below such a suffix that do
/// not trust each other.
///
/// When a limit is exceeded, expired cookies are removed first, then the least recently used. Within a domain, cookies with `Secure` are
/// removed last.
final class CookieStore: Sendable {
    /// The limits of a store.
    struct Limits: Sendable {
        /// The maximum number of cookies of one domain, without its subdomains. libcurl has no limit; 6265bis §6.1 requires at least 50.
        var perDomain = 50
        /// The maximum number of all cookies (6265bis §6.1). When it is exceeded, a tenth of them is removed.
        var total = 3000
        /// The maximum number of `Set-Cookie` fields of one response, as in libcurl. Further fields are ignored.
        var perResponse = 50
        /// The maximum size of a `Cookie` field in bytes, as in libcurl: the common limit of servers. Stored cookies that do not fit are not
        /// sent.
        var fieldBytes = 8190
    }

    private let limits: Limits
    private let now: @Sendable () -> Int64
    private let jar = Locked(CookieJar())

    /// Creates an empty store.
    ///
    /// - Parameter now: Returns the current time in milliseconds since 1970, which decides whether a cookie has expired. Default: the system
    ///   clock.
    init(
        limits: Limits = Limits(), now: @escaping @Sendable () -> Int64 = { FileTime.now.nanoseconds / 1_000_000 }
    ) {
        self.limits = limits
        self.now = now
    }

    /// The number of cookies, including expired ones that were not removed yet.
    var count: Int { jar.withLock { $0.count } }

    /// Stores the cookies of a response (RFC 6265 §5.2, §5.3). Invalid fields are ignored, as the RFC requires.
    ///
    /// - Parameters:
    ///   - fields: The values of the response's `Set-Cookie` fields, in their order, not joined.
    ///   - location: The URL of the request, not one that the response names.
    func receive(_ fields: [String], from location: CookieLocation) {
        if fields.isEmpty { return }
        let now = now()
        let cookies = fields.prefix(limits.perResponse).compactMap { field in
            SetCookie(field).flatMap { Cookie($0, from: location, now: now) }
        }
        if cookies.isEmpty { return }
        // Short values are usually settings (`theme=dark`); long ones identify a user and are secrets for the log.
        for cookie in cookies where cookie.pair.count >= 16 {
            SecretValues.insert(fieldValue: String(decoding: cookie.pair, as: UTF8.self), named: "Cookie")
        }
        jar.withLock { jar in
            for cookie in cookies where location.isSecure || !jar.holdsSecure(over: cookie, now: now) {
                jar.store(cookie, now: now, limits: limits)
            }
        }
    }

    /// Returns the `Cookie` field for a request: the field that it sets itself, unchanged, then the stored cookies with other names,
    /// those with longer paths first, then older ones before newer ones (RFC 6265 §5.4).
    ///
    /// - Parameter own: The field that the request sets; several must be joined with `"; "` before. It is never shortened.
    /// - Returns: `nil` if `own` is `nil` and there is no cookie for the location.
    func merged(own: String?, for location: CookieLocation) -> String? {
        guard let added = added(to: own, for: location) else { return own }
        let start = Self.withoutEnd(Array((own ?? "").utf8))
        return start.isEmpty ? added : "\(String(decoding: start, as: UTF8.self)); \(added)"
    }

    /// Returns the stored cookies that are sent after the `Cookie` field that a request sets itself; `nil` if there are none.
    func added(to request: NetworkRequest) -> String? {
        guard let location = CookieLocation(request) else { return nil }
        return added(to: request.headers["Cookie"], for: location)
    }

    /// Returns the stored cookies that ``merged(own:for:)`` appends to `own`; `nil` if there are none.
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

    /// Whether one cookie is sent before the other (RFC 6265 §5.4 step 2).
    private static func isBefore(_ left: Cookie, _ right: Cookie) -> Bool {
        left.path.count == right.path.count ? left.creation < right.creation : left.path.count > right.path.count
    }

    /// Returns the name of a pair as a server parses it: empty without a `=`. `nil` for blank text.
    private static func name(ofSent pair: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = pair.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return nil }
        guard let end = pair.firstIndex(of: UInt8(ascii: "=")) else { return [] }
        return pair[start..<end].lastIndex { $0 != 0x20 && $0 != 0x09 }.map { pair[start...$0] } ?? []
    }

    private static func withoutEnd(_ field: [UInt8]) -> [UInt8] {
        field.lastIndex { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }.map { Array(field[...$0]) } ?? []
    }
}

extension CookieStore: RedactedStringConvertible {
    /// A textual representation with only the number of cookies.
    var description: String { "\(count) cookies" }
}

/// A collection of cookies by domain. It is a plain value that uses no clock and no lock.
struct CookieJar: Sendable {
    private var cookies: [String: [Cookie]] = [:]
    /// The number of cookies, including expired ones that were not removed yet.
    private(set) var count = 0
    /// A counter that orders the creation and the use of cookies.
    private var ticks: UInt64 = 0

    /// Whether a cookie that was not received over TLS would replace or shadow one with `Secure` (6265bis, storage model).
    func holdsSecure(over cookie: Cookie, now: Int64) -> Bool {
        cookies.contains { domain, others in
            (CookieLocation.name(domain, isInside: cookie.domain) || CookieLocation.name(cookie.domain, isInside: domain))
                && others.contains { other in
                    other.isSecure && other.name == cookie.name && CookieLocation.path(cookie.path, isInside: other.path)
                        && !other.isExpired(at: now)
                }
        }
    }

    /// Stores a cookie (RFC 6265 §5.3 steps 11 and 12) and applies the limits. An expired cookie only removes the one that it replaces.
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

    /// Removes expired cookies and, if that is not enough, the least recently used ones down to nine tenths of the limit, so that the next
    /// cookies need no removal.
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

    /// Returns the cookies for a request, in no particular order, and marks them as used. Removes expired cookies of the same domains.
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
