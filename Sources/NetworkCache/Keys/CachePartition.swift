import Endpoints
import Foundation
import NetworkCore

/// Whose responses are kept under a key. Responses never pass from one partition to another.
public struct CachePartition: Hashable, Sendable {
    /// Empty for nobody's; else a digest, or a name that was given.
    public let text: String

    /// For requests without a credential.
    public static let none = CachePartition(text: "")

    /// A partition of a name: a user's or a tenant's number, nothing that is secret.
    public init(named name: String) {
        text = "name:" + name
    }

    /// What the credentials in a request come to: a SHA-256 of all header fields that hold one (`Authorization`, `Cookie`,
    /// `Proxy-Authorization`, and every other that ``NetworkLogging/Redaction`` takes for a secret, such as `X-Api-Key`), and of user
    /// information in the URL. ``none`` where there are none.
    ///
    /// The digest of a random token tells nothing. That of a password a person chose can be guessed at by whoever can read the store:
    /// name the partition there.
    public init(credentialsOf request: NetworkRequest) {
        self.init(credentialsIn: request.headers, user: Self.userInformation(in: request.url))
    }

    /// - Parameter user: The user information of the URL.
    init(credentialsIn headers: HTTPHeaders, user: String?) {
        var fields: [HTTPHeaders.Field] = []
        for field in headers where CredentialFields.contains(field.name) {
            fields.append(HTTPHeaders.Field(name: field.name.lowercased(), value: field.value))
        }
        if fields.isEmpty, user == nil {
            text = ""
            return
        }
        if fields.count > 1 {
            // Stable: several lines of one name keep their order.
            let sorted = fields.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            fields = sorted.map(\.element)
        }
        var digest = DigestText()
        for field in fields {
            digest.add(field.name)
            digest.add(field.value)
        }
        if let user {
            digest.add("@")
            digest.add(user)
        }
        text = "sha256:" + digest.hexadecimal
    }

    private init(text: String) {
        self.text = text
    }

    private static func userInformation(in url: URL) -> String? {
        let text = url.absoluteString
        guard text.utf8.contains(UInt8(ascii: "@")) else { return nil }
        let authority = URLText(text).authority
        return authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(authority[..<$0]) }
    }
}

/// Which header fields hold a credential, by their names.
enum CredentialFields {
    /// Fields that are in many requests, and whose names need no closer look.
    private static let harmlessNames = [
        "Accept", "User-Agent", "Accept-Language", "Accept-Encoding", "Cache-Control", "Content-Type", "traceparent",
        "tracestate",
        "X-Request-ID", "Idempotency-Key", "If-None-Match", "If-Modified-Since", "Host", "Accept-Charset", "Origin", "Referer",
    ]
    /// Verdicts on other names. Bounded, as names may come from outside.
    private static let verdicts = Locked<[String: Bool]>([:])
    private static let maximumVerdicts = 256

    static func contains(_ name: String) -> Bool {
        if HTTPHeaders.isSame(name, "Authorization") || HTTPHeaders.isSame(name, "Cookie") { return true }
        if harmlessNames.contains(where: { HTTPHeaders.isSame($0, name) }) { return false }
        if let verdict = verdicts.withLock({ $0[name] }) { return verdict }
        let verdict = Redaction.isSecret(header: name)
        verdicts.withLock { verdicts in
            if verdicts.count < maximumVerdicts { verdicts[name] = verdict }
        }
        return verdict
    }
}
