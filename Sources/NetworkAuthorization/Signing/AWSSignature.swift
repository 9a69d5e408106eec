import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkPipeline
import NetworkSupport

/// The keys with which requests to AWS are signed. Descriptions contain no secrets.
public struct AWSCredentials: Sendable {
    /// The ID of the access key, which is sent with each request.
    public let accessKeyID: String
    /// The secret access key, which is never sent.
    public let secretAccessKey: String
    /// The token of temporary credentials; `nil` for permanent ones.
    public let sessionToken: String?

    /// Creates credentials. The secret access key and the token are redacted wherever they appear in texts.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
        SecretValues.insert(secretAccessKey)
        if let sessionToken { SecretValues.insert(sessionToken) }
    }
}

extension AWSCredentials: RedactedStringConvertible {
    /// The ID of the access key.
    public var description: String { "AWSCredentials(\(accessKeyID.printable))" }
}

/// Signs requests to AWS and to services with the same interface, with Signature Version 4.
///
/// ```swift
/// let s3 = AWSSignature(credentials: keys, region: "eu-central-1", service: "s3")
/// let pipeline = RequestPipeline { $0.authentication = .signing(s3, for: api) }
/// ```
///
/// The signature covers the method, the URL, the body, and all header fields that the request has when it is sent, except those that proxies
/// may change (`Accept-Encoding`, `Connection`, `Expect`, `TE`, `Traceparent`, `Tracestate`, `Transfer-Encoding`, `Upgrade`,
/// `User-Agent`, `X-Amzn-Trace-Id`). It adds `X-Amz-Date`, for S3 and bodies that are not covered `X-Amz-Content-Sha256`, and for
/// temporary credentials `X-Amz-Security-Token`. A request that has `X-Amz-Content-Sha256` already keeps it, and its value, such as a digest or
/// `UNSIGNED-PAYLOAD`, is signed in place of the body's digest. A `+` in a query is signed as a plus sign, not as a space.
///
/// Source: "Create a signed AWS API request", AWS IAM User Guide.
public struct AWSSignature: Sendable {
    /// Whether the signature covers the body.
    public enum Payload: Sendable, Hashable {
        /// The body is covered. A file or a stream is read once more before it is sent; a stream that can be read only once is an error.
        case signed
        /// The body is not covered, which services allow over https only.
        case unsigned
    }

    /// The region of the service, such as `eu-central-1`.
    public let region: String
    /// The name of the service, such as `s3`, `execute-api` or `dynamodb`.
    public let service: String
    /// Whether the signature covers the body.
    public let payload: Payload
    private let makeCredentials: @Sendable () async throws -> AWSCredentials
    private let now: @Sendable () -> Date

    /// Creates a signature with constant credentials.
    ///
    /// - Parameters:
    ///   - credentials: The keys.
    ///   - region: The region of the service, such as `eu-central-1`.
    ///   - service: The name of the service, such as `s3`.
    ///   - payload: Whether the signature covers the body. Default: ``Payload/signed``.
    ///   - now: The date of the signature. Services accept a difference of about 5 minutes. Default: the system's clock.
    public init(
        credentials: AWSCredentials, region: String, service: String, payload: Payload = .signed,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(region: region, service: service, payload: payload, now: now) { credentials }
    }

    /// Creates a signature whose credentials are requested for each attempt.
    ///
    /// - Parameters:
    ///   - region: The region of the service, such as `eu-central-1`.
    ///   - service: The name of the service, such as `s3`.
    ///   - payload: Whether the signature covers the body. Default: ``Payload/signed``.
    ///   - now: The date of the signature. Default: the system's clock.
    ///   - credentials: Returns the credentials. Called once per attempt, on the caller's task, so it should keep them until they expire. An
    ///     error that it throws becomes ``NetworkCore/TransportError/Code/authenticationFailed``.
    public init(
        region: String, service: String, payload: Payload = .signed, now: @escaping @Sendable () -> Date = { Date() },
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.region = region
        self.service = service
        self.payload = payload
        self.now = now
        makeCredentials = credentials
    }

