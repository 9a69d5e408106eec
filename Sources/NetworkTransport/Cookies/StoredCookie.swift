import Endpoints
import Foundation
import NetworkLogging

/// A cookie in a ``CookieStore``: a value that can be listed, changed and set.
///
/// ```swift
/// try store.set(StoredCookie(name: "id", value: token, domain: "example.com"))
/// ```
///
/// Descriptions contain the name, the domain and the path, never the value.
public struct StoredCookie: Sendable, Hashable {
    /// Which requests a cookie is sent with, if servers of another site have redirected to them (6265bis §4.1.2.7).
    ///
    /// A program knows the site of a request only from the redirects before it, so `SameSite` has no effect on requests that the program
    /// sends itself. See ``CookieStore``.
    public enum SameSite: String, Sendable, Hashable, CaseIterable {
        /// The server has stated none. The cookie is sent in all cases.
        case unspecified
        /// The cookie is not sent if a server of another site was involved.
        case strict
        /// As ``strict``, but the cookie is sent with methods that are safe (RFC 9110 §9.2.1).
        case lax
        /// The cookie is sent in all cases. It must have ``StoredCookie/isSecure``.
        case none
    }

    /// The name. Empty if only ``value`` is sent.
    public var name: String
    /// The value as it is sent, a secret.
    public var value: String
    /// The host that the cookie is sent to: a name or an IP address, without port and brackets.
    public var domain: String
    /// Whether the cookie is sent to ``domain`` only. If not, also to its subdomains.
    public var isHostOnly: Bool
    /// The path that the cookie is sent to, and to all paths below it (RFC 6265 §5.1.4).
    public var path: String
    /// Whether the cookie is sent over TLS only, or to the local machine (`localhost`, `127.0.0.1`, `::1`).
    public var isSecure: Bool
    /// Whether the server hides the cookie from scripts in browsers. It has no effect here, except for the prefix `__Http-`.
    public var isHTTPOnly: Bool
    /// Which requests it is sent with after a redirect from another site.
    public var sameSite: SameSite
    /// When the cookie expires, rounded to milliseconds. `nil` for a cookie of the session, which is kept for the lifetime of the store.
    public var expires: Date?

    /// Creates a cookie. ``CookieStore/set(_:)`` checks it.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value as it is sent: nothing is encoded.
    ///   - domain: The host that it is sent to.
    ///   - isHostOnly: Whether it is not sent to subdomains. Default: `true`.
    ///   - path: The path that it is sent to, with all paths below. Default: `/`.
    ///   - isSecure: Whether it is sent over TLS only. Default: `true`.
    ///   - isHTTPOnly: Whether it is hidden from scripts in browsers. Default: `false`.
    ///   - sameSite: Which requests it is sent with after a redirect from another site. Default: ``SameSite/unspecified``.
    ///   - expires: When it expires. Default: `nil`, a cookie of the session.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool = true, path: String = "/", isSecure: Bool = true,
        isHTTPOnly: Bool = false, sameSite: SameSite = .unspecified, expires: Date? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.expires = expires
    }
}

extension StoredCookie: RedactedStringConvertible {
    /// A textual representation with name, domain and path, without the value.
    public var description: String {
        "cookie \(name.printable) for \(domain.printable)\(path.printable)"
    }
}

extension StoredCookie {
    init(_ cookie: Cookie) {
        self.init(
            name: String(decoding: cookie.name, as: UTF8.self), value: String(decoding: cookie.value, as: UTF8.self),
            domain: cookie.domain, isHostOnly: cookie.isHostOnly, path: String(decoding: cookie.path, as: UTF8.self),
            isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly, sameSite: cookie.sameSite,
            expires: cookie.expiry.map { Date(timeIntervalSince1970: Double($0) / 1000) })
    }

    /// Returns the time of ``expires`` in milliseconds since 1970.
    private func expiry() throws(CookieStoreError) -> Int64? {
        guard let expires else { return nil }
        let milliseconds = (expires.timeIntervalSince1970 * 1000).rounded()
        guard milliseconds <= Double(Cookie.latestExpiry) else {
            throw CookieStoreError("expires", milliseconds.isNaN ? "is not a time" : "is after the year 9999")
        }
        return Int64(exactly: milliseconds) ?? .min
    }

    /// Returns the cookie as it is stored.
    ///
    /// - Throws: ``CookieStoreError`` with the name of the invalid property.
    func checked() throws(CookieStoreError) -> Cookie {
        try checked(expiry: expiry())
    }

    /// Returns the cookie as it is stored, with another expiry. `domain` is not compared with public suffixes.
    func checked(expiry: Int64?) throws(CookieStoreError) -> Cookie {
        // The path is not checked, because it is compared and never sent.
        for (field, text) in [("name", name), ("value", value)] {
            if text.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F || $0 == UInt8(ascii: ";") }) {
                throw CookieStoreError(field, "contains a control character or \";\"")
            }
            if let first = text.utf8.first, let last = text.utf8.last,
                [first, last].contains(where: { $0 == 0x20 || $0 == 0x09 })
            {
                throw CookieStoreError(field, "begins or ends with a space")
            }
        }
        if name.isEmpty, value.isEmpty { throw CookieStoreError("name", "and value are both empty") }
        if name.utf8.contains(UInt8(ascii: "=")) { throw CookieStoreError("name", "contains \"=\"") }
        let length = name.utf8.count + value.utf8.count
        if length > SetCookie.maximumPairBytes {
            throw CookieStoreError(
                "value", "has, with the name, \(length) bytes; at most \(SetCookie.maximumPairBytes) are allowed")
        }
        guard path.utf8.first == UInt8(ascii: "/") else { throw CookieStoreError("path", "does not begin with \"/\"") }
        if path.utf8.count > SetCookie.maximumAttributeBytes {
            throw CookieStoreError("path", "has \(path.utf8.count) bytes; at most \(SetCookie.maximumAttributeBytes) are allowed")
        }
        guard domain.utf8.count <= 1024, let host = HostName.canonical(domain[...]) else {
            throw CookieStoreError("domain", "is not a host name or an IP address")
        }
        if !isHostOnly, HostName.isAddress(host) {
            throw CookieStoreError("isHostOnly", "is false, but the domain is an IP address, which has no subdomains")
        }
        if let expiry, expiry > Cookie.latestExpiry { throw CookieStoreError("expires", "is after the year 9999") }
        let cookie = Cookie(
            name: name, value: value, domain: host, isHostOnly: isHostOnly, path: path, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite, expiry: expiry)
        if let missing = cookie.missingForPrefix() { throw CookieStoreError("name", "has a prefix that requires \(missing)") }
        if sameSite == .none, !isSecure {
            throw CookieStoreError("sameSite", "the value None requires isSecure (6265bis §5.6.7.2)")
        }
        return cookie
    }
}
