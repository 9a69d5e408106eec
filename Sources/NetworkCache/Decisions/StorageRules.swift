import Endpoints
import Foundation
import NetworkCore

/// Which responses are kept, and what of them (RFC 9111 §3). Without side effects.
enum StorageRules {
    /// Field names that `Vary` may name; with more, a response is not kept.
    static let maximumVaryingFields = 32

    /// Whether a response to a GET may be kept, and would ever be of use.
    ///
    /// Parts (206) are never kept, so that a request with `Range` always goes to the origin. Neither is what `Vary: *` says cannot be
    /// matched, nor what is neither fresh for a while nor can be asked after.
    static func mayStore(_ request: RequestTerms, _ stored: StoredResponse, _ terms: ResponseTerms, _ policy: CachePolicy) -> Bool
    {
        let status = stored.statusCode
        guard stored.key.method == .get, !request.noStore, (200..<600).contains(status), status != 206, status != 304 else {
            return false
        }
        let control = stored.headers.cacheControl
        if control?.mustUnderstand == true {
            // Then `no-store` is for caches that do not (§5.2.2.3).
            guard StatusRules.isUnderstood(status) else { return false }
        } else if control?.noStore == true {
            return false
        }
        let isExplicit = terms.explicitLifetime != nil || control?.isPublic == true || control?.isPrivate != nil
        guard isExplicit || StatusRules.isHeuristicallyCacheable(status), varyingNames(stored.headers) != nil else {
            return false
        }
        if terms.hasValidator { return true }
        if terms.mustAsk { return false }
        let lasts = policy.lifetime(terms) + max(terms.staleWhileRevalidate, terms.staleIfError ?? 0)
        return lasts > terms.initialAge
    }

    /// What is kept of the fields: not those of the connection (§3.1), and always a date (RFC 9110 §6.6.1).
    static func keptHeaders(_ headers: HTTPHeaders, receivedAt date: Date) -> HTTPHeaders {
        let named = connectionFields(headers)
        var kept = HTTPHeaders(headers.filter { !isOfConnection($0.name) && !named.contains($0.name.lowercased()) })
        if !kept.contains("Date") { kept.add(HTTPDate(date).description, for: "Date") }
        return kept
    }

    /// The fields of a stored response after another one has said that it still holds (§3.2, §4.3.4): each field of the other takes the
    /// place of the old one, except for those that speak of bytes that were not sent again.
    static func updatedHeaders(_ old: HTTPHeaders, by new: HTTPHeaders, receivedAt date: Date) -> HTTPHeaders {
        let update = HTTPHeaders(keptHeaders(new, receivedAt: date).filter { !isOfContent($0.name) })
        var old = old
        // Of its first way here.
        old.remove("Age")
        return old.replacing(with: update)
    }

    /// The field names in `Vary`, in lower case and order; `nil` for `*` and for what is no list of names.
    static func varyingNames(_ headers: HTTPHeaders) -> [String]? {
        var names: Set<String> = []
        for line in headers.values(for: "Vary") {
            for part in line.utf8.split(separator: UInt8(ascii: ",")) {
                let name = String(Substring(CacheControlParser.trimmed(part))).lowercased()
                if name.isEmpty { continue }
                guard name != "*", name.isToken else { return nil }
                names.insert(name)
            }
        }
        return names.count <= maximumVaryingFields ? names.sorted() : nil
    }

    /// What a request has in these fields (§4.1): whitespace around values does not count, and lines of one name are one.
    static func varying(_ names: [String], _ headers: HTTPHeaders) -> [StoredResponse.VaryingField] {
        names.map { StoredResponse.VaryingField(name: $0, value: varyingValue($0, headers)) }
    }

    static func matches(_ varying: [StoredResponse.VaryingField], _ headers: HTTPHeaders) -> Bool {
        varying.allSatisfy { $0.value == varyingValue($0.name, headers) }
    }

    private static func varyingValue(_ name: String, _ headers: HTTPHeaders) -> String? {
        var joined: String?
        for field in headers where HTTPHeaders.isSame(field.name, name) {
            let value = trimmed(field.value)
            joined = joined.map { $0 + ", " + value } ?? value
        }
        guard let joined else { return nil }
        guard !NeutralFields.contains(name) else { return joined }
        var digest = DigestText()
        digest.add(joined)
        return "sha256:" + digest.hexadecimal
    }

    private static func trimmed(_ value: String) -> String {
        let trimmed = CacheControlParser.trimmed(value[...].utf8)
        return trimmed.count == value.utf8.count ? value : String(Substring(trimmed))
    }

    private static func connectionFields(_ headers: HTTPHeaders) -> Set<String> {
        var names: Set<String> = []
        for line in headers.values(for: "Connection") {
            for part in line.utf8.split(separator: UInt8(ascii: ",")) {
                names.insert(String(Substring(CacheControlParser.trimmed(part))).lowercased())
            }
        }
        return names
    }

    /// RFC 9110 §7.6.1, RFC 9111 §3.1.
    private static let ofConnection = [
        "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade", "Trailer", "Proxy-Authenticate",
        "Proxy-Authentication-Info", "Proxy-Authorization",
    ]

    private static func isOfConnection(_ name: String) -> Bool {
        ofConnection.contains { HTTPHeaders.isSame($0, name) }
    }

    /// The body is kept decoded and whole: what an answer without a body says of its coding and length does not hold for it.
    private static let ofContent = ["Content-Length", "Content-Encoding", "Content-Range"]

    private static func isOfContent(_ name: String) -> Bool {
        ofContent.contains { HTTPHeaders.isSame($0, name) }
    }
}

/// What a cache knows of statuses.
enum StatusRules {
    /// Those a lifetime may be made up for (RFC 9110 §15.1), without 206: parts are not kept.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Those whose meaning for caches is known, as `must-understand` asks (RFC 9111 §5.2.2.3).
    static func isUnderstood(_ status: Int) -> Bool {
        isHeuristicallyCacheable(status) || [201, 202, 205, 302, 303, 307, 400, 401, 403, 500, 502, 503, 504].contains(status)
    }

    /// What counts as an error that a stale response may stand in for (RFC 5861 §4).
    static func isFailure(_ status: Int) -> Bool {
        status == 500 || status == 502 || status == 503 || status == 504
    }

    /// Whether it says what the resource is now, rather than that this request could not be answered.
    static func describesResource(_ status: Int) -> Bool {
        (200..<400).contains(status) || status == 404 || status == 410
    }
}