    /// Returns a URL that contains the signature, with which anybody can send the request until it expires.
    ///
    /// The URL is a secret as long as it is valid. Only the method, the URL and `Host` are covered; header fields and the body are not.
    ///
    /// - Parameters:
    ///   - request: The request, of which the method and the URL are used.
    ///   - duration: How long the URL is valid: 1 second to 7 days, in whole seconds, rounded down. Default: 15 minutes.
    /// - Throws: ``NetworkCore/TransportError/Code/invalidConfiguration`` for another duration;
    ///   ``NetworkCore/TransportError/Code/authenticationFailed`` if there are no credentials.
    public func presignedURL(for request: NetworkRequest, validFor duration: Duration = .seconds(900))
        async throws -> URL
    {
        let seconds = duration.bounded.components.seconds
        guard (1...604_800).contains(seconds) else {
            throw TransportError(
                .invalidConfiguration, "presignedURL: the duration is not between 1 and 604800 seconds", request: request)
        }
        let key = AWSSigningKey(try await credentials(for: request), self, at: now())
        var query = [
            ("X-Amz-Algorithm", AWSSigningKey.algorithm), ("X-Amz-Credential", key.credential), ("X-Amz-Date", key.time),
            ("X-Amz-Expires", "\(seconds)"), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = key.credentials.sessionToken { query.append(("X-Amz-Security-Token", token)) }
        let text = request.urlText.prefix { $0 != "#" }
        let added = query.map { "\($0)=\(PercentEncoding.encoded($1.utf8))" }.joined(separator: "&")
        var signed = request
        signed.headers = [:]
        signed.body = nil
        guard let url = URL(string: text + (text.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + added) else {
            throw TransportError(.invalidRequest, "the URL cannot be signed", request: request)
        }
        signed.url = url
        // Other services than S3 use the digest of an empty body.
        let digest = isS3 ? AWSCanonicalRequest.unsignedPayload : AWSCanonicalRequest.emptyPayload
        let canonical = AWSCanonicalRequest(signed, payload: digest, isS3: isS3)
        let result = URL(string: url.absoluteString + "&X-Amz-Signature=" + key.signature(of: canonical))
        return result ?? url
    }

    /// Whether the service is S3, whose canonical form is different.
    fileprivate var isS3: Bool { service.begins(with: "s3") }

    func credentials(for request: NetworkRequest) async throws(TransportError) -> AWSCredentials {
        try await request.obtaining("the credentials") { try await makeCredentials() }
    }

    /// Returns what signs requests to an origin with these credentials.
    func prover(_ credentials: AWSCredentials, for request: NetworkRequest) -> any RequestProver {
        AWSProver(
            signature: self, credentials: credentials, origin: request.origin,
            payload: CallersField("X-Amz-Content-Sha256", of: request), now: now)
    }
}

/// Signs each request to an origin.
private struct AWSProver: RequestProver {
    let signature: AWSSignature
    let credentials: AWSCredentials
    let origin: String
    let payload: CallersField
    let now: @Sendable () -> Date

    func bodyDigest(of request: NetworkRequest) async throws(TransportError) -> String? {
        guard signature.payload == .signed, payload.value(for: request) == nil, let body = request.body else { return nil }
        guard body.isReplayable else {
            throw TransportError(
                .authenticationFailed,
                "a body that can be read only once cannot be signed (AWSSignature.payload); send it as .unsigned over https",
                request: request)
        }
        return try await body.digest(SHA256.self, for: request).hexadecimal
    }

    func prove(_ request: inout NetworkRequest, bodyDigest: String?) throws(TransportError) {
        guard request.origin == origin else { return }
        let key = AWSSigningKey(credentials, signature, at: now())
        let own =
            signature.payload == .unsigned
            ? AWSCanonicalRequest.unsignedPayload : bodyDigest ?? AWSCanonicalRequest.emptyPayload
        let payload = payload.value(for: request) ?? own
        request.headers["Authorization"] = nil
        request.headers["X-Amz-Date"] = key.time
        request.headers[self.payload.name] =
            self.payload.value(for: request) != nil || signature.isS3 || signature.payload == .unsigned ? payload : nil
        if let token = credentials.sessionToken { request.headers["X-Amz-Security-Token"] = token }
        let canonical = AWSCanonicalRequest(request, payload: payload, isS3: signature.isS3)
        request.headers["Authorization"] = """
            \(AWSSigningKey.algorithm) Credential=\(key.credential), SignedHeaders=\(canonical.signedNames), \
            Signature=\(key.signature(of: canonical))
            """
    }
}
