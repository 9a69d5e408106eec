import Endpoints

/// The policy that a request's API states for its host.
package struct StatedTrust: Sendable {
    package enum Key: ContextKey { package typealias Value = StatedTrust }

    let host: String
    let policy: TrustPolicy

    package init(host: String, policy: TrustPolicy) {
        self.host = host
        self.policy = policy
    }
}

extension NetworkRequest {
    /// The trust policy that the request's `TrustingAPI` states for its host; `nil` if the request states no policy.
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
