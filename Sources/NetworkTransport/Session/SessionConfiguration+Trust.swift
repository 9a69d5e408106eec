import Endpoints
import NetworkSupport

extension SessionConfiguration {
    /// Creates a configuration with the trust policies of these APIs for their hosts in ``trustByHost``.
    ///
    /// - Parameters:
    ///   - apis: One API for each host: `SessionConfiguration(trusting: MoviesAPI.popular, UsersAPI.all)`.
    ///   - change: Changes the default configuration. Called once, before the policies are added and the initializer returns.
    /// - Throws: ``TransportError/Code/trustUnavailable`` if a host is invalid, or has two different policies.
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

extension TrustTable {
    /// Creates the table of a configuration, and reads every file that its policies refer to.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable``, with a message that names the policy.
    package init(_ configuration: SessionConfiguration) throws(TransportError) {
        try self.init(configuration.trust, byHost: configuration.trustByHost)
    }
}
