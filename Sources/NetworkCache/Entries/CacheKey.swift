import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The key under which responses are stored (RFC 9111 §2): method, URL and partition, and for QUERY the content of the request.
///
/// The keys of requests also contain the identity of their session manager (``NetworkCore/SessionIdentity``), a `Host` field that names another
/// authority than the URL (RFC 9110 §7.1), and the trust policy that their API states: see ``CacheInterceptor/key(for:sentBy:)``.
///
/// Descriptions show method, origin and path, never the query.
public struct CacheKey: Hashable, Sendable {
    /// The method of the request. The cache stores responses to GET, which it also uses for HEAD, and to QUERY.
    package let method: RequestMethod
    /// The absolute URL in normal form, including the query: with scheme and host in lower case, without default port, user
    /// information and fragment (RFC 9110 §4.2.3, §7.1).
    package let url: String
    /// The scope of the request (``KeyScope``) and the partition; empty for requests without credentials that the usual session manager sends.
    /// Contains digests and names, never the credentials: see ``CachePartition``.
    package let partition: String
    /// For QUERY, a digest of the content of the request and of the fields that describe it (RFC 10008 §2.7). Otherwise empty.
    package let content: String

    /// Creates a key from its parts.
    ///
    /// - Parameters:
    ///   - method: The method of the request. Default: GET.
    ///   - url: The URL, which is converted to its normal form.
    ///   - partition: The partition. Default: ``CachePartition/withoutCredentials``.
    public init(method: RequestMethod = .get, url: URL, partition: CachePartition = .withoutCredentials) {
        self.method = method
        self.url = NormalURL.text(of: url)
        self.partition = partition.text
        content = ""
    }

    /// Creates the key of a GET, HEAD or QUERY request. The content of a QUERY must be in memory.
    ///
    /// - Parameter traits: The traits of the fields of the request, if they are known.
    init(_ request: NetworkRequest, in partition: CachePartition, traits: FieldTraits = .unknown) {
        let isQuery = request.method == .query
        method = isQuery ? .query : .get
        content = isQuery ? Self.content(of: request) ?? "" : ""
        let text = request.urlText
        url = NormalURL.isNormal(text) ? text : NormalURL.text(of: request.url)
        let scope = KeyScope.text(of: request, selectedByFields: partition.isNamed, traits: traits)
        self.partition = scope.isEmpty ? partition.text : scope + partition.text
    }

    /// The partition without the scope: ``CachePartition/text``.
    var user: Substring { KeyScope.user(in: partition) }

    /// Creates a key from the properties of an existing key, for example when a store reads it.
    ///
    /// - Parameters:
    ///   - method: The ``method`` of the existing key.
    ///   - url: The ``url`` of the existing key.
    ///   - partition: The ``partition`` of the existing key.
    ///   - content: The ``content`` of the existing key.
    /// - Returns: `nil` if `url` is not in its normal form.
    package init?(method: RequestMethod, url: String, partition: String, content: String = "") {
        guard let parsed = URL(string: url), NormalURL.text(of: parsed) == url, !URLText(url).hostAndPort.isEmpty else {
            return nil
        }
        self.method = method
        self.url = url
        self.partition = partition
        self.content = content
    }

    /// Returns a digest of the content of a QUERY and of the fields that describe it, such as `Content-Type`. Empty for other
    /// methods; `nil` if the content is not in memory.
    static func content(of request: NetworkRequest) -> String? {
        guard request.method == .query else { return "" }
        guard let content = (request.body ?? .empty).data else { return nil }
        var digest = DigestText()
        let names = Set(request.headers.lazy.map { $0.name.lowercased() })
        for name in names.sorted() where name.hasPrefix("content-") && name != "content-length" {
            digest.add(name)
            digest.add(request.headers[name] ?? "")
        }
        // It is not the name of a field.
        digest.add("")
        digest.add(content)
        return digest.hexadecimal
    }

    /// The host of the URL, in lower case and without port.
    package var host: String { NormalURL.host(of: url) }

