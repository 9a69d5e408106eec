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

    /// What the credentials in a request come to: a SHA-256 of all header fields that were marked as one
    /// (``Endpoints/NetworkRequest/setCredential(_:forHeader:)``), of all others that are not known to be harmless, whatever their name, of
    /// user information in the URL, and of the cookies that the session manager has stored for it. ``none`` where there are none.
    ///
    /// The digest of a random token tells nothing. That of a password a person chose can be guessed at by whoever can read the store:
    /// name the partition there.
    public init(credentialsOf request: NetworkRequest) {
        self.init(request, user: Self.userInformation(in: request.url))
    }

    /// - Parameter user: The user information of the URL.
    init(_ request: NetworkRequest, user: String?) {
        var fields: [HTTPHeaders.Field] = []
        for field in request.headers where request.credentials.contains(header: field.name) || !NeutralFields.contains(field.name)
        {
            fields.append(HTTPHeaders.Field(name: field.name.lowercased(), value: field.value))
        }
        if let cookies = request.credentials.storedCookies { fields.append(HTTPHeaders.Field(name: "cookie", value: cookies)) }
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

/// Header fields that tell nothing of who is asking: those that are harmless, and those that tell requests apart.
enum NeutralFields {
    /// In the order in which they are usual.
    private static let names = [
        "Accept", "User-Agent", "Accept-Language", "Accept-Encoding", "Cache-Control", "Content-Type", "If-None-Match",
        "If-Modified-Since", "Host", "Origin", "Referer", "traceparent", "tracestate", "X-Request-ID",
    ]

    static func contains(_ name: String) -> Bool {
        names.contains { HTTPHeaders.isSame($0, name) } || HTTPHeaders.isHarmless(name)
    }
}
