import Endpoints

/// An ``Endpoints/API`` that says whom it trusts.
///
/// ```swift
/// extension MoviesAPI: TrustingAPI {
///     var trust: TrustPolicy { TrustPolicy(pins: [.publicKey(sha256: current), .publicKey(sha256: backup)]) }
/// }
///
/// let session = CurlSessionManager(configuration: try SessionConfiguration(trusting: MoviesAPI.popular))
/// ```
///
/// A policy is loaded once, with the session manager: ``SessionConfiguration/init(trusting:_:)`` takes it over from the API. The
/// session managers of this package refuse a request whose API states another policy than they have for its host, and one over
/// `http`, with ``TransportError/Code/trustUnavailable``, before a byte is sent: a policy that was forgotten is no hole. Redirects to
/// other hosts are followed under the session manager's policies for those.
///
/// Conform where the API itself is declared, in the same module.
public protocol TrustingAPI: API {
    /// What the API's host has to show, and what is shown to it.
    var trust: TrustPolicy { get }
}

extension TrustingAPI {
    /// ``statedContext``.
    public var context: RequestContext { statedContext }

    /// Whether loggers are told, and the policy. An API with a `context` of its own begins with it.
    public var statedContext: RequestContext {
        var context = RequestContext()
        if !shouldLog { context.isLogged = false }
        context[StatedTrust.Key.self] = StatedTrust(host: host, policy: trust)
        return context
    }
}

extension SessionConfiguration {
    /// The defaults, with the trust policies of these APIs for their hosts in ``trustByHost``.
    ///
    /// - Parameters:
    ///   - apis: One of each host: `SessionConfiguration(trusting: MoviesAPI.popular, UsersAPI.all)`.
    ///   - change: Runs at once, before the policies are taken over.
    /// - Throws: ``TransportError/Code/trustUnavailable`` for a host that is none, and for a second policy for one host.
    public init(
        trusting apis: any TrustingAPI..., change: (inout SessionConfiguration) -> Void = { _ in }
    ) throws(TransportError) {
        self.init(change)
        for api in apis { try takeOver(api.host, api.trust) }
    }

    private mutating func takeOver(_ host: String, _ policy: TrustPolicy) throws(TransportError) {
        guard let name = HostName.canonical(host[...]) else {
            throw TrustFlaw("it is not a host; international names are written in ASCII, without a port").transportError(
                of: "the trust of \"\(host.printable)\"")
        }
        for (key, other) in trustByHost where HostName.canonical(key[...]) == name {
            guard other == policy else {
                throw TrustFlaw("there is another policy for the same host").transportError(of: "the trust of \"\(name)\"")
            }
            return
        }
        trustByHost[name] = policy
    }
}

/// The policy that a request's API states for its host.
struct StatedTrust: Sendable {
    enum Key: RequestContextKey { typealias Value = StatedTrust }

    let host: String
    let policy: TrustPolicy
}

extension NetworkRequest {
    /// The trust policy that the request's ``TrustingAPI`` states for its host; `nil` where none does. Who answers a request in place of a
    /// session manager must not give it what came under another policy.
    public var statedTrust: TrustPolicy? { context[StatedTrust.Key.self]?.policy }

    /// Checks a session manager's policy for the request's host against the one that its API states.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` where they differ.
    func requireStatedTrust(_ policy: TrustPolicy) throws(TransportError) {
        guard let stated = context[StatedTrust.Key.self] else { return }
        func refusal(_ reason: String) -> TransportError { TransportError(.trustUnavailable, reason, request: self) }
        let text = URLText(url)
        guard let host = HostName.canonical(HostName.withoutPort(text.hostAndPort)),
            let statedHost = HostName.canonical(stated.host[...])
        else { throw refusal("the host is written in a way that does not tell whether the API's trust policy is meant") }
        // A redirect, or a page on another host.
        guard host == statedHost else { return }
        guard text.scheme == "https" else { throw refusal("the API states a trust policy, and http enforces none") }
        guard policy == stated.policy else {
            throw refusal("the API states a trust policy that the session manager does not have for \(host.printable)")
        }
    }
}
