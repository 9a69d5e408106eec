import Endpoints
import Foundation
import NetworkSupport
import NetworkLogging

/// Cookies (RFC 6265), in memory, which session managers share. It may be used from any thread.
///
/// ```swift
/// let cookies = try CookieStore(contentsOf: file)
/// let session = DefaultSessionManager(
///     configuration: SessionConfiguration { $0.cookies = .stored(in: cookies) })
/// ```
///
/// Session managers add the cookies of a URL to each request, after those that the request sets itself, and store those of each response,
/// redirects included. A cookie without `Max-Age` and `Expires` is kept for the lifetime of the store.
///
/// **The revision.** From draft-ietf-httpbis-rfc6265bis it implements cookies without a name, the name prefixes `__Secure-` and `__Host-`,
/// the limits of sizes, the refusal of control characters and of `SameSite=None` without `Secure`, and that a response without TLS neither
/// sets nor replaces a cookie with `Secure`; from its successor, draft-ietf-httpbis-layered-cookies, the prefixes `__Http-` and
/// `__Host-Http-`. `HttpOnly` is stored, and has no effect otherwise.
///
/// **Public suffixes.** There is no list of them. A `Domain` of a single label, such as `com`, is refused, unless it is the host itself.
/// A `Domain` that may be a public suffix is ignored, so that the cookie is sent to its host only: one of two labels, of which the second
/// has two letters and the first is `ac`, `co`, `com`, `edu`, `go`, `gob`, `gouv`, `gov`, `gv`, `ltd`, `mil`, `ne`, `net`, `nom`, `or`, `org`,
/// `plc` or `sch`, such as `co.uk`; and those that `isPublicSuffix` names. All others are accepted, `github.io` too: pass a closure that
/// looks into the list if servers below such a domain do not trust each other.
///
/// **SameSite.** A program has no site: a request that it sends itself carries all cookies of its URL. Only a redirect is known to come from
/// a server. If one of the URLs before is of another site, cookies with `SameSite=Strict` are not sent, and those with `Lax` only with safe
/// methods; this remains so until the end of the call. Two hosts are of the same site if they are equal or have a parent domain
/// in common that may not be a public suffix. The scheme is not compared, because redirects from http to https are usual.
///
/// **Room.** When a limit is exceeded, expired cookies are removed first. A response without TLS then replaces only cookies that were set without
/// TLS; it never removes another, and is not stored if there is no other room. Responses over TLS replace cookies of the sites that have
/// the most, so that a site with no more cookies than its equal part of the room loses none; within a site, cookies of the hosts that have set
/// the most; of one host, the least recently used, and those with `Secure` last. Cookies that were set without TLS keep up to half of the room.
/// A site is the domain one label below the longest one that may be a public suffix, as described above.
public final class CookieStore: Sendable {
    let limits: CookieLimits
    private let suffixes: PublicSuffixRule
    private let now: @Sendable () -> Int64
    private let jar = Locked(CookieJar())
    let identity = SessionIdentity.unique()

    /// Creates an empty store.
    ///
    /// - Parameters:
    ///   - limits: The limits of the store. Default: those of ``CookieLimits``.
    ///   - isPublicSuffix: Returns whether a domain in lower case is a public suffix, as `github.io` is. Called on the task that receives a response, or
    ///     for a call with a completion, where the completion runs. Default: `nil`, only the built-in rules.
    public convenience init(limits: CookieLimits = CookieLimits(), isPublicSuffix: (@Sendable (String) -> Bool)? = nil) {
        self.init(limits: limits, suffixes: PublicSuffixRule(isKnown: isPublicSuffix)) { FileTime.now.nanoseconds / 1_000_000 }
    }

    /// Creates an empty store with a clock.
    ///
    /// - Parameter now: Returns the current time in milliseconds since 1970, which decides whether a cookie has expired.
    init(
        limits: CookieLimits = CookieLimits(), suffixes: PublicSuffixRule = PublicSuffixRule(),
        now: @escaping @Sendable () -> Int64
    ) {
        self.limits = limits.clamped
        self.suffixes = suffixes
        self.now = now
    }

    // MARK: For programs

    /// The cookies that have not expired, in the order of their creation.
    public var cookies: [StoredCookie] { stored().map { StoredCookie($0) } }

