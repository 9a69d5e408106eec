import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The rules for which responses are stored, and which of their fields (RFC 9111 §3). The functions have no side effects.
enum StorageRules {
    /// The maximum number of field names in `Vary`. A response with more is not stored.
    static let maximumVaryingFields = 32

    /// Returns whether a response to GET or QUERY may be stored, and could be used later.
    ///
    /// Parts of the content (206) are stored if they can be combined: see ``PartRules``. Responses with `Vary: *`, which match no
    /// other request, are not stored. A response that is not fresh when it arrives and has no validator is stored if a later request
    /// may accept it stale (`max-stale`, `stale-if-error`): it must describe the resource, and not forbid this.
    static func mayStore(_ request: RequestTerms, _ stored: StoredResponse, _ terms: ResponseTerms, _ options: CacheOptions)
        -> Bool
    {
        let status = stored.statusCode
        guard stored.key.method == .get || stored.key.method == .query, !request.noStore, (200..<600).contains(status),
            status != 304, !stored.isPart || PartRules.isUsable(stored.headers)
        else { return false }
        let control = stored.headers.cacheControl
        if control?.mustUnderstand == true {
            // With `must-understand`, `no-store` applies only to caches that do not understand the status code (§5.2.2.3).
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
        if options.lifetime(terms) > terms.initialAge { return true }
        return !terms.mustRevalidate && StatusRules.describesResource(status)
    }

    /// Returns whether a response to POST is the one to a later GET of the same URL (RFC 9110 §9.3.3): it has an explicit lifetime, and names
    /// the URL as the place of its content.
    static func isResponseToGet(_ response: StoredResponse, _ terms: ResponseTerms) -> Bool {
        let places = response.headers.values(for: "Content-Location")
        guard response.statusCode == 200, (terms.explicitLifetime ?? 0) > 0, places.count == 1,
            let place = URIReference(places[0]).resolved(against: URIReference(response.url.absoluteString)).url
        else { return false }
        return NormalURL.text(of: place) == response.key.url
    }

    /// Returns the fields to store: without those of the connection (§3.1), and with a `Date`, which is added if it is missing
    /// (RFC 9110 §6.6.1).
    static func keptHeaders(_ headers: HeaderFields, receivedAt date: Date) -> HeaderFields {
        let named = connectionFields(headers)
        var kept = HeaderFields(headers.filter { !isOfConnection($0.name) && !named.contains($0.name.lowercased()) })
        if !kept.contains("Date") { kept.add(HTTPDate(date).description, for: "Date") }
        return kept
    }

    /// Returns the fields of a stored response after it was validated (§3.2, §4.3.4). Each field of the new response replaces the
    /// stored one, except for fields that describe the content, which was not sent again.
    static func updatedHeaders(_ old: HeaderFields, by new: HeaderFields, receivedAt date: Date) -> HeaderFields {
        let update = HeaderFields(keptHeaders(new, receivedAt: date).filter { !isOfContent($0.name) })
        var old = old
        // It describes the transfer of the old response.
        old.remove("Age")
        return old.replacing(with: update)
    }

    /// Returns the field names in `Vary`, in lower case and sorted, or `nil` for `*`, for an invalid list, and for too many
    /// names.
    static func varyingNames(_ headers: HeaderFields) -> [String]? {
        var names: Set<String> = []
        for line in headers.values(for: "Vary") {
            for name in line.listElements.map({ $0.asciiLowercased }) {
                guard name != "*", name.isToken else { return nil }
                names.insert(name)
            }
        }
        return names.count <= maximumVaryingFields ? names.sorted() : nil
    }

    /// Returns the values of fields in a request (§4.1), without surrounding whitespace and with the lines of one name joined, and
    /// in the normal form of the field if it has one.
    static func varying(_ names: [String], _ headers: HeaderFields) -> [StoredResponse.VaryingField] {
        names.map { StoredResponse.VaryingField(name: $0, value: varyingValue($0, headers)) }
    }

    /// Returns whether a request has the values of the fields that `Vary` names with which a response is stored (§4.1).
    static func matches(_ entry: CacheEntry, _ headers: HeaderFields) -> Bool {
        let varying = entry.response.varying
        for index in varying.indices where !matches(varying[index], at: index, of: entry, headers) { return false }
        return true
    }

    private static func matches(
        _ stored: StoredResponse.VaryingField, at index: Int, of entry: CacheEntry, _ headers: HeaderFields
    ) -> Bool {
        var line: String?
        var lines = 0
        for field in headers.fields where HeaderFields.isSame(field.name, stored.name) {
            lines += 1
            line = field.value
        }
        guard let line, let value = stored.value else { return line == nil && stored.value == nil }
        if lines == 1, isNormalForm(line, value) || entry.hasRemembered(line, at: index) { return true }
        guard varyingValue(stored.name, headers)?.hasSameBytes(as: value) ?? false else { return false }
        // That of any other field may contain credentials.
        if lines == 1, NeutralFields.contains(stored.name) { entry.remember(line, at: index) }
        return true
    }

    /// Returns whether a line is a stored value and certain to be in normal form: the frequent case, for which no text is created.
    private static func isNormalForm(_ line: String, _ value: String) -> Bool {
        // These characters have no other form, so that equal texts have equal bytes. A colon is not among them, and so no digest.
        line.utf8.count == value.utf8.count && line == value && WeightedList.isOneElement(line)
    }

    private static func varyingValue(_ name: String, _ headers: HeaderFields) -> String? {
        var joined: String?
        for field in headers.fields where HeaderFields.isSame(field.name, name) {
            let value = String(field.value.trimmed)
            joined = joined.map { $0 + ", " + value } ?? value
        }
        guard var joined else { return nil }
        joined = WeightedList.isGrammar(of: name) ? WeightedList.normalized(joined) : WeightedList.withoutSpace(joined)
        guard !NeutralFields.contains(name) else { return joined }
        var digest = DigestText()
        digest.add(joined)
        return "sha256:" + digest.hexadecimal
    }

    private static func connectionFields(_ headers: HeaderFields) -> Set<String> {
        Set(headers.values(for: "Connection").flatMap(\.listElements).map { $0.asciiLowercased })
    }

    /// The fields that belong to a single connection (RFC 9110 §7.6.1, RFC 9111 §3.1).
    private static let ofConnection = [
        "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade", "Trailer", "Proxy-Authenticate",
        "Proxy-Authentication-Info", "Proxy-Authorization",
    ]

    private static func isOfConnection(_ name: String) -> Bool {
        ofConnection.contains { HeaderFields.isSame($0, name) }
    }

    /// The fields that describe the coding and length of the content. The stored body is decoded and complete, so the values of a
    /// response without a body do not apply to it.
    private static let ofContent = ["Content-Length", "Content-Encoding", "Content-Range"] + digestsOfContent

    /// The fields with a digest of the content of one message (RFC 9530 §2, RFC 2616 §14.15), which is not that of a part of it.
    static let digestsOfContent = ["Content-Digest", "Content-MD5"]

    private static func isOfContent(_ name: String) -> Bool {
        ofContent.contains { HeaderFields.isSame($0, name) }
    }
}
