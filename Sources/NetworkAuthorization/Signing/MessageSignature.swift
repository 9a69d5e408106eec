import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// Signs requests with HMAC SHA-256 over chosen components (HTTP message signatures, RFC 9421).
///
/// ```swift
/// let hmac = MessageSignature(
///     keyID: "shop", key: key, components: [.method, .targetURI, .contentDigest])
/// let pipeline = RequestPipeline { $0.authentication = .signing(hmac, for: api) }
/// ```
///
/// It adds its signature to `Signature-Input` and `Signature`, in which those with other labels are kept, and sets `Content-Digest` (RFC 9530) if
/// that is covered and the request has a body, and no such field. Descriptions contain no secrets.
public struct MessageSignature: Sendable {
    /// A part of the request that the signature covers (RFC 9421 §2).
    public struct Component: Sendable, Hashable {
        fileprivate enum Source: Sendable, Hashable {
            case method, targetURI, authority, scheme, requestTarget, path, query, contentDigest
            case field(String)
        }

        fileprivate let source: Source

        /// The method (§2.2.1).
        public static let method = Component(source: .method)
        /// The whole URL without the fragment (§2.2.2).
        public static let targetURI = Component(source: .targetURI)
        /// The host in lower case, with the port unless it is that of the scheme (§2.2.3).
        public static let authority = Component(source: .authority)
        /// The scheme (§2.2.4).
        public static let scheme = Component(source: .scheme)
        /// The path and the query (§2.2.5).
        public static let requestTarget = Component(source: .requestTarget)
        /// The path (§2.2.6).
        public static let path = Component(source: .path)
        /// The query with its question mark (§2.2.7).
        public static let query = Component(source: .query)
        /// The SHA-256 of the body, which is sent as `Content-Digest` (RFC 9530 §2), or the field that the request has already. Not covered if
        /// the request has neither.
        ///
        /// A file or a stream is read once more before it is sent; a stream that can be read only once is an error.
        public static let contentDigest = Component(source: .contentDigest)

        /// A header field of the request (§2.1). A request without it is an error, also for fields that the engine adds.
        public static func field(_ name: HeaderName) -> Component { Component(source: .field(name.rawValue)) }
    }

    /// The name of the key, which is sent with each request.
    public let keyID: String
    /// The components that are covered, in this order.
    public let components: [Component]
    /// The name of the signature in its fields: lower-case letters, digits, `_`, `-`, `.` and `*`, beginning with a letter or `*`.
    public let label: String
    /// How long the signature is valid, in whole seconds; `nil` for no limit.
    public let lifetime: Duration?
    /// The name of the application for which it is made; `nil` for none.
    public let tag: String?
    @Secret private var key: [UInt8]
    private let now: @Sendable () -> Date
    private let addsNonce: Bool

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - keyID: The name of the key: visible ASCII characters and spaces.
    ///   - key: The shared secret. At least 32 bytes are recommended (RFC 9421 §7.3.2).
    ///   - components: The components that are covered. Default: method, URL and the digest of the body.
    ///   - label: The name of the signature. Default: `sig1`.
    ///   - lifetime: How long the signature is valid, at least one second. Default: `nil`, no limit.
    ///   - tag: The name of the application: visible ASCII characters and spaces. Default: none.
    ///   - addsNonce: Whether each signature has 16 random bytes, by which the server recognizes a replay. Default: `false`.
    ///   - now: The date of the signature. Default: the system's clock.
    public init(
        keyID: String, key: Data, components: [Component] = [.method, .targetURI, .contentDigest], label: String = "sig1",
        lifetime: Duration? = nil, tag: String? = nil, addsNonce: Bool = false, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.keyID = keyID
        self.key = Array(key)
        self.components = components
        self.label = label
        self.lifetime = lifetime
        self.tag = tag
        self.now = now
        self.addsNonce = addsNonce
    }

    /// A text that is equal for equal keys.
    var identity: String { "Signature \(keyID) \(HMAC<SHA256>.code(of: "identity".utf8, key: key).hexadecimal)" }

