import Endpoints
import Foundation
import NetworkCore

/// What has to be known of a download to go on with it later. It lies beside the partial file, as JSON.
///
/// Of URLs it holds hashes: they may hold secrets.
struct DownloadRecord: Codable, Hashable, Sendable {
    static let currentVersion = 1
    /// The longest file of such a record.
    static let maximumBytes = 16 << 10
    /// More bytes than any file has.
    private static let maximumTotal: Int64 = 1 << 60

    var version = currentVersion
    /// Of the endpoint, as ``identity(of:)`` tells.
    var endpoint: String
    /// Of the URL that answered, without its query, which may be signed anew each time.
    var location: String
    var validator: ResumeValidator
    /// How long the whole is; `nil` where the server did not say.
    var total: Int64?
    /// What the server says the whole hashes to: SHA-256 in hexadecimal digits.
    var digest: String?
    /// What the server calls the file.
    var name: String

    /// What tells the resource from others, before a server has said anything: the endpoint's URL without a signature in its query, or what
    /// the caller calls it.
    ///
    /// - Returns: `nil` where the endpoint makes no request, or one whose response has no parts: ranges are for GET (RFC 9110 §14.2).
    static func identity(of endpoint: some Requestable, _ options: DownloadOptions) -> String? {
        guard options.resumes else { return nil }
        return options.resumeIdentity.map { ownIdentity($0, of: endpoint) } ?? identity(of: endpoint)
    }

    private static func ownIdentity(_ text: String, of endpoint: some Requestable) -> String? {
        identity(of: endpoint) == nil ? nil : hash("resumeIdentity \(text)")
    }

    private static func identity(of endpoint: some Requestable) -> String? {
        guard endpoint.method == .get, endpoint.body == nil, !endpoint.headerParameters.contains("Range"),
            !endpoint.headerParameters.contains("If-Range")
        else { return nil }
        // The base URL is the service's own; which server answered is part of the location.
        let anywhere = APIConfiguration(baseURL: URL(string: "http://base.invalid") ?? URL(fileURLWithPath: "/"))
        guard let request = try? endpoint.networkRequest(with: anywhere) else { return nil }
        return hash(SignedQuery.removed(from: request.url))
    }

    /// Stands for one without an identity in the name of a partial file, so that each attempt takes the same.
    static func name(of endpoint: some Requestable) -> String { hash("\(endpoint.method) \(endpoint.path)") }

    static func location(of url: URL) -> String {
        let text = URLText(url)
        return hash(text.origin + text.path)
    }

    private static func hash(_ text: String) -> String { SHA256.digest(of: Array(text.utf8)).hexadecimal }

    /// The record in a file's bytes; `nil` for anything else, a later version and one that no download has written included: anybody who may
    /// write to the folder can have changed it.
    init?(json: Data) {
        guard let record = try? JSONDecoder().decode(DownloadRecord.self, from: json), record.isPlausible else { return nil }
        self = record
    }

    /// Whether each part is what ``json`` would write. The name has to be one that leads nowhere else.
    private var isPlausible: Bool {
        version == Self.currentVersion && Self.isHash(endpoint) && Self.isHash(location) && validator.isStrong
            && (0...Self.maximumTotal).contains(total ?? 0) && (digest.map(Self.isHash) ?? true)
            && SafeFileName.make(name) == name
    }

    private static func isHash(_ text: String) -> Bool {
        text.utf8.count == 2 * SHA256.byteCount
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    init(endpoint: String, location: String, validator: ResumeValidator, total: Int64?, digest: String?, name: String) {
        self.endpoint = endpoint
        self.location = location
        self.validator = validator
        self.total = total
        self.digest = digest
        self.name = name
    }

    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self)
        }
    }
}

extension [UInt8] {
    /// Two digits a byte, in lower case.
    var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
    }
}

/// The part of a URL's query that only says that, and until when, the URL may be used, and is another one each time it is signed.
///
/// What names the resource is never among it: a name counts only beside the signature of the scheme that it belongs to.
enum SignedQuery {
    /// Signature, and what comes with it, in lower case.
    private static let schemes: [(signature: String, names: Set<String>)] = [
        // AWS Signature Version 4
        ("x-amz-signature", names("x-amz-", "algorithm credential date expires signedheaders signature security-token")),
        // Google Cloud Storage, V4
        ("x-goog-signature", names("x-goog-", "algorithm credential date expires signedheaders signature")),
        // AWS Version 2, CloudFront, Google Cloud Storage V2, Alibaba OSS
        (
            "signature",
            names("", "signature expires policy key-pair-id awsaccesskeyid googleaccessid ossaccesskeyid security-token")
        ),
        // Azure, shared access signatures
        ("sig", names("", "sig sv ss srt sr sp se st spr sip skoid sktid skt ske sks skv saoid suoid scid")),
    ]

    private static func names(_ prefix: String, _ list: String) -> Set<String> {
        Set(list.split(separator: " ").map { prefix + $0 })
    }

    /// A URL's text without it, and without the fragment.
    static func removed(from url: URL) -> String {
        let text = url.absoluteString.prefix { $0 != "#" }
        guard let mark = text.firstIndex(of: "?") else { return String(text) }
        let items = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        func name(_ item: Substring) -> String { item.prefix { $0 != "=" }.lowercased() }
        let present = Set(items.map(name))
        var removed: Set<String> = []
        for scheme in schemes where present.contains(scheme.signature) { removed.formUnion(scheme.names) }
        if removed.isEmpty { return String(text) }
        return text[..<mark] + "?" + items.filter { !removed.contains(name($0)) }.joined(separator: "&")
    }
}
