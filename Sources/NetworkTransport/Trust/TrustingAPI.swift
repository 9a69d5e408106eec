import Endpoints

/// An ``Endpoints/API`` that states the trust policy for its host.
///
/// ```swift
/// extension MoviesAPI: TrustingAPI {
///     var trust: TrustPolicy {
///         TrustPolicy(pins: [.publicKey(sha256: key), .publicKey(sha256: backup)])
///     }
/// }
///
/// let session = SocketSessionManager(
///     configuration: try SessionConfiguration(trusting: MoviesAPI.popular))
/// ```
///
/// A policy is loaded once, when the session manager is created; ``SessionConfiguration/init(trusting:change:)`` takes it from
/// the API. The session managers of this package reject a request whose API states another policy than they have for its host,
/// and one over `http`, with ``TransportError/Code/trustUnavailable`` before a byte is sent. So a policy that was not passed to
/// the session manager is detected. Redirects to other hosts are followed under the session manager's policies for those hosts.
///
/// Declare the conformance where the API itself is declared, in the same module.
public protocol TrustingAPI: API {
    /// The trust policy for the API's host.
    var trust: TrustPolicy { get }
}

extension TrustingAPI {
    /// The description of the request, which is ``composedRequest`` by default.
    public var request: RequestDescription { composedRequest }

    /// The description of the request, composed of the API's parts and its trust policy.
    public var composedRequest: RequestDescription {
        var request = requestOfParts
        request.context[StatedTrust.Key.self] = StatedTrust(host: host, policy: trust)
        return request
    }
}

/// The policy that a request's API states for its host.
struct StatedTrust: Sendable {
    enum Key: ContextKey { typealias Value = StatedTrust }

    package let host: String
    let policy: TrustPolicy
}

extension NetworkRequest {
    /// The trust policy that the request's ``TrustingAPI`` states for its host; `nil` if there is none.
    ///
    /// Code that responds to a request in place of a session manager must not return what was received under another policy.
    package var statedTrust: TrustPolicy? { context[StatedTrust.Key.self]?.policy }

    /// Checks that a session manager's policy for the request's host is the one that the request's API states.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` if they differ, if the hosts cannot be compared, or if the request is
    ///   not over `https`.
    func requireStatedTrust(_ policy: TrustPolicy) throws(TransportError) {
        guard let stated = context[StatedTrust.Key.self] else { return }
        func refusal(_ reason: String) -> TransportError { TransportError(.trustUnavailable, reason, request: self) }
        let text = URLText(url)
        guard let host = HostName.canonical(HostName.withoutPort(text.hostAndPort)),
            let statedHost = HostName.canonical(stated.host[...])
        else { throw refusal("the host is written in a form that cannot be compared with that of the API's trust policy") }
        // The request goes to another host, such as after a redirect.
        guard host == statedHost else { return }
        guard text.scheme == "https" else { throw refusal("the API states a trust policy, which cannot be enforced over http") }
        guard policy == stated.policy else {
            throw refusal("the API states a trust policy that differs from the session manager's for \(host.printable)")
        }
    }
}