    /// Throws if a parameter cannot be written.
    func validate(for request: NetworkRequest) throws(TransportError) {
        func fail(_ field: String, _ reason: String) -> TransportError {
            TransportError(.invalidConfiguration, "MessageSignature.\(field) \(reason)", request: request)
        }
        for (name, text) in [("keyID", keyID), ("tag", tag ?? "")] where !text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
            throw fail(name, "contains other characters than visible ASCII and spaces (RFC 9651 §3.3.3)")
        }
        let isKey = label.utf8.allSatisfy { byte in byte.isDigit || byte &- 0x61 < 26 || "_-.*".utf8.contains(byte) }
        guard isKey, let first = label.utf8.first, first &- 0x61 < 26 || first == UInt8(ascii: "*") else {
            throw fail("label", "is not a key of a dictionary (RFC 9651 §3.2)")
        }
        guard Set(components).count == components.count else {
            throw fail("components", "contains a component twice (RFC 9421 §2)")
        }
        if let lifetime, !(1..<1_000_000_000).contains(lifetime.bounded.components.seconds) {
            throw fail("lifetime", "is not between 1 and 999999999 seconds")
        }
    }

    func prover(for request: NetworkRequest) -> any RequestProver {
        MessageProver(signature: self, origin: request.origin, digest: CallersField("Content-Digest", of: request))
    }

    /// Sets the fields of the signature.
    fileprivate func sign(_ request: inout NetworkRequest, contentDigest: String?) throws(TransportError) {
        if components.contains(.contentDigest) { request.headers["Content-Digest"] = contentDigest }
        var base = ""
        var names: [String] = []
        for component in components {
            guard let (name, value) = try line(component, of: request) else { continue }
            names.append("\"\(name)\"")
            base += "\"\(name)\": \(value)\n"
        }
        let created = Int64(now().timeIntervalSince1970.clamped(to: 0...Double(Int32.max) * 4, nan: 0))
        var parameters = "(\(names.joined(separator: " ")));created=\(created)"
        if let lifetime { parameters += ";expires=\(created + lifetime.bounded.components.seconds)" }
        if addsNonce { parameters += ";nonce=\"\(String.randomHexadecimal)\"" }
        parameters += ";keyid=\(Self.quoted(keyID));alg=\"hmac-sha256\""
        if let tag { parameters += ";tag=\(Self.quoted(tag))" }
        base += "\"@signature-params\": \(parameters)"
        let code = Data(HMAC<SHA256>.code(of: base.utf8, key: key)).base64EncodedString()
        for (name, value) in [("Signature-Input", parameters), ("Signature", ":\(code):")] {
            request.headers[name] = (others(in: request.headers.values(for: name)) + ["\(label)=\(value)"]).joined(
                separator: ", ")
        }
    }

    /// Returns the signatures with other labels, as they are written.
    private func others(in fields: [String]) -> [Substring] {
        fields.flatMap { field in
            var scanner = FieldScanner(field[...])
            var members: [Substring] = []
            while let member = scanner.takePart(endingAt: ",") {
                let key = Substring(member.utf8.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }).trimmed
                if !key.isEmpty, key != label { members.append(member) }
            }
            return members
        }
    }

    /// Returns the name and the value of a component; `nil` if it is not covered.
    private func line(
        _ component: Component, of request: NetworkRequest
    ) throws(TransportError) -> (name: String, value: String)? {
        let scheme = request.isSecure ? "https" : "http"
        let target = request.target
        let parts = target.divided(at: "?")
        switch component.source {
        case .method: return ("@method", request.method.rawValue)
        case .targetURI: return ("@target-uri", "\(scheme)://\(request.host)\(target)")
        case .authority: return ("@authority", (request.headers["Host"] ?? request.host).lowercased())
        case .scheme: return ("@scheme", scheme)
        case .requestTarget: return ("@request-target", target)
        case .path: return ("@path", String(parts?.head ?? target[...]))
        case .query: return ("@query", "?" + (parts?.tail ?? ""))
        case .contentDigest: return request.headers["Content-Digest"].map { ("content-digest", $0) }
        case .field(let name):
            let values = request.headers.values(for: name)
            guard !values.isEmpty else {
                throw TransportError(
                    .authenticationFailed, "the signature covers \(name.printable), which the request does not have",
                    request: request)
            }
            return (name.lowercased(), values.map { String(Substring($0).trimmed) }.joined(separator: ", "))
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"") + "\""
    }
}

extension MessageSignature: RedactedStringConvertible {
    /// The name of the key.
    public var description: String { "MessageSignature(\(keyID.printable))" }
}

/// Signs each request to an origin.
private struct MessageProver: RequestProver {
    let signature: MessageSignature
    let origin: String
    let digest: CallersField

    func bodyDigest(of request: NetworkRequest) async throws(TransportError) -> String? {
        guard signature.components.contains(.contentDigest), digest.value(for: request) == nil, let body = request.body else {
            return nil
        }
        guard body.isReplayable else {
            throw TransportError(
                .authenticationFailed, "a body that can be read only once cannot be covered by a signature (contentDigest)",
                request: request)
        }
        return Data(try await body.digest(SHA256.self, for: request)).base64EncodedString()
    }

    func prove(_ request: inout NetworkRequest, bodyDigest: String?) throws(TransportError) {
        guard request.origin == origin else { return }
        try signature.sign(&request, contentDigest: digest.value(for: request) ?? bodyDigest.map { "sha-256=:\($0):" })
    }
}
