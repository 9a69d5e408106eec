#if os(Linux)
    import CCurl
    import Endpoints

    /// The policies of a session manager, each tried on a handle before the first transfer.
    struct CurlTrustTable: Sendable {
        private let table: TrustTable
        private let policies: [CurlTrust]

        var count: Int { policies.count }
        /// The one for hosts that none is named for.
        var standard: CurlTrust? { policies.first }

        /// - Parameter takesBytes: Whether this libcurl takes roots from memory, rather than from a file.
        /// - Throws: ``TransportError/Code/trustUnavailable``.
        init(
            _ configuration: SessionConfiguration, takesBytes: Bool = LibraryQuirks.current.takesRootsAsBytes
        ) throws(TransportError) {
            table = try TrustTable(configuration)
            var policies: [CurlTrust] = []
            for trust in table.all {
                do throws(TrustFlaw) {
                    let policy = try CurlTrust(trust, takesBytes: takesBytes)
                    if !trust.isDefault { try Self.tryOut(policy) }
                    policies.append(policy)
                } catch {
                    throw error.transportError(of: trust.subject)
                }
            }
            self.policies = policies
        }

        private static func tryOut(_ policy: CurlTrust) throws(TrustFlaw) {
            guard CurlEngine.isReady, let handle = ccurl_easy_init() else { throw TrustFlaw("no memory for it") }
            defer { ccurl_easy_cleanup(handle) }
            try policy.apply(to: handle)
        }

        /// - Throws: ``TransportError/Code/trustUnavailable``.
        func policy(for request: NetworkRequest) throws(TransportError) -> CurlTrust {
            policies[try table.trust(for: request).number]
        }
    }
#endif
