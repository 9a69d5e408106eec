#if canImport(FoundationNetworking)
    import Foundation

    /// What `URLSession` can do about trust here: nothing beyond the system's authorities.
    struct URLSessionTrust: Sendable {
        /// - Throws: ``TransportError/Code/trustUnavailable`` for every policy but the default one.
        init(_ configuration: SessionConfiguration) throws(TransportError) {
            let policies =
                [("trust", configuration.trust)] + configuration.trustByHost.map { ("trustByHost[\"\($0.key)\"]", $0.value) }
            for (subject, policy) in policies where policy != TrustPolicy() {
                throw TrustFlaw("URLSession on Linux cannot enforce a trust policy; CurlSessionManager can").transportError(
                    of: subject)
            }
        }

        /// - Throws: ``TransportError/Code/trustUnavailable`` for a request whose API states a policy.
        func admit(_ request: NetworkRequest) throws(TransportError) {
            try request.requireStatedTrust(TrustPolicy())
        }

        func govern(_ configuration: URLSessionConfiguration) {}
    }
#endif
