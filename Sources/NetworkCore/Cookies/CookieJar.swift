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
