import Endpoints
import Foundation
import NetworkCore

/// Puts credentials into requests to the origins they are for, and into no others.
///
/// ```swift
/// let interceptors: [any NetworkInterceptor] = [.retry(), .authentication(.bearer(token), for: api)]
/// ```
///
/// A request that carries an `Authorization` of its own is let through as it is, and so are requests to another origin and those of endpoints
/// that say that they need none (``Endpoints/Requestable/requiresAuthentication``). Where credentials can be refreshed, a response with status
/// 401 (RFC 9110 §15.5.2) from that origin makes the request go out once more with newer ones; a second 401 is the result, and so is the first
/// where the body can be read only once, or where the credentials were set anew since.
public struct AuthenticationInterceptor: NetworkInterceptor {
    private enum Source {
        case each(@Sendable (NetworkRequest) async throws -> Credential?)
        case refreshing(RefreshingCredentials)
    }

    private let source: Source
    private let origins: [String]

    /// The same credential for every request.
    ///
    /// - Parameter origins: Only scheme, host and port count (RFC 6454 §4).
    public init(_ credential: Credential, origins: [URL]) {
        self.init(origins: origins) { _ in credential }
    }

    /// - Parameter credential: Asked for each attempt, on the caller's task; `nil` sends the request without. What it throws becomes
    ///   ``NetworkCore/TransportError/Code/authenticationFailed``.
    public init(origins: [URL], credential: @escaping @Sendable (NetworkRequest) async throws -> Credential?) {
        source = .each(credential)
        self.origins = origins.map(URLText.origin)
    }

    /// Credentials that are refreshed when they have ended, or a server refuses them.
    public init(_ credentials: RefreshingCredentials, origins: [URL]) {
        source = .refreshing(credentials)
        self.origins = origins.map(URLText.origin)
    }

    /// Sends the request with a credential, and once more with a newer one where it was refused.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/authenticationFailed`` where there is no credential to be had; else what `next` throws.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard origins.contains(request.origin), request.requiresAuthentication, !request.headers.contains("Authorization") else {
            return try await next(request)
        }
        switch source {
        case .each(let credential):
            guard let credential = try await Self.credential(credential, for: request) else { return try await next(request) }
            return try await next(credential.applied(to: request))
        case .refreshing(let credentials):
            if credentials.isRefreshingHere { return try await next(request) }
            let generation = try await credentials.current(for: request)
            let response = try await next(generation.credential.applied(to: request))
            guard response.statusCode == 401, request.isAnswered(by: response.url), request.body?.isReplayable ?? true,
                credentials.isCurrent(generation)
            else { return response }
            response.stream?.stop()
            let newer = try await credentials.newer(than: generation, for: request)
            return try await next(newer.credential.applied(to: request))
        }
    }

    private static func credential(
        _ make: @Sendable (NetworkRequest) async throws -> Credential?, for request: NetworkRequest
    ) async throws(TransportError) -> Credential? {
        do {
            return try await make(request)
        } catch let error as TransportError {
            throw error
        } catch is CancellationError {
            throw TransportError(.cancelled, "called off while credentials were asked for", request: request)
        } catch {
            throw TransportError(
                .authenticationFailed, "there are no credentials (\(type(of: error)))", request: request, underlying: error)
        }
    }
}

extension NetworkInterceptor where Self == AuthenticationInterceptor {
    /// The same credential for every request to the origin of a configuration's base URL.
    public static func authentication(_ credential: Credential, for api: any NetworkConfigurable) -> AuthenticationInterceptor {
        AuthenticationInterceptor(credential, origins: [api.baseURL])
    }

    /// Credentials that are refreshed, for the origin of a configuration's base URL.
    public static func authentication(
        _ credentials: RefreshingCredentials, for api: any NetworkConfigurable
    ) -> AuthenticationInterceptor {
        AuthenticationInterceptor(credentials, origins: [api.baseURL])
    }
}
