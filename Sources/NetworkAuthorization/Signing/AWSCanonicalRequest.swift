import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A request in the canonical form of Signature Version 4, whose digest is signed.
struct AWSCanonicalRequest {
    /// The text instead of a digest for a body that is not covered.
    static let unsignedPayload = "UNSIGNED-PAYLOAD"
    /// The digest of an empty body.
    static let emptyPayload = SHA256.digest(of: "".utf8).hexadecimal

    /// The fields that are not covered, because the engine adds them or proxies may change them.
    private static let unsignedNames: Set<String> = [
        "accept-encoding", "authorization", "connection", "expect", "te", "traceparent", "tracestate", "transfer-encoding",
        "upgrade",
        "user-agent", "x-amzn-trace-id",
    ]

    /// The canonical form.
    let text: String
    /// The names of the covered fields, in lower case, separated by semicolons.
    let signedNames: String

    /// Creates the canonical form.
    ///
    /// - Parameters:
    ///   - payload: The digest of the body in hexadecimal, or ``unsignedPayload``.
    ///   - isS3: Whether the path is that of S3, which is encoded once and not simplified.
    init(_ request: NetworkRequest, payload: String, isS3: Bool) {
        let target = request.target
        let (path, query) = target.divided(at: "?") ?? (target[...], "")
        var fields = ["host": [request.headers["Host"] ?? request.host]]
        for field in request.headers {
            let name = field.name.lowercased()
            if name != "host", !Self.unsignedNames.contains(name) { fields[name, default: []].append(field.value) }
        }
        let names = fields.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        signedNames = names.joined(separator: ";")
        let lines = names.map { name in
            "\(name):\((fields[name] ?? []).map(Self.canonicalValue).joined(separator: ","))\n"
        }
        text = """
            \(request.method.rawValue)
            \(isS3 ? Self.pathOfS3(path) : Self.path(path))
            \(Self.query(query))
            \(lines.joined())
            \(signedNames)
            \(payload)
            """
    }

    private static func canonicalValue(_ value: String) -> String {
        value.utf8.split { $0.isSpaceOrTab }.map { String(Substring($0)) }.joined(separator: " ")
    }

    private static func pathOfS3(_ path: Substring) -> String {
        PercentEncoding.encoded(PercentEncoding.decodedBytes(path), keeping: "/")
    }

    /// The path without `.`, `..` and empty segments, encoded once more.
    private static func path(_ path: Substring) -> String {
        var segments: [Substring] = []
        for segment in path.parts(at: "/") where !segment.isEmpty && segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let end = path.ends(with: "/") && !segments.isEmpty ? "/" : ""
        return PercentEncoding.encoded(("/" + segments.joined(separator: "/") + end).utf8, keeping: "/")
    }

    /// The items in the order of their names and values.
    private static func query(_ query: Substring) -> String {
        guard !query.isEmpty else { return "" }
        let items = query.parts(at: "&").filter { !$0.isEmpty }.map { item in
            let (name, value) = item.divided(at: "=") ?? (item, "")
            return [name, value].map { PercentEncoding.encoded(PercentEncoding.decodedBytes($0)) }
        }
        let sorted = items.sorted { left, right in
            left[0] == right[0]
                ? left[1].utf8.lexicographicallyPrecedes(right[1].utf8) : left[0].utf8.lexicographicallyPrecedes(right[0].utf8)
        }
        return sorted.map { $0.joined(separator: "=") }.joined(separator: "&")
    }
}

/// A key that is derived for one day, region and service.
struct AWSSigningKey {
    static let algorithm = "AWS4-HMAC-SHA256"

    let credentials: AWSCredentials
    /// The time of the signature, such as `20150830T123600Z`.
    let time: String
    private let scope: String
    @Secret private var key: [UInt8]

    init(_ credentials: AWSCredentials, _ signature: AWSSignature, at date: Date) {
        self.credentials = credentials
        time = HTTPDate(date).basicFormat
        let day = String(time.prefix(8))
        scope = "\(day)/\(signature.region)/\(signature.service)/aws4_request"
        key = [day, signature.region, signature.service, "aws4_request"].reduce(Array("AWS4\(credentials.secretAccessKey)".utf8))
        {
            HMAC<SHA256>.code(of: $1.utf8, key: $0)
        }
    }

    /// The ID of the key, and the day, region and service.
    var credential: String { "\(credentials.accessKeyID)/\(scope)" }

    /// Returns the signature of a request in hexadecimal.
    func signature(of request: AWSCanonicalRequest) -> String {
        let digest = SHA256.digest(of: request.text.utf8).hexadecimal
        return HMAC<SHA256>.code(of: "\(Self.algorithm)\n\(time)\n\(scope)\n\(digest)".utf8, key: key).hexadecimal
    }
}