    /// A SHA-256 digest of the whole key, as 64 hexadecimal digits, for example for the name of a file or a database row. It
    /// depends only on the key's properties.
    public var digest: String {
        var text = DigestText()
        text.add(method.rawValue)
        text.add(partition)
        text.add(url)
        if method == .query { text.add(content) }
        return text.hexadecimal
    }
}

extension CacheKey {
    /// Hashes URL and partition, in which the keys of a store differ as a rule.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        if !partition.isEmpty { hasher.combine(partition) }
        if !content.isEmpty { hasher.combine(content) }
    }
}

extension CacheKey: RedactedStringConvertible {
    /// The method, origin and path, without the query.
    public var description: String { "\(method) \(URLText(url).originAndPath)" }
}

/// The normalization of URLs, which gives equivalent URLs the same text (RFC 9110 §4.2.3, RFC 3986 §6.2.2).
enum NormalURL {
    static func text(of url: URL) -> String {
        let text = url.absoluteString
        return isNormal(text) ? text : normalized(URLHost.normalized(text) ?? text)
    }

    /// Returns the host of a URL, without port and without the brackets of an IPv6 address. In lower case if the URL is
    /// normalized.
    static func host(of text: String) -> String {
        let place = URLText(text).hostAndPort
        if place.first == "[" { return String(place.dropFirst().prefix { $0 != "]" }) }
        return String(place.prefix { $0 != ":" })
    }

    /// Returns whether a URL is certain to be in normal form, as a fast path for typical URLs: a lower-case host without user
    /// information, no port or one that is not a default, a path, and no percent-encoding or fragment.
    static func isNormal(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"), bytes[2] == UInt8(ascii: "t"),
                bytes[3] == UInt8(ascii: "p")
            else { return false }
            var index = bytes[4] == UInt8(ascii: "s") ? 5 : 4
            guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == slash, bytes[index + 2] == slash else { return false }
            index += 3
            let hostStart = index
            while index < bytes.count, isHostByte(bytes[index]) { index += 1 }
            guard index > hostStart, index < bytes.count else { return false }
            if bytes[index] == UInt8(ascii: ":") {
                let portStart = index + 1
                index = portStart
                while index < bytes.count, bytes[index] &- 0x30 < 10 { index += 1 }
                // Ports with fewer than four digits may be defaults (80, 443): they take the slow path.
                guard index - portStart > 3, bytes[portStart] != 0x30, index < bytes.count else { return false }
            }
            guard bytes[index] == slash else { return false }
            while index < bytes.count {
                if bytes[index] == UInt8(ascii: "%") || bytes[index] == UInt8(ascii: "#") { return false }
                index += 1
            }
            return true
        }
    }

    private static let slash = UInt8(ascii: "/")

    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    private static func normalized(_ text: String) -> String {
        let url = URLText(text)
        let place = authority(url.hostAndPort, isSecure: url.scheme == "https")
        let path = url.path.isEmpty ? "/" : encodedAlike(url.path)
        return "\(url.scheme)://\(place)\(path)\(url.query.map { "?" + encodedAlike($0) } ?? "")"
    }

    /// Returns a host and port in lower case and without the default port.
    static func authority(_ hostAndPort: Substring, isSecure: Bool) -> String {
        var place = hostAndPort.lowercased()
        let standard = isSecure ? ":443" : ":80"
        if place.hasSuffix(standard) { place.removeLast(standard.utf8.count) }
        if place.hasSuffix(":") { place.removeLast() }
        return place
    }

    /// Decodes percent-encoded unreserved characters, and converts the digits of other encodings to upper case.
    private static func encodedAlike(_ text: Substring) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "%")) else { return String(text) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = value(bytes[index + 1]),
                let low = value(bytes[index + 2])
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let byte = high << 4 | low
            if isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), upper(bytes[index + 1]), upper(bytes[index + 2])]
            }
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }

    private static func upper(_ digit: UInt8) -> UInt8 { digit >= 0x61 ? digit - 0x20 : digit }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        isHostByte(byte) || byte &- 0x41 < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
    }
}

extension CachePartition: RedactedStringConvertible {
    /// The name of the partition, or the beginning of its digest.
    public var description: String { text.isEmpty ? "none" : text.hasPrefix("name:") ? text.printable : String(text.prefix(15)) }
}