    /// Returns the cookies that a request to a URL is sent with, in the order in which they are sent, even if they exceed
    /// ``CookieLimits/maximumFieldBytes``. Empty for a URL that is not `http` or `https`.
    public func cookies(for url: URL) -> [StoredCookie] {
        let text = URLText(url)
        guard text.scheme == "http" || text.scheme == "https", let location = CookieLocation(text) else { return [] }
        let now = now()
        return jar.withLock { $0.matching(location, now: now) }.sorted(by: Self.isBefore).map { StoredCookie($0) }
    }

    /// Stores a cookie. It replaces one with the same name, domain, path and scope; one that has expired only removes that one.
    ///
    /// - Throws: ``CookieStoreError`` with the name of the invalid property: a control character or `;`; a pair of more than 4096 bytes; a
    ///   path of more than 1024 bytes; a `domain` that is no host, or that may be a public suffix if `isHostOnly` is `false`; a `name` with
    ///   a prefix whose rules the cookie violates; `sameSite` is `none` without `isSecure`; a time after the year 9999.
    public func set(_ cookie: StoredCookie) throws {
        var checked = try cookie.checked()
        if !checked.isHostOnly, suffixes.contains(checked.domain) {
            throw CookieStoreError("domain", "may be a public suffix, so isHostOnly must be true")
        }
        checked.site = suffixes.site(of: checked.domain)
        Self.remember(checked, isReceived: false)
        let now = now()
        jar.withLock { [checked] jar in jar.store([checked], now: now, limits: limits) }
    }

