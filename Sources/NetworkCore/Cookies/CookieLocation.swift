import Endpoints
import Foundation

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
