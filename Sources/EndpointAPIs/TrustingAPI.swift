import Endpoints
import NetworkCore
import NetworkSupport

/// An ``API`` that states the trust policy for its host.
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
/// A policy is loaded once, when the session manager is created; ``NetworkCore/SessionConfiguration/init(trusting:change:)`` takes it from
/// the API. The session managers of this package reject a request whose API states another policy than they have for its host,
/// and one over `http`, with ``NetworkCore/TransportError/Code/trustUnavailable`` before a byte is sent. So a policy that was not passed to
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

extension SessionConfiguration {
    /// Creates a configuration with the trust policies of these APIs for their hosts in ``NetworkCore/SessionConfiguration/trustByHost``.
    ///
    /// - Parameters:
    ///   - apis: One API for each host: `SessionConfiguration(trusting: MoviesAPI.popular, UsersAPI.all)`.
    ///   - change: Changes the default configuration. Called once, before the policies are added and the initializer returns.
    /// - Throws: ``NetworkCore/TransportError/Code/trustUnavailable`` if a host is invalid, or has two different policies.
    public init(
        trusting apis: any TrustingAPI..., change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws {
        self.init(change)
        for api in apis { try takeOver(api.host, api.trust) }
    }

    private mutating func takeOver(_ host: String, _ policy: TrustPolicy) throws(TransportError) {
        guard let name = HostName.canonical(host[...]) else {
            throw TrustError("not a host name; international names are written in ASCII, without a port").transportError(
                of: "the trust of \"\(host.printable)\"")
        }
        for (key, other) in trustByHost where HostName.canonical(key[...]) == name {
            guard other == policy else {
                throw TrustError("there is another policy for the same host").transportError(of: "the trust of \"\(name)\"")
            }
            return
        }
        trustByHost[name] = policy
    }
}