    /// Removes the cookie with the same name, domain, path and scope. Its other properties may differ.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    public func remove(_ cookie: StoredCookie) -> Bool {
        guard let cookie = try? cookie.checked(expiry: nil) else { return false }
        return jar.withLock { $0.remove(cookie) }
    }

    /// Removes all cookies from memory, for all session managers that share the store. Saved files are not changed.
    public func removeAll() {
        jar.withLock { $0.removeAll() }
    }

    /// Removes the cookies that a closure returns `true` for.
    ///
    /// - Parameter isUnwanted: Called for each cookie before the method returns, without a lock: a cookie that changes meanwhile is kept.
    public func removeAll(where isUnwanted: (StoredCookie) throws -> Bool) rethrows {
        let unwanted = try stored().filter { try isUnwanted(StoredCookie($0)) }
        jar.withLock { jar in
            for cookie in unwanted { _ = jar.remove(cookie, onlyIfUnchanged: true) }
        }
    }

    // MARK: For session managers

    /// The number of cookies, including expired ones that were not removed yet.
    package var count: Int { jar.withLock { $0.count } }

    /// Stores the cookies of a response (RFC 6265 §5.2, §5.3). Invalid fields are ignored, as the RFC requires.
    ///
    /// - Parameters:
    ///   - fields: The values of the response's `Set-Cookie` fields, in their order, not joined.
    ///   - location: The URL of the request, not one that the response names.
    package func receive(_ fields: [String], from location: CookieLocation) {
        if fields.isEmpty { return }
        let now = now()
        let cookies = fields.prefix(limits.maximumFieldsPerResponse).compactMap { field in
            SetCookie(field).flatMap { Cookie($0, from: location, now: now, suffixes: suffixes) }
        }
        if cookies.isEmpty { return }
        for cookie in cookies { Self.remember(cookie, isReceived: true) }
        jar.withLock { jar in
            let protected = location.isSecure ? [] : jar.secure(like: cookies, now: now)
            let allowed = cookies.filter { cookie in !protected.contains { $0.isProtected(from: cookie) } }
            jar.store(allowed, now: now, limits: limits)
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
    ///
    /// - Parameter trail: The redirects that have led to the request.
    package func added(to request: NetworkRequest, after trail: RedirectTrail = RedirectTrail()) -> String? {
        guard let location = CookieLocation(request) else { return nil }
        let site: RequestSite =
            trail.count == 0 ? .same : RequestSite(request, at: location, after: trail, suffixes: suffixes)
        return added(to: request.headers["Cookie"], for: location, site: site)
    }

    /// Returns the stored cookies that ``merged(own:for:)`` appends to `own`; `nil` if there are none.
    func added(to own: String?, for location: CookieLocation, site: RequestSite = .same) -> String? {
        let now = now()
        let matching = jar.withLock { $0.use(for: location, site: site, now: now) }
        if matching.isEmpty { return nil }
        let start = Self.withoutEnd(Array((own ?? "").utf8))
        let ownNames = Set(start.split(separator: UInt8(ascii: ";")).compactMap { Self.name(ofSent: $0) })
        var field: [UInt8] = []
        for cookie in matching.sorted(by: Self.isBefore) {
            let used = field.isEmpty || start.isEmpty ? start.count + field.count : start.count + 2 + field.count
            guard used + 2 + cookie.pair.count <= limits.maximumFieldBytes else { continue }
            if let name = Self.name(ofSent: cookie.pair[...]), ownNames.contains(name) { continue }
            if !field.isEmpty { field += "; ".utf8 }
            field += cookie.pair
        }
        return field.isEmpty ? nil : String(decoding: field, as: UTF8.self)
    }

    /// Returns the cookies that have not expired, in the order of their creation.
    func stored() -> [Cookie] {
        let now = now()
        return jar.withLock { $0 }.all(now: now)
    }

    /// Stores cookies in their order, except those that may belong to a public suffix.
    package func load(_ cookies: [Cookie]) {
        let now = now()
        // Of a long file, only as many cookies as the limits allow are stored while the lock is held.
        var loaded = CookieJar()
        for var cookie in cookies where cookie.isHostOnly || !suffixes.contains(cookie.domain) {
            cookie.site = suffixes.site(of: cookie.domain)
            loaded.store([cookie], now: now, limits: limits)
        }
        let kept = loaded.all(now: now)
        for cookie in kept { Self.remember(cookie, isReceived: true) }
        jar.withLock { jar in
            for cookie in kept { jar.store([cookie], now: now, limits: limits) }
        }
    }

    /// Adds the value to the secrets of the log. Short values are usually settings (`theme=dark`); long ones identify a user.
    ///
    /// - Parameter isReceived: Whether a server has set the cookie, rather than the program.
    private static func remember(_ cookie: Cookie, isReceived: Bool) {
        guard cookie.pair.count >= 16 else { return }
        guard isReceived else {
            return SecretValues.insert(fieldValue: String(decoding: cookie.pair, as: UTF8.self), named: "Cookie")
        }
        guard let equals = cookie.pair.firstIndex(of: UInt8(ascii: "=")) else { return }
        SecretValues.insert(cookie.pair[(equals + 1)...].filter { $0 != UInt8(ascii: "\"") }, sentBy: cookie.domain)
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

extension CookieStore: Hashable {
    /// Whether both are the same object.
    public static func == (left: CookieStore, right: CookieStore) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CookieStore: RedactedStringConvertible {
    /// A textual representation with only the number of cookies.
    public var description: String { "\(count) cookies" }
}

/// The limits of a ``CookieStore``. Negative ones are the same as 0.
public struct CookieLimits: Sendable, Hashable {
    /// The maximum number of cookies of one domain, without its subdomains. Default: 50, the least that 6265bis §6.1 permits.
    public var maximumCookiesPerDomain: Int
    /// The maximum number of all cookies. When it is exceeded, a tenth of them is removed: see ``CookieStore``. Default: 3000 (6265bis §6.1).
    public var maximumCookies: Int
    /// The maximum number of `Set-Cookie` fields of one response. Further fields are ignored. Default: 50, as in libcurl.
    public var maximumFieldsPerResponse: Int
    /// The maximum size of a `Cookie` field in bytes. Stored cookies that do not fit are not sent. Default: 8190, the common limit of servers.
    public var maximumFieldBytes: Int
    /// The maximum size in bytes of a file that is loaded. Default: 64 MiB.
    public var maximumFileBytes: Int

    /// Creates limits, with defaults for those that are not passed.
    public init(
        maximumCookiesPerDomain: Int = 50, maximumCookies: Int = 3000, maximumFieldsPerResponse: Int = 50,
        maximumFieldBytes: Int = 8190, maximumFileBytes: Int = 64 << 20
    ) {
        self.maximumCookiesPerDomain = maximumCookiesPerDomain
        self.maximumCookies = maximumCookies
        self.maximumFieldsPerResponse = maximumFieldsPerResponse
        self.maximumFieldBytes = maximumFieldBytes
        self.maximumFileBytes = maximumFileBytes
    }

    /// The same limits without negative numbers.
    fileprivate var clamped: CookieLimits {
        CookieLimits(
            maximumCookiesPerDomain: max(0, maximumCookiesPerDomain), maximumCookies: max(0, maximumCookies),
            maximumFieldsPerResponse: max(0, maximumFieldsPerResponse), maximumFieldBytes: max(0, maximumFieldBytes),
            maximumFileBytes: max(0, maximumFileBytes))
    }
}
