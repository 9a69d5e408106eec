import Endpoints
import Foundation
import NetworkLogging

/// A stored cookie (RFC 6265 §5.3).
package struct Cookie: Sendable {
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
    let isHTTPOnly: Bool
    let sameSite: StoredCookie.SameSite
    /// When it expires, in milliseconds since 1970, at most ``latestExpiry``; `nil` for a cookie that is kept for the lifetime of the store.
    let expiry: Int64?
    /// The site of ``domain``, with which it shares the room of a full store: see ``SiteQuota``.
    var site = ""
    /// The host of the response that set it; empty for a cookie that the program has set.
    var setter = ""
    /// Whether that response was received over TLS, or the program has set it.
    var isTrusted = true
    /// The order of creation. A cookie that replaces another keeps its number (§5.3 step 11.3).
    var creation: UInt64 = 0
    /// The order of use: a larger number means more recently used.
    var lastUse: UInt64 = 0

    /// The end of the year 9999, in milliseconds since 1970. Cookies that expire later expire then.
    static let latestExpiry: Int64 = 253_402_300_799_999

    /// Creates the cookie that a `Set-Cookie` field sets; `nil` if the cookie is refused.
    ///
    /// It is refused if its `Domain` does not cover the host (§5.3 step 6) or is a single label (step 5), if it has `Secure` and was not
    /// received over TLS, if it has `SameSite=None` without `Secure`, if it violates the rules for a prefix of its name, or if its path is
    /// longer than 1024 bytes. A `Domain` that may be a public suffix is ignored.
    ///
    /// - Parameters:
    ///   - location: The URL of the request.
    ///   - now: The current time, in milliseconds since 1970.
    ///   - suffixes: Decides which domains may be public suffixes.
    init?(_ field: SetCookie, from location: CookieLocation, now: Int64, suffixes: PublicSuffixRule = PublicSuffixRule()) {
        guard location.isSecure || !field.isSecure else { return nil }
        if let domain = field.domain, !Self.isHost(domain, location) {
            let isParent = domain.utf8.contains(UInt8(ascii: ".")) && CookieLocation.name(location.host, isInside: domain)
            guard !location.isAddress, isParent else { return nil }
            isHostOnly = suffixes.contains(domain)
            self.domain = isHostOnly ? location.host : domain
        } else {
            // The host may be a public suffix (step 5), and an address has no subdomains.
            domain = location.host
            isHostOnly = field.domain == nil || location.isAddress || suffixes.contains(location.host)
        }
        path = field.path ?? location.defaultPath
        (isSecure, isHTTPOnly, sameSite) = (field.isSecure, field.isHTTPOnly, field.sameSite)
        (setter, isTrusted) = (location.host, location.isSecure)
        site = suffixes.site(of: domain)
        pair = field.name.isEmpty ? Array(field.value) : field.name + [UInt8(ascii: "=")] + field.value
        nameLength = field.name.count
        if let age = field.maximumAge {
            // The sum cannot overflow: both values are far below the limits of Int64.
            expiry = age <= 0 ? .min : min(now + age * 1000, Self.latestExpiry)
        } else {
            expiry = field.expires.map { $0 * 1000 }
        }
        guard path.count <= SetCookie.maximumAttributeBytes, isSecure || sameSite != .none,
            missingForPrefix(hasPath: field.path != nil) == nil
        else { return nil }
    }

    /// Creates a cookie from checked parts.
    ///
    /// - Parameter domain: The canonical form of a host.
    init(
        name: String, value: String, domain: String, isHostOnly: Bool, path: String, isSecure: Bool, isHTTPOnly: Bool,
        sameSite: StoredCookie.SameSite, expiry: Int64?
    ) {
        pair = Array(name.isEmpty ? value.utf8 : "\(name)=\(value)".utf8)
        nameLength = name.utf8.count
        (self.domain, self.isHostOnly, self.path) = (domain, isHostOnly, Array(path.utf8))
        (self.isSecure, self.isHTTPOnly, self.sameSite, self.expiry) = (isSecure, isHTTPOnly, sameSite, expiry)
    }

    private static func isHost(_ domain: String, _ location: CookieLocation) -> Bool {
        domain.utf8.elementsEqual(location.host.utf8)
            || (location.isAddress && HostName.canonical(domain[...]) == location.host)
    }

    /// Returns what a prefix of the name requires and the cookie does not have; `nil` if all is well.
    ///
    /// `__Secure-` and `__Host-` are from 6265bis §4.1.3; `__Http-` and `__Host-Http-` from its successor
    /// (draft-ietf-httpbis-layered-cookies, "Store a Cookie"). They are compared without case, and a value without a name must not begin
    /// like such a name, because servers would read it as one.
    ///
    /// - Parameter hasPath: Whether the path was set, and is not that of a URL.
    func missingForPrefix(hasPath: Bool = true) -> String? {
        func begins(_ prefix: StaticString) -> Bool {
            prefix.withUTF8Buffer { prefix in
                pair.count >= prefix.count
                    && zip(pair, prefix).allSatisfy { byte, other in
                        byte == other || ((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) && byte | 0x20 == other)
                    }
            }
        }
        guard pair.count > 2, pair[0] == UInt8(ascii: "_"), pair[1] == UInt8(ascii: "_") else { return nil }
        let isHost = begins("__host-")
        let isHTTP = begins("__http-") || begins("__host-http-")
        guard isHost || isHTTP || begins("__secure-") else { return nil }
        if nameLength == 0 { return "a name" }
        if !isSecure { return "isSecure" }
        if isHTTP, !isHTTPOnly { return "isHTTPOnly" }
        if isHost, !isHostOnly { return "isHostOnly" }
        return isHost && !(hasPath && path == [UInt8(ascii: "/")]) ? "the path \"/\"" : nil
    }

    package var name: ArraySlice<UInt8> { pair[..<nameLength] }

    /// The value: the bytes after the name and `=`.
    package var value: ArraySlice<UInt8> { nameLength == 0 ? pair[...] : pair[(nameLength + 1)...] }

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
    package var description: String {
        let path = String(decoding: path, as: UTF8.self)
        return "cookie \(String(decoding: name, as: UTF8.self).printable) for \(domain)\(path.printable)"
    }
}
