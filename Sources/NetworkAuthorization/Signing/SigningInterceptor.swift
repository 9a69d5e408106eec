import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkPipeline

/// An interceptor that signs requests to certain origins, and no others: with ``AWSSignature`` or ``MessageSignature``.
///
/// ```swift
/// let pipeline = RequestPipeline { $0.authentication = .signing(s3, for: api) }
/// ```
///
/// Wherever it is in the list, the signature is made in the last step before each attempt, when no interceptor changes the request any
/// more, and made again for a redirect within the origin. Caches and coalescing distinguish requests by the keys, not by the
/// signatures. Requests to other origins, requests that already have an `Authorization` field, and requests of endpoints that need no
/// authentication (``Endpoints/RequestDescription/requiresAuthentication``) are sent unchanged.
public struct SigningInterceptor: NetworkInterceptor {
    private enum Signature {
        case aws(AWSSignature)
        case message(MessageSignature)
    }

    private let signature: Signature
    private let origins: [String]

    /// Creates an interceptor that signs requests to AWS.
    ///
    /// - Parameters:
    ///   - signature: Makes the signatures.
    ///   - origins: URLs of the origins to which requests are signed. Only scheme, host and port are compared (RFC 6454 §4).
    public init(_ signature: AWSSignature, origins: [URL]) {
        self.signature = .aws(signature)
        self.origins = origins.map(URLText.origin)
    }

    /// Creates an interceptor that signs requests as RFC 9421 describes.
    ///
    /// - Parameters:
    ///   - signature: Makes the signatures.
    ///   - origins: URLs of the origins to which requests are signed. Only scheme, host and port are compared (RFC 6454 §4).
    public init(_ signature: MessageSignature, origins: [URL]) {
        self.signature = .message(signature)
        self.origins = origins.map(URLText.origin)
    }

    /// Sends the request, which is signed in the last step.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/authenticationFailed`` if there are no credentials, the body can be read only once, or
    ///   the request lacks something that the signature covers; ``NetworkCore/TransportError/Code/bodyFailed`` if the body cannot be
    ///   read; otherwise what `next` throws.
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        guard request.needsCredentials(for: origins) else { return try await next(request) }
        switch signature {
        case .message(let signature):
            try signature.validate(for: request)
            request.prover = signature.prover(for: request)
            request.markProof(for: "Signature", identity: signature.identity)
        case .aws(let signature):
            let credentials = try await signature.credentials(for: request)
            request.prover = signature.prover(credentials, for: request)
            request.markProof(for: "Authorization", identity: "AWS4 \(credentials.accessKeyID)")
        }
        return try await next(request)
    }
}

extension NetworkInterceptor where Self == SigningInterceptor {
    /// Signs requests to AWS, for the origin of a configuration's base URL.
    public static func signing(_ signature: AWSSignature, for api: any NetworkConfigurable) -> SigningInterceptor {
        SigningInterceptor(signature, origins: [api.baseURL])
    }

    /// Signs requests as RFC 9421 describes, for the origin of a configuration's base URL.
    public static func signing(_ signature: MessageSignature, for api: any NetworkConfigurable) -> SigningInterceptor {
        SigningInterceptor(signature, origins: [api.baseURL])
    }
}

extension SigningInterceptor: RedactedStringConvertible {}
/// A field about the body that the caller has set, and that a signature covers as it is.
///
/// It is read before the request is signed for the first time: when a redirect is signed, the request has the field of the first signature.
struct CallersField: Sendable {
    /// The name of the field.
    let name: String
    private let value: String?
    private let method: RequestMethod

    init(_ name: String, of request: NetworkRequest) {
        self.name = name
        value = request.headers[name]
        method = request.method
    }

    /// Returns the value to send with a request, which may be the target of a redirect. It is `nil` if the caller has not set the field, or if a
    /// redirect has changed the method and thereby removed the body.
    func value(for request: NetworkRequest) -> String? { request.method == method ? value : nil }
}
