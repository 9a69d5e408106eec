import Endpoints
import Foundation
import NetworkCore

/// Under what responses are kept (RFC 9111 §2): method and URL, and whose they are.
///
/// Descriptions show method, origin and path, never the query.
public struct CacheKey: Hashable, Sendable {
    /// Of the request. The cache keeps answers to GET, which answer HEAD too.
    public let method: HTTPMethod
    /// Absolute, with scheme and host in lower case, without default port, user information and fragment (RFC 9110 §4.2.3, §7.1).
    /// The query is part of it.
    public let url: String
    /// Whose responses these are; empty for requests without a credential. Holds a digest, never the credential: see
    /// ``CachePartition``.
    public let partition: String

    /// A key of these parts.
    ///
    /// - Parameter url: Brought to its normal form.
    public init(method: HTTPMethod = .get, url: URL, partition: CachePartition = .none) {
        self.method = method
        self.url = NormalURL.text(of: url)
        self.partition = partition.text
    }

    /// The key of a GET or HEAD.
    init(_ request: NetworkRequest, named partition: CachePartition?) {
        method = .get
        let text = request.url.absoluteString
        let isNormal = NormalURL.isNormal(text)
        url = isNormal ? text : NormalURL.text(of: request.url)
        let partitionText: String
        if let partition {
            partitionText = partition.text
        } else if isNormal {
            partitionText = CachePartition(request, user: nil).text
        } else {
            partitionText = CachePartition(credentialsOf: request).text
        }
        // What came over a connection that was trusted for less is not for who asks for more. The number is this process's own.
        self.partition = request.statedTrust.map { "\(partitionText)\(Self.trustMark)\($0.hashValue)" } ?? partitionText
    }

    /// Follows a partition, where an API states whom it trusts.
    static let trustMark = " trust:"

    /// A key that was taken apart.
    ///
    /// - Parameters:
    ///   - url: As ``url`` of the key that it was.
    ///   - partition: As ``partition`` of the key that it was.
    /// - Returns: `nil` where `url` is not in its normal form.
    public init?(method: HTTPMethod, url: String, partition: String) {
        guard let parsed = URL(string: url), NormalURL.text(of: parsed) == url, !URLText(url).hostAndPort.isEmpty else {
            return nil
        }
        self.method = method
        self.url = url
        self.partition = partition
    }

    /// In lower case, without port.
    public var host: String { NormalURL.host(of: url) }

    /// 64 hexadecimal digits (SHA-256) that stand for the whole key, the same in every process: for the name of a file, or of a
    /// row elsewhere.
    public var digest: String {
        var text = DigestText()
        text.add(method.rawValue)
        text.add(partition)
        text.add(url)
        return text.hexadecimal
    }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method, origin and path.
    public var description: String { "\(method) \(URLText(url).originAndPath)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

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

/// Texts one after another, kept apart by their lengths, and their SHA-256 in hexadecimal.
struct DigestText {
    private var bytes: [UInt8] = []

    mutating func add(_ text: String) {
        var text = text
        withUnsafeBytes(of: UInt64(text.utf8.count).littleEndian) { bytes.append(contentsOf: $0) }
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    var hexadecimal: String {
        let digest = SHA256.digest(of: bytes)
        return String(unsafeUninitializedCapacity: digest.count * 2) { buffer in
            for (index, byte) in digest.enumerated() {
                buffer[index * 2] = Self.digit(byte >> 4)
                buffer[index * 2 + 1] = Self.digit(byte & 15)
            }
            return digest.count * 2
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x61 + value - 10 }
}
