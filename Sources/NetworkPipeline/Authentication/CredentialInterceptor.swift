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
public struct CredentialInterceptor: PhasedInterceptor {
    private enum Source {
        case constant(Credential)
        case each(@Sendable (NetworkRequest) async throws -> Credential?)
        case refreshing(RefreshingCredentials)
    }

    private let source: Source
    private let origins: [String]

    /// Creates an interceptor that adds the same credential to every request.
    ///
    /// - Parameters:
    ///   - credential: The credential to add.
    ///   - origins: URLs of the origins that receive it. Only scheme, host and port are compared (RFC 6454 §4).
    public init(_ credential: Credential, origins: [URL]) {
        source = .constant(credential)
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
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await inPhases(request, next: next)
    }

    package func prepare(_ request: inout NetworkRequest) throws(TransportError) -> InterceptorState? {
        guard request.needsCredentials(for: origins) else { return .unconcerned }
        switch source {
        case .constant(let credential):
            request = try credential.applied(to: request)
            return .unconcerned
        case .each: return nil
        case .refreshing(let credentials):
            if credentials.isRefreshingHere { return .unconcerned }
            guard let generation = credentials.currentIfValid else { return nil }
            return try Self.apply(generation, to: &request)
        }
    }

    package func prepareWaiting(_ request: inout NetworkRequest) async throws(TransportError) -> InterceptorState {
        switch source {
        case .constant: return .unconcerned
        case .each(let credential):
            if let credential = try await request.obtaining("the credentials", { [request] in try await credential(request) }) {
                request = try credential.applied(to: request)
            }
            return .unconcerned
        case .refreshing(let credentials):
            return try Self.apply(try await credentials.current(for: request), to: &request)
        }
    }

    private static func apply(
        _ generation: RefreshingCredentials.Generation, to request: inout NetworkRequest
    ) throws(TransportError) -> InterceptorState {
        let received = request
        request = try generation.credential.applied(to: request)
        return .changed(received, using: generation)
    }

    package func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        guard response.statusCode == 401, case .refreshing(let credentials) = source, case .changed(_, let object) = state,
            let generation = object as? RefreshingCredentials.Generation
        else { return true }
        let isRejected =
            request.hasOrigin(of: response.lazyURL) && request.mayBeSentAgain(after: response)
            && credentials.isCurrent(generation)
        return !isRejected
    }

    package func proceed(
        from state: InterceptorState, after result: Result<NetworkResponse, TransportError>, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        let response = try result.get()
        guard case .refreshing(let credentials) = source, case .changed(let request, let object) = state,
            let generation = object as? RefreshingCredentials.Generation
        else { return response }
        response.body.stop()
        let newer = try await credentials.newer(than: generation, for: request)
        return try await next(newer.credential.applied(to: request))
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
