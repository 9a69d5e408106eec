import Endpoints
import Foundation

/// The parts of a request's URL that decide which cookies are sent and accepted.
package struct CookieLocation: Sendable, Hashable {
    /// Whether cookies with `Secure` are sent to it and accepted from it: `https` URLs, and the local machine (`localhost`, `127.0.0.1`,
    /// `::1`), as in libcurl from 7.79.0 on.
    package let isSecure: Bool
    /// The host in its canonical form (RFC 6265 §5.1.2): lower case, without a final dot, an IPv6 address without brackets.
    package let host: String
    /// Whether the host is an IP address, which has no parent domains and no subdomains.
    package let isAddress: Bool
    /// The path of the URL, percent-encoded, without the query; begins with a slash.
    package let path: [UInt8]

    /// Creates a location from parts of a URL; `nil` if the host has no canonical form, such as `127.1`: it gets no cookies.
    ///
    /// - Parameters:
    ///   - scheme: The scheme in lower case.
    ///   - host: The host as in the URL, without the port.
    ///   - path: The path as in the URL, percent-encoded, without the query; an empty one means `/`.
    package init?(scheme: String, host: Substring, path: Substring) {
        let isPlain = Self.isPlainName(host.utf8)
        guard let name = isPlain ? String(host) : HostName.canonical(host) else { return nil }
        self.host = name
        isAddress = !isPlain && HostName.isAddress(name)
        isSecure = scheme == "https" || name == "localhost" || name == "127.0.0.1" || name == "::1"
        self.path = path.utf8.first == UInt8(ascii: "/") ? Array(path.utf8) : [UInt8(ascii: "/")]
    }

    /// Creates the location of a request; `nil` if the host has no canonical form.
    package init?(_ request: NetworkRequest) {
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
    package init?(_ url: URL) {
        self.init(URLText(url))
    }

    /// Creates a location from the parts of a URL's text; `nil` if the host has no canonical form.
    package init?(_ text: URLText) {
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
    package var defaultPath: [UInt8] {
        guard let end = path.lastIndex(of: UInt8(ascii: "/")), end > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<end])
    }

    /// Whether a cookie with this path is sent to the location (RFC 6265 §5.1.4): its path is the same, or a folder above it.
    package func isInside(_ cookiePath: [UInt8]) -> Bool {
        Self.path(path, isInside: cookiePath)
    }

    /// Whether `path` is `cookiePath` or below it (RFC 6265 §5.1.4, "path-match").
    package static func path(_ path: [UInt8], isInside cookiePath: [UInt8]) -> Bool {
        guard path.starts(with: cookiePath) else { return false }
        return path.count == cookiePath.count || cookiePath.last == UInt8(ascii: "/")
            || path[cookiePath.count] == UInt8(ascii: "/")
    }

    /// Whether `name` is `domain` or one of its subdomains (RFC 6265 §5.1.3, "domain-match"). Valid for names only: an
    /// address has no domain.
    package static func name(_ name: String, isInside domain: String) -> Bool {
        let (name, domain) = (name.utf8, domain.utf8)
        guard name.count > domain.count else { return name.elementsEqual(domain) }
        let start = name.index(name.endIndex, offsetBy: -domain.count)
        return name[start...].elementsEqual(domain) && name[name.index(before: start)] == UInt8(ascii: ".")
    }

    /// The domains whose cookies are sent to the location: the host itself, and each parent domain that contains a dot.
    package var domains: [String] {
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
