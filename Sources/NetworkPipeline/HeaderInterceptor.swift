import Endpoints
import Foundation
import NetworkCore

/// Asks for header fields before each attempt: a session's number, a locale that may change, a signature.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.retry(), .headers(for: api) { _ in ["X-Session": try await sessions.current()] }]
/// ```
///
/// They take the place of fields of the same name. Requests to other origins are let through as they are: what a field holds is nobody
/// else's business.
public struct HeaderInterceptor: NetworkInterceptor {
    private let origins: [String]
    private let headers: @Sendable (NetworkRequest) async throws -> HTTPHeaders

    /// - Parameters:
    ///   - origins: Only scheme, host and port count (RFC 6454 §4).
    ///   - headers: Asked for each attempt, with the request as it would be sent, on the caller's task.
    public init(origins: [URL], headers: @escaping @Sendable (NetworkRequest) async throws -> HTTPHeaders) {
        self.origins = origins.map(URLText.origin)
        self.headers = headers
    }

    /// Adds the fields.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/interceptorFailed`` when the closure throws, with its error as the underlying one, or
    ///   the error itself where it is a ``NetworkCore/TransportError``; ``NetworkCore/TransportError/Code/cancelled`` when the task was.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard origins.contains(request.origin) else { return try await next(request) }
        var request = request
        do {
            let added = try await headers(request)
            request.headers = request.headers.replacing(with: added)
            for field in added where !HTTPHeaders.isHarmless(field.name) { request.markCredential(header: field.name) }
        } catch let error as TransportError {
            throw error
        } catch is CancellationError {
            throw TransportError(.cancelled, "called off while header fields were asked for", request: request)
        } catch {
            throw TransportError(
                .interceptorFailed, "there are no header fields (\(type(of: error)))", request: request, underlying: error)
        }
        return try await next(request)
    }
}

extension NetworkInterceptor where Self == HeaderInterceptor {
    /// Asks for header fields before each attempt, for the origin of a configuration's base URL.
    public static func headers(
        for api: any NetworkConfigurable, _ headers: @escaping @Sendable (NetworkRequest) async throws -> HTTPHeaders
    ) -> HeaderInterceptor {
        HeaderInterceptor(origins: [api.baseURL], headers: headers)
    }
}

/// Gives each POST and PATCH an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07), once per call: a server that heeds it does the work once,
/// however often the request comes, and so a retry may repeat it.
///
/// Stands before the retry. Only for servers that heed the field. A request that has a key already keeps it.
public struct IdempotencyKeyInterceptor: NetworkInterceptor {
    private let makeKey: @Sendable () -> String

    /// - Parameter makeKey: A random UUID unless given. At most 255 printable ASCII characters other than `"` and `\`.
    public init(makeKey: @escaping @Sendable () -> String = { UUID().uuidString }) {
        self.makeKey = makeKey
    }

    /// Adds the key, as a string of structured fields (RFC 9651 §3.3.3).
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
    /// Gives each POST and PATCH an `Idempotency-Key`.
    public static var idempotencyKeys: IdempotencyKeyInterceptor { IdempotencyKeyInterceptor() }
}
