import Endpoints
import NetworkSupport

/// Decides which domains may be public suffixes: domains such as `com` and `co.uk`, below which anybody can register names.
///
/// There is no list of public suffixes. A domain may be one if
///
/// - it is a single label: `com`, `localhost`;
/// - it has two labels, the second one consists of two letters, as those of countries do, and the first one is one of
///   ``registryLabels``: `co.uk`, `com.au`, `gov.br`;
/// - or the closure that a store was created with says so.
struct PublicSuffixRule: Sendable {
    /// The labels below which registries of countries let names be registered, and which are rarely names themselves.
    static let registryLabels: Set<String> = [
        "ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "gv", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc", "sch",
    ]

    /// Returns whether a domain in lower case is a public suffix that the built-in rules do not know.
    var isKnown: (@Sendable (String) -> Bool)?

    /// Returns whether a canonical domain may be a public suffix.
    package func contains(_ domain: String) -> Bool {
        guard let dot = domain.utf8.firstIndex(of: UInt8(ascii: ".")) else { return true }
        let rest = domain.utf8[domain.utf8.index(after: dot)...]
        let isOfCountry = rest.count == 2 && rest.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        if isOfCountry, Self.registryLabels.contains(String(domain[..<dot])) { return true }
        return isKnown?(domain) ?? false
    }

    /// Returns the site of a host: the domain that is one label longer than the longest one that may be a public suffix. An address, and a host
    /// that may be a suffix itself, is its own site.
    func site(of host: String) -> String {
        if HostName.isAddress(host) || contains(host) { return host }
        var site = host[...]
        while let (_, parent) = site.divided(at: "."), !contains(String(parent)) { site = parent }
        return String(site)
    }

    /// Returns whether two hosts are of the same site: they are equal, or have a parent domain in common that cannot be a public suffix, so
    /// that either could set a cookie for both.
    func isSameSite(_ one: CookieLocation, _ other: CookieLocation) -> Bool {
        if one.host.utf8.elementsEqual(other.host.utf8) { return true }
        if one.isAddress || other.isAddress { return false }
        let labels = zip(one.host.split(separator: ".").reversed(), other.host.split(separator: ".").reversed())
            .prefix { $0 == $1 }.map { $0.0 }
        return !labels.isEmpty && !contains(labels.reversed().joined(separator: "."))
    }
}

/// What the redirects before a request mean for `SameSite` (6265bis §5.2).
enum RequestSite: Sendable {
    /// No other site was involved. A request that the program sends itself has no redirects before it.
    case same
    /// A server of another site has led to the request.
    case other(isSafe: Bool)

    /// Whether a cookie is sent.
    func allows(_ sameSite: StoredCookie.SameSite) -> Bool {
        guard case .other(let isSafe) = self else { return true }
        return switch sameSite {
        case .strict: false
        case .lax: isSafe
        case .none, .unspecified: true
        }
    }

    /// - Parameters:
    ///   - location: The URL of the request.
    ///   - trail: The redirects that have led to it. Of more than are recorded, the site is not known.
    init(_ request: NetworkRequest, at location: CookieLocation, after trail: RedirectTrail, suffixes: PublicSuffixRule) {
        let isSame =
            trail.urls.count == trail.count
            && trail.urls.allSatisfy { CookieLocation(URLText($0)).map { suffixes.isSameSite($0, location) } ?? false }
        self = isSame ? .same : .other(isSafe: request.method.isSafe)
    }
}
