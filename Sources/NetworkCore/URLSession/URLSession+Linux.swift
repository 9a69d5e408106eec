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

    extension URLSessionHop {
        /// Credentials are header fields of the request: a challenge is never met here, and a 401 is a response.
        ///
        /// Anything but giving up leaves a task with a Basic challenge waiting for ever. The response and its body have arrived by
        /// then or do so before the cancellation.
        func disposition(
            of challenge: URLAuthenticationChallenge
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            if let response = challenge.failureResponse as? HTTPURLResponse { receive(response) }
            update { $0.wasChallenged = true }
            return (.cancelAuthenticationChallenge, nil)
        }
    }
#endif
