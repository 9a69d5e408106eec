import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// An interceptor that adds credentials to requests to certain origins, and to no others.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [
///     .retry(), .authentication(.bearer(token), for: api),
/// ]
/// ```
///
/// Requests to other origins, requests that already have an `Authorization` field, and requests of endpoints that need no
/// authentication (``Endpoints/RequestDescription/requiresAuthentication``) are sent unchanged. If the credentials can be refreshed
/// and the origin responds with 401 (RFC 9110 §15.5.2), the request is sent once more with newer credentials. A second 401
/// is returned to the caller. So is the first one if the body can be read only once, or if ``RefreshingCredentials/set(_:)``
/// was called in the meantime.
public struct CredentialInterceptor: NetworkInterceptor {
    private enum Source {
        case constant(RefreshingCredentials.Generation)
        case each(@Sendable (NetworkRequest) async throws -> Credential?)
        case refreshing(RefreshingCredentials)
    }

    private let source: Source
    private let origins: [String]
    private let known = AuthenticatedRequests()

    /// Creates an interceptor that adds the same credential to every request.
    ///
    /// - Parameters:
    ///   - credential: The credential to add.
    ///   - origins: URLs of the origins that receive it. Only scheme, host and port are compared (RFC 6454 §4).
    public init(_ credential: Credential, origins: [URL]) {
        source = .constant(RefreshingCredentials.Generation(number: 0, identity: 0, credential: credential))
        self.origins = origins.map(URLText.origin)
    }

    /// Creates an interceptor that gets the credential for each attempt from a closure.
    ///
    /// - Parameters:
    ///   - origins: URLs of the origins that receive it. Only scheme, host and port are compared (RFC 6454 §4).
    ///   - credential: Called once per attempt, on the caller's task; `nil` sends the request without a credential. An error
    ///     that it throws becomes ``NetworkCore/TransportError/Code/authenticationFailed``, with the error as the underlying
    ///     one; a ``NetworkCore/TransportError`` is thrown unchanged.
    public init(origins: [URL], credential: @escaping @Sendable (NetworkRequest) async throws -> Credential?) {
        source = .each(credential)
        self.origins = origins.map(URLText.origin)
    }

    /// Creates an interceptor whose credentials are refreshed when they have expired or a server rejects them.
    ///
    /// - Parameters:
    ///   - credentials: The credentials and the way to refresh them.
    ///   - origins: URLs of the origins that receive them. Only scheme, host and port are compared (RFC 6454 §4).
    public init(_ credentials: RefreshingCredentials, origins: [URL]) {
        source = .refreshing(credentials)
        self.origins = origins.map(URLText.origin)
    }

    /// Sends the request with a credential, and once more with a newer one if it was rejected.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/authenticationFailed`` if no credential can be obtained;
    ///   ``NetworkCore/TransportError/Code/timedOut`` or ``NetworkCore/TransportError/Code/cancelled`` while it waits for a
    ///   refresh; otherwise what `next` throws.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        switch source {
        case .constant(let generation): return try await next(authenticated(request, with: generation))
        case .each(let credential):
            let request = request
            guard request.needsCredentials(for: origins) else { return try await next(request) }
            let obtained = try await request.obtaining("the credentials") { try await credential(request) }
            return try await next(obtained?.applied(to: request) ?? request)
        case .refreshing(let credentials):
            if credentials.isRefreshingHere { return try await next(request) }
            let generation: RefreshingCredentials.Generation
            if let valid = credentials.currentIfValid {
                generation = valid
            } else if request.needsCredentials(for: origins) {
                generation = try await credentials.current(for: request)
            } else {
                return try await next(request)
            }
            let response = try await next(authenticated(request, with: generation))
            guard response.statusCode == 401, request.needsCredentials(for: origins), request.hasOrigin(of: response.lazyURL),
                request.mayBeSentAgain(after: response),
                credentials.isCurrent(generation)
            else { return response }
            response.body.stop()
            let newer = try await credentials.newer(than: generation, for: request)
            return try await next(newer.credential.applied(to: request))
        }
    }

    /// Returns the request with the credential, if the request needs one.
    private func authenticated(
        _ request: NetworkRequest, with generation: RefreshingCredentials.Generation
    ) throws(TransportError) -> NetworkRequest {
        if let known = known.request(for: request, with: generation) { return known }
        guard request.needsCredentials(for: origins) else { return request }
        var authenticated = try generation.credential.applied(to: request)
        known.keep(&authenticated, for: request, with: generation)
        return authenticated
    }
}

extension NetworkInterceptor where Self == CredentialInterceptor {
    /// Adds the same credential to every request to the origin of a configuration's base URL.
    public static func authentication(_ credential: Credential, for api: any NetworkConfigurable) -> CredentialInterceptor {
        CredentialInterceptor(credential, origins: [api.baseURL])
    }

    /// Adds credentials that are refreshed when necessary, for the origin of a configuration's base URL.
    public static func authentication(
        _ credentials: RefreshingCredentials, for api: any NetworkConfigurable
    ) -> CredentialInterceptor {
        CredentialInterceptor(credentials, origins: [api.baseURL])
    }
}

extension CredentialInterceptor: RedactedStringConvertible {}
