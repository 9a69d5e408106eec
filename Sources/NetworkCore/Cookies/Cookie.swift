import Endpoints
import Foundation

/// A cookie as it is stored (RFC 6265 §5.3).
struct Cookie: Sendable {
    /// What is sent: name, `=` and value, or the value alone.
    let pair: [UInt8]
    /// The number of bytes of the name in ``pair``; 0 without a name.
    let nameLength: Int
    /// The host that set it, or its `Domain`.
    let domain: String
    /// Whether it is sent to ``domain`` alone, not to its subdomains.
    let isHostOnly: Bool
    let path: [UInt8]
    let isSecure: Bool
    /// In milliseconds since 1970; `nil` for a cookie that lives as long as the store.
    let expiry: Int64?
    /// Counts up from one cookie to the next. One that takes the place of another keeps its number (§5.3 step 11.3).
    var creation: UInt64 = 0
    /// The larger, the more recently used.
    var lastUse: UInt64 = 0

    /// The cookie that a field sets.
    ///
    /// - Parameters:
    ///   - location: Where the response came from.
    ///   - now: In milliseconds since 1970.
    /// - Returns: `nil` where it is refused: `Domain` is not that of the host (§5.3 step 6) or is a single label (step 5; see
    ///   ``CookieStore``), `Secure` does not come over TLS, a prefix of its name promises what does not hold (6265bis §4.1.3), or its
    ///   path is longer than 1024 bytes.
    init?(_ field: SetCookie, from location: CookieLocation, now: Int64) {
        guard location.isSecure || !field.isSecure else { return nil }
        if let domain = field.domain, !Self.isHost(domain, location) {
            let isParent = domain.utf8.contains(UInt8(ascii: ".")) && CookieLocation.name(location.host, isInside: domain)
            guard !location.isAddress, isParent else { return nil }
            (self.domain, isHostOnly) = (domain, false)
        } else {
            // A single label may be a public suffix (step 5), and an address has no subdomains.
            domain = location.host
            isHostOnly = field.domain == nil || location.isAddress || !location.host.utf8.contains(UInt8(ascii: "."))
        }
        path = field.path ?? location.defaultPath
        isSecure = field.isSecure
        guard path.count <= SetCookie.maximumAttributeBytes, Self.keepsPromise(field, isHostOnly: isHostOnly) else { return nil }
        pair = field.name.isEmpty ? Array(field.value) : field.name + [UInt8(ascii: "=")] + field.value
        nameLength = field.name.count
        if let age = field.maximumAge {
            // Both are far from the ends of their type.
            expiry = age <= 0 ? .min : now + age * 1000
        } else {
            expiry = field.expires.map { $0 * 1000 }
        }
    }

    private static func isHost(_ domain: String, _ location: CookieLocation) -> Bool {
        domain.utf8.elementsEqual(location.host.utf8)
            || (location.isAddress && HostName.canonical(domain[...]) == location.host)
    }

