import Endpoints
import Foundation
import NetworkLogging

/// A stored cookie (RFC 6265 §5.3).
struct Cookie: Sendable {
    /// The bytes that are sent: name, `=` and value, or only the value if there is no name.
    let pair: [UInt8]
    /// The length of the name in ``pair``, in bytes; 0 without a name.
    let nameLength: Int
    /// The host that set the cookie, or its `Domain`.
    let domain: String
    /// Whether it is sent only to ``domain``, not to its subdomains.
    let isHostOnly: Bool
    let path: [UInt8]
    let isSecure: Bool
    /// When it expires, in milliseconds since 1970; `nil` for a cookie that is kept for the lifetime of the store.
    let expiry: Int64?
    /// The order of creation. A cookie that replaces another keeps its number (§5.3 step 11.3).
    var creation: UInt64 = 0
    /// The order of use: a larger number means more recently used.
    var lastUse: UInt64 = 0

    /// Creates the cookie that a `Set-Cookie` field sets; `nil` if the cookie is refused.
    ///
    /// It is refused if its `Domain` does not cover the host (§5.3 step 6) or is a single label (step 5; see ``CookieStore``), if it has
    /// `Secure` and was not received over TLS, if it violates the rules for a prefix of its name (6265bis §4.1.3), or if its path is longer
    /// than 1024 bytes.
    ///
    /// - Parameters:
    ///   - location: The URL of the request.
    ///   - now: The current time, in milliseconds since 1970.
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
        guard path.count <= SetCookie.maximumAttributeBytes, Self.satisfiesPrefix(field, isHostOnly: isHostOnly) else {
            return nil
        }
        pair = field.name.isEmpty ? Array(field.value) : field.name + [UInt8(ascii: "=")] + field.value
        nameLength = field.name.count
        if let age = field.maximumAge {
            // The sum cannot overflow: both values are far below the limits of Int64.
            expiry = age <= 0 ? .min : now + age * 1000
        } else {
            expiry = field.expires.map { $0 * 1000 }
        }
    }

    private static func isHost(_ domain: String, _ location: CookieLocation) -> Bool {
        domain.utf8.elementsEqual(location.host.utf8)
            || (location.isAddress && HostName.canonical(domain[...]) == location.host)
    }

    /// Returns whether a cookie satisfies the rules for names that begin with `__Secure-` or `__Host-`, in any case (6265bis §4.1.3). A
    /// value without a name must not begin like such a name.
    private static func satisfiesPrefix(_ field: SetCookie, isHostOnly: Bool) -> Bool {
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

    /// Whether one cookie replaces the other (6265bis; RFC 6265 does not compare ``isHostOnly``).
    func isSame(as other: Cookie) -> Bool {
        name == other.name && isHostOnly == other.isHostOnly && path == other.path && domain == other.domain
    }
}

extension Cookie: RedactedStringConvertible {
    /// A textual representation with name, domain and path, without the value.
    var description: String {
        let path = String(decoding: path, as: UTF8.self)
        return "cookie \(String(decoding: name, as: UTF8.self).printable) for \(domain)\(path.printable)"
    }
}

/// The parts of a request's URL that decide which cookies are sent and accepted.
struct CookieLocation: Sendable, Hashable {
    /// Whether cookies with `Secure` are sent to it and accepted from it: `https` URLs, and the local machine (`localhost`, `127.0.0.1`,
    /// `::1`), as in libcurl from 7.79.0 on.
    let isSecure: Bool
    /// The host in its canonical form (RFC 6265 §5.1.2): lower case, without a final dot, an IPv6 address without brackets.
    let host: String
    /// Whether the host is an IP address, which has no parent domains and no subdomains.
    let isAddress: Bool
    /// The path of the URL, percent-encoded, without the query; begins with a slash.
    let path: [UInt8]

    /// Creates a location from parts of a URL; `nil` if the host has no canonical form, such as `127.1`: it gets no cookies.
    ///
    /// - Parameters:
    ///   - scheme: The scheme in lower case.
    ///   - host: The host as in the URL, without the port.
    ///   - path: The path as in the URL, percent-encoded, without the query; an empty one means `/`.
    init?(scheme: String, host: Substring, path: Substring) {
        let isPlain = Self.isPlainName(host.utf8)
        guard let name = isPlain ? String(host) : HostName.canonical(host) else { return nil }
        self.host = name
        isAddress = !isPlain && HostName.isAddress(name)
        isSecure = scheme == "https" || name == "localhost" || name == "127.0.0.1" || name == "::1"
        self.path = path.utf8.first == UInt8(ascii: "/") ? Array(path.utf8) : [UInt8(ascii: "/")]
    }

    /// Creates the location of a request; `nil` if the host has no canonical form.
    init?(_ request: NetworkRequest) {
        let parsed = request.parsedURL
        guard parsed.isPlain else {
            self.init(request.url)
            return
        }
        let text = request.urlText.utf8
        let (host, path) = (parsed.host, parsed.path)
        let hostStart = text.index(text.startIndex, offsetBy: host.lowerBound)
        let hostEnd = text.index(hostStart, offsetBy: host.count)
        let pathStart = text.index(text.startIndex, offsetBy: path.lowerBound)
        let pathEnd = text.index(pathStart, offsetBy: path.count)
        self.init(
            scheme: parsed.isSecure ? "https" : "http", host: Substring(text[hostStart..<hostEnd]),
            path: Substring(text[pathStart..<pathEnd]))
    }

    /// Creates a location from the text of a URL, without a lookup; `nil` if the host has no canonical form.
    init?(_ url: URL) {
        let text = URLText(url)
        self.init(scheme: text.scheme, host: HostName.withoutPort(text.hostAndPort), path: text.path)
    }

    /// Whether a host is clearly a name in its canonical form, as most are. With a digit at the start of a label it may be an address.
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

    /// The path of a cookie without `Path` (RFC 6265 §5.1.4): the path of the URL before its last slash, or `/` if that is empty.
    var defaultPath: [UInt8] {
        guard let end = path.lastIndex(of: UInt8(ascii: "/")), end > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<end])
    }

    /// Whether a cookie with this path is sent to the location (RFC 6265 §5.1.4): its path is the same, or a folder above it.
    func isInside(_ cookiePath: [UInt8]) -> Bool {
        Self.path(path, isInside: cookiePath)
    }

    /// Whether `path` is `cookiePath` or below it (RFC 6265 §5.1.4, "path-match").
    static func path(_ path: [UInt8], isInside cookiePath: [UInt8]) -> Bool {
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[cookiePath.count] == UInt8(ascii: "/")
    }

    /// Whether `name` is `domain` or one of its subdomains (RFC 6265 §5.1.3, "domain-match"). Valid for names only: an
    /// address has no domain.
    static func name(_ name: String, isInside domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let start = name.index(name.endIndex, offsetBy: -domain.count)
        return name[start...].elementsEqual(domain) && name[name.index(before: start)] == UInt8(ascii: ".")
    }

    /// The domains whose cookies are sent to the location: the host itself, and each parent domain that contains a dot.
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
