import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A separate part of a cache, for example for a user. Responses are never shared between partitions.
public struct CachePartition: Hashable, Sendable {
    /// A digest of credentials, a name with its prefix, or an empty string for requests without credentials.
    package let text: String
    /// Whether the caller has named the partition, so that credentials do not determine it.
    let isNamed: Bool

    /// The partition of requests without credentials. A response to a request with credentials is never stored in it.
    public static let withoutCredentials = CachePartition(text: "")

    /// Creates a partition with a name, for example the identifier of a user or tenant. The name must not be secret.
    ///
    /// All requests with this partition share their responses, whatever credentials and header fields they have; only URL, `Host` and the
    /// fields by which proxies replace host, path and method still separate them.
    public init(named name: String) {
        text = "name:" + name
        isNamed = true
    }

    /// Creates a partition from the credentials in a request, or ``withoutCredentials`` if there are none.
    ///
    /// The partition is a SHA-256 digest of all header fields that are marked as credentials
    /// (``Endpoints/NetworkRequest/setCredential(_:for:)``), all other fields except those that neither select a resource nor identify a user
    /// (`Docs/Cache.md` lists them), the user information in the URL, and the cookies that the session manager has stored for the URL.
    ///
    /// The digest of a random token reveals nothing. A password that a person chose can be guessed from its digest by anybody who
    /// can read the store: name the partition in that case.
    public init(credentialsOf request: NetworkRequest) {
        self.init(request)
    }

    /// Creates a partition from the credentials in a request.
    ///
    /// - Parameters:
    ///   - ignored: The names of further fields that identify single requests, in lower case.
    ///   - traits: The traits of the fields of the request, if they are known.
    ///   - digests: The digests of the cache. Default: none, so that the digest is calculated.
    init(
        _ request: NetworkRequest, ignoring ignored: Set<String> = [], traits: FieldTraits = .unknown,
        digests: PartitionDigests? = nil
    ) {
        isNamed = false
        let user = request.parsedURL.isPlain ? nil : Self.userInformation(in: request.urlText)
        let credentials = request.credentials
        guard traits.contains(.separates) || user != nil || !credentials.isEmpty else {
            text = ""
            return
        }
        var fields = Self.fields(of: request.headers, credentials, ignoring: ignored)
        if fields.isEmpty, user == nil {
            text = ""
            return
        }
        if fields.count > 1 {
            // The sort is stable: lines with the same name keep their order.
            let sorted = fields.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            fields = sorted.map(\.element)
        }
        let make = { Self.text(of: fields, user: user) }
        text = digests?.text(of: fields, user: user, make: make) ?? make()
    }

    private init(text: String) {
        self.text = text
        isNamed = false
    }

    private static func text(of fields: [HeaderFields.Field], user: String?) -> String {
        var digest = DigestText()
        for field in fields {
            digest.add(field.name)
            digest.add(field.value)
        }
        if let user {
            digest.add("@")
            digest.add(user)
        }
        return "sha256:" + digest.hexadecimal
    }

    /// Returns the fields that separate the responses to a request from others, with names in lower case.
    static func fields(of request: NetworkRequest, ignoring ignored: Set<String>) -> [HeaderFields.Field] {
        fields(of: request.headers, request.credentials, ignoring: ignored)
    }

    private static func fields(
        of headers: HeaderFields, _ credentials: RequestCredentials, ignoring ignored: Set<String>
    ) -> [HeaderFields.Field] {
        var fields: [HeaderFields.Field] = []
        let marksFields = !credentials.fields.isEmpty
        for field in headers.fields {
            if marksFields, credentials.isProof(field.name) { continue }
            let isCredential = marksFields && credentials.contains(header: field.name)
            guard isCredential || FieldTraits(ofName: field.name).contains(.separates) else { continue }
            let name = field.name.lowercased()
            if !ignored.isEmpty, ignored.contains(name) { continue }
            fields.append(HeaderFields.Field(name: name, value: field.value))
        }
        if marksFields { fields += credentials.proofs }
        if let cookies = credentials.storedCookies { fields.append(HeaderFields.Field(name: "cookie", value: cookies)) }
        return fields
    }

    private static func userInformation(in text: String) -> String? {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        let authority = URLText(text).authority
        return authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(authority[..<$0]) }
    }
}

/// The header fields that do not separate responses: they neither identify a user nor select a resource. Some select a form of the resource, which
/// `Vary` states, or a part of it.
enum NeutralFields {
    private static let names: FieldNames = [
        // Negotiation (RFC 9110 §12.5), of which a server states the effect in `Vary`.
        "accept", "accept-charset", "accept-encoding", "accept-language", "user-agent",
        // Directives, conditions and ranges, which the cache evaluates (RFC 9111 §5.2.1, §4.3.2) or leaves to the origin.
        "cache-control", "pragma", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since", "range",
        "if-range",
        // Content, which is part of the key of a QUERY, and which other stored requests do not have.
        "content-type", "content-encoding", "content-language", "content-length", "content-digest", "repr-digest",
        "want-content-digest", "want-repr-digest",
        // One connection or message (RFC 9110 §7.6.1, §10.1), and its priority (RFC 9218).
        "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect", "date", "priority",
        // The page that contains a link; a server states in `Vary` whether they change the response.
        "origin", "referer",
        // Compared separately: see `KeyScope`.
        "host",
    ]

    /// The names in lower case, without those of fields that identify a request (``Endpoints/HeaderFields/identifiesRequest(_:)``).
    static var listedNames: [String] { names.names }

    static func contains(_ name: String) -> Bool {
        names.contains(name) || HeaderFields.identifiesRequest(name)
    }
}