    /// A name that begins with `__Secure-` or `__Host-`, in any case, says what holds for its cookie (6265bis §4.1.3). A
    /// value without a name may not look like such a name.
    private static func keepsPromise(_ field: SetCookie, isHostOnly: Bool) -> Bool {
        func begins(_ text: ArraySlice<UInt8>, _ prefix: StaticString) -> Bool {
            prefix.withUTF8Buffer { prefix in
                text.count >= prefix.count
                    && zip(text, prefix).allSatisfy { byte, other in
                        byte == other || ((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == other)
                    }
            }
        }
        if field.name.isEmpty { return !begins(field.value, "__secure-") && !begins(field.value, "__host-") }
        if begins(field.name, "__secure-") { return field.isSecure }
        if begins(field.name, "__host-") { return field.isSecure && isHostOnly && field.path == [UInt8(ascii: "/")] }
        return true
    }

    var name: ArraySlice<UInt8> { pair[..<nameLength] }

    func isExpired(at now: Int64) -> Bool {
        expiry.map { $0 <= now } ?? false
    }

    /// Whether one takes the place of the other (6265bis; RFC 6265 leaves ``isHostOnly`` out).
    func isSame(as other: Cookie) -> Bool {
        name == other.name && isHostOnly == other.isHostOnly && path == other.path && domain == other.domain
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path; never the value.
    var description: String {
        let path = String(decoding: path, as: UTF8.self)
        return "cookie \(String(decoding: name, as: UTF8.self).printable) for \(domain)\(path.printable)"
    }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// A URL as cookies see it: where a response came from, or where a request goes.
struct CookieLocation: Sendable, Hashable {
    /// Whether cookies with `Secure` may go there and come from there: `https`, and the machine itself (`localhost`, `127.0.0.1`,
    /// `::1`), as libcurl has it from 7.79.0 on.
    let isSecure: Bool
    /// In its canonical form (RFC 6265 §5.1.2): in lower case, without a final dot, an IPv6 address without brackets.
    let host: String
    /// Whether the host is an IP address, which has neither parents nor children.
    let isAddress: Bool
    /// The path as it stands in the URL, without the query; begins with a slash.
    let path: [UInt8]

    /// - Parameters:
    ///   - scheme: In lower case.
    ///   - host: As it stands in the URL, without the port.
    ///   - path: As it stands in the URL, percent-encoded, without the query; empty for `/`.
    /// - Returns: `nil` where the host has no clear form, such as `127.1`: there are no cookies for it.
    init?(scheme: String, host: Substring, path: Substring) {
        let isPlain = Self.isPlainName(host.utf8)
        guard let name = isPlain ? String(host) : HostName.canonical(host) else { return nil }
        self.host = name
        isAddress = !isPlain && HostName.isAddress(name)
        isSecure = scheme == "https" || name == "localhost" || name == "127.0.0.1" || name == "::1"
        self.path = path.utf8.first == UInt8(ascii: "/") ? Array(path.utf8) : [UInt8(ascii: "/")]
    }

    /// Looks at the text of the URL only.
    init?(_ url: URL) {
        let text = URLText(url)
        self.init(scheme: text.scheme, host: HostName.withoutPort(text.hostAndPort), path: text.path)
    }

    /// What most hosts are: in their canonical form already. A digit at the start of the last label may be an address.
    private static func isPlainName(_ host: Substring.UTF8View) -> Bool {
        var isAfterDot = true
        for byte in host {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): isAfterDot = false
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): if isAfterDot { return false }
            case UInt8(ascii: "."):
                if isAfterDot { return false }
                isAfterDot = true
            default: return false
            }
        }
        return !isAfterDot && host.count <= 253
    }

    /// The path of a cookie without `Path` (RFC 6265 §5.1.4): that of the URL up to its last slash, which is left out unless it is all.
    var defaultPath: [UInt8] {
        guard let end = path.lastIndex(of: UInt8(ascii: "/")), end > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<end])
    }

    /// Whether a cookie with this path is sent here (RFC 6265 §5.1.4): it is this path, or a folder on the way to it.
    func isInside(_ cookiePath: [UInt8]) -> Bool {
        Self.path(path, isInside: cookiePath)
    }

    /// RFC 6265 §5.1.4, "path-match".
    static func path(_ path: [UInt8], isInside cookiePath: [UInt8]) -> Bool {
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[cookiePath.count] == UInt8(ascii: "/")
    }

    /// Whether `name` is `domain` or one of its subdomains (RFC 6265 §5.1.3, "domain-match"). For names only: an address has no domain.
    static func name(_ name: String, isInside domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let start = name.index(name.endIndex, offsetBy: -domain.count)
        return name[start...].elementsEqual(domain) && name[name.index(before: start)] == UInt8(ascii: ".")
    }

    /// The domains whose cookies are sent here: the host itself, and each parent of a name with a dot within.
    var domains: [String] {
        var domains = [host]
        guard !isAddress else { return domains }
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.index(after: dot)...]
            if rest.contains(UInt8(ascii: ".")) { domains.append(String(Substring(rest))) }
        }
        return domains
    }
}
