import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// An interceptor that gets header fields from a closure before each attempt.
///
/// Examples are a session ID, a locale that may change, and a signature.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [
///     .retry(), .headers(for: api) { _ in ["X-Session": try await session.id] },
/// ]
/// ```
///
/// The fields replace those of the same name. Requests to other origins are sent unchanged, because the fields may be
/// confidential.
public struct HeaderInterceptor: NetworkInterceptor {
    private let origins: [String]
    private let headers: @Sendable (NetworkRequest) async throws -> HeaderFields

    /// Creates an interceptor that adds fields to requests to certain origins.
    ///
    /// - Parameters:
    ///   - origins: URLs of the origins that receive the fields. Only scheme, host and port are compared (RFC 6454 §4).
    ///   - headers: Returns the fields. Called once per attempt, on the caller's task, with the request as it would be sent.
    public init(origins: [URL], headers: @escaping @Sendable (NetworkRequest) async throws -> HeaderFields) {
        self.origins = origins.map(URLText.origin)
        self.headers = headers
    }

    /// Adds the header fields and sends the request.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/interceptorFailed`` if the closure throws, with its error as the
    ///   underlying one; a ``NetworkCore/TransportError`` of the closure is thrown unchanged.
    ///   ``NetworkCore/TransportError/Code/cancelled`` if the closure throws `CancellationError`. Otherwise what `next`
    ///   throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard origins.contains(request.origin) else { return try await next(request) }
        var request = request
        let added = try await request.obtaining("the header fields", failingWith: .interceptorFailed) { [request] in
            try await headers(request)
        }
        request.headers = request.headers.replacing(with: added)
        for field in added where !HeaderFields.isHarmless(field.name) && !HeaderFields.identifiesRequest(field.name) {
            request.markCredential(for: field.name)
        }
        return try await next(request)
    }
}

extension NetworkInterceptor where Self == HeaderInterceptor {
    /// Gets header fields from a closure before each attempt, for the origin of a configuration's base URL.
    public static func headers(
        for api: any NetworkConfigurable, _ headers: @escaping @Sendable (NetworkRequest) async throws -> HeaderFields
    ) -> HeaderInterceptor {
        HeaderInterceptor(origins: [api.baseURL], headers: headers)
    }
}

/// An interceptor that adds an `Idempotency-Key` to each POST and PATCH request (draft-ietf-httpapi-idempotency-key-header-07).
///
/// The key is the same in all attempts of a call. A server that supports the field processes the request once, however often
/// it is sent, so that it can be retried. Place it before the retry interceptor, and use it only for servers that support
/// the field. A request that already has a key keeps it.
public struct IdempotencyKeyInterceptor: NetworkInterceptor {
    private let makeKey: @Sendable () -> String

    /// Creates an interceptor that gets its keys from a closure.
    ///
    /// - Parameter makeKey: Returns a key, called once per call. Default: a random UUID. A key has at most 255 printable
    ///   ASCII characters other than `"` and `\`.
    public init(makeKey: @escaping @Sendable () -> String = { UUID().uuidString }) {
        self.makeKey = makeKey
    }

    /// Adds the key, serialized as a string of structured fields (RFC 9651 §3.3.3).
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard request.method == .post || request.method == .patch, !request.headers.contains("Idempotency-Key") else {
            return try await next(request)
        }
        var request = request
        request.headers.set("\"\(makeKey())\"", for: "Idempotency-Key")
        return try await next(request)
    }
}

extension NetworkInterceptor where Self == IdempotencyKeyInterceptor {
    /// Adds an `Idempotency-Key` with a random UUID to each POST and PATCH request.
    public static var idempotencyKeys: IdempotencyKeyInterceptor { IdempotencyKeyInterceptor() }
}

extension HeaderInterceptor: RedactedStringConvertible {}

extension IdempotencyKeyInterceptor: RedactedStringConvertible {}
