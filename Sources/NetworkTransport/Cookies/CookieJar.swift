/// A collection of cookies by domain. It is a plain value that uses no clock and no lock.
struct CookieJar: Sendable {
    private var cookies: [String: [Cookie]] = [:]
    /// The number of cookies, including expired ones that were not removed yet.
    private(set) var count = 0
    /// A counter that orders the creation and the use of cookies.
    private var ticks: UInt64 = 0

    /// Returns the cookies with `Secure` that one of these cookies, which were not received over TLS, could replace or shadow.
    func secure(like cookies: [Cookie], now: Int64) -> [Cookie] {
        let names = Set(cookies.map(\.name))
        return self.cookies.values.joined().filter { $0.isSecure && names.contains($0.name) && !$0.isExpired(at: now) }
    }

    /// Stores the cookies of one response (RFC 6265 §5.3 steps 11 and 12) and applies the limits, the one for all cookies once. An expired cookie
    /// only removes the one that it replaces.
    mutating func store(_ new: [Cookie], now: Int64, limits: CookieLimits) {
        for cookie in new { insert(cookie, now: now, limit: limits.maximumCookiesPerDomain) }
        if count > limits.maximumCookies {
            makeRoom(for: new.contains(where: \.isTrusted), now: now, limit: limits.maximumCookies)
        }
    }

    private mutating func insert(_ cookie: Cookie, now: Int64, limit: Int) {
        ticks += 1
        var cookie = cookie
        (cookie.creation, cookie.lastUse) = (ticks, ticks)
        var others = cookies.removeValue(forKey: cookie.domain) ?? []
        count -= others.count
        if let index = others.firstIndex(where: cookie.isSame) {
            cookie.creation = others.remove(at: index).creation
        }
        if !cookie.isExpired(at: now) { others.append(cookie) }
        if others.count > limit {
            others.removeAll { $0.isExpired(at: now) }
            let excess = SiteQuota.excess(others.map(\.claim), limit: limit, for: cookie.isTrusted)
            others = others.indices.filter { !excess.contains($0) }.map { others[$0] }
        }
        count += others.count
        if !others.isEmpty { cookies[cookie.domain] = others }
    }

    /// Removes expired cookies and, if that is not enough, those of the sites that have the most. At least half of the room is for cookies that
    /// were received over TLS.
    private mutating func makeRoom(for isTrusted: Bool, now: Int64, limit: Int) {
        removeAll { $0.isExpired(at: now) }
        guard count > limit else { return }
        let all = cookies.values.joined().map(\.claim)
        let excess = SiteQuota.excess(all, limit: limit, for: isTrusted, share: limit / 2, removesTenth: true)
        let unwanted = Set(excess.map { all[$0].recency })
        removeAll { unwanted.contains($0.lastUse) }
    }

    private mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        for (domain, others) in cookies where others.contains(where: isUnwanted) {
            let kept = others.filter { !isUnwanted($0) }
            count -= others.count - kept.count
            cookies[domain] = kept.isEmpty ? nil : kept
        }
    }

    /// Returns the cookies for a request, in no particular order, and marks them as used. Removes expired cookies of the same domains.
    ///
    /// - Parameter site: What the redirects before the request mean for `SameSite`.
    mutating func use(for location: CookieLocation, site: RequestSite = .same, now: Int64) -> [Cookie] {
        if count == 0 { return [] }
        var matching: [Cookie] = []
        for domain in location.domains {
            guard let index = cookies.index(forKey: domain) else { continue }
            if cookies.values[index].contains(where: { $0.isExpired(at: now) }) {
                let before = cookies.values[index].count
                cookies.values[index].removeAll { $0.isExpired(at: now) }
                count -= before - cookies.values[index].count
            }
            for position in cookies.values[index].indices {
                let cookie = cookies.values[index][position]
                guard cookie.isSent(to: location, of: domain, site) else { continue }
                ticks += 1
                cookies.values[index][position].lastUse = ticks
                matching.append(cookie)
            }
            if cookies.values[index].isEmpty { cookies.remove(at: index) }
        }
        return matching
    }

    /// Returns the cookies that have not expired, in the order of their creation.
    func all(now: Int64) -> [Cookie] {
        cookies.values.joined().filter { !$0.isExpired(at: now) }.sorted { $0.creation < $1.creation }
    }

    /// Returns the cookies for a request without marking them as used.
    func matching(_ location: CookieLocation, now: Int64) -> [Cookie] {
        location.domains.flatMap { domain in
            (cookies[domain] ?? []).filter { !$0.isExpired(at: now) && $0.isSent(to: location, of: domain, .same) }
        }
    }

    /// Removes the cookie with the same name, domain, path and scope.
    ///
    /// - Parameter onlyIfUnchanged: Whether a cookie that has another value or expiry is kept.
    /// - Returns: Whether there was one.
    mutating func remove(_ cookie: Cookie, onlyIfUnchanged: Bool = false) -> Bool {
        guard let others = cookies[cookie.domain], let index = others.firstIndex(where: cookie.isSame) else { return false }
        if onlyIfUnchanged, others[index].pair != cookie.pair || others[index].expiry != cookie.expiry { return false }
        count -= 1
        if others.count == 1 { cookies[cookie.domain] = nil } else { cookies[cookie.domain]?.remove(at: index) }
        return true
    }

    /// Removes all cookies.
    mutating func removeAll() {
        cookies = [:]
        count = 0
    }
}

extension Cookie {
    /// The cookie as an entry of a table that is full.
    fileprivate var claim: SiteQuota.Entry {
        SiteQuota.Entry(isTrusted: isTrusted, site: site, setter: setter, standing: isSecure ? 1 : 0, recency: lastUse)
    }

    /// Whether a cookie that was not received over TLS would replace or shadow this one with `Secure` (6265bis, storage model).
    func isProtected(from cookie: Cookie) -> Bool {
        name == cookie.name && CookieLocation.path(cookie.path, isInside: path)
            && (CookieLocation.name(domain, isInside: cookie.domain) || CookieLocation.name(cookie.domain, isInside: domain))
    }

    /// Whether the cookie, which is one of a domain of the location, is sent to the location.
    fileprivate func isSent(to location: CookieLocation, of domain: String, _ site: RequestSite) -> Bool {
        (location.isSecure || !isSecure) && (!isHostOnly || domain == location.host) && location.isInside(path)
            && site.allows(sameSite)
    }
}
