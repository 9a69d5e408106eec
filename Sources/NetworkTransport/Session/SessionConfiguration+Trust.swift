import Endpoints
import NetworkSupport

extension TrustTable {
    /// Creates the table of a configuration, and reads every file that its policies refer to.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable``, with a message that names the policy.
    package init(_ configuration: SessionConfiguration) throws(TransportError) {
        try self.init(configuration.trust, byHost: configuration.trustByHost)
    }
}
