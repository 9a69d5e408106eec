#if canImport(FoundationNetworking)
    import Foundation
    // Requests, responses and URL-loading types are in the signatures here: `import NetworkURLSession` is enough to use it.
    @_exported public import FoundationNetworking
    @_exported public import NetworkCore

    /// The trust policies of a session manager. On Linux, `URLSession` supports only the default one, the system's authorities.
    struct URLSessionTrust: Sendable {
        /// Checks the policies.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable`` for every policy except the default one.
        init(_ configuration: SessionConfiguration) throws(TransportError) {
            let policies =
                [("trust", configuration.trust)] + configuration.trustByHost.map { ("trustByHost[\"\($0.key)\"]", $0.value) }
            for (subject, policy) in policies where policy != TrustPolicy() {
                throw TrustError("URLSession on Linux cannot enforce a trust policy; CurlSessionManager can").transportError(
                    of: subject)
            }
        }

        /// Checks that a request requires no policy.
        ///
        /// - Throws: ``TransportError/Code/trustUnavailable`` for a request with an endpoint that states a policy.
        func admit(_ request: NetworkRequest) throws(TransportError) {
            try request.requireStatedTrust(TrustPolicy())
        }

        func govern(_ configuration: URLSessionConfiguration) {}

        /// Whether the certificate of the request's host was verified.
        func isVerified(_ request: NetworkRequest) -> Bool { true }
    }

    extension URLSessionExchange {
        /// Returns the response to an authentication challenge, which is always to cancel it.
        ///
        /// Credentials are header fields of the request, and a 401 is a response. With any other response, a task with a Basic
        /// challenge would wait forever. The HTTP response and its body have arrived by then, or arrive before the cancellation.
        func disposition(
            of challenge: URLAuthenticationChallenge
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            if let response = challenge.failureResponse as? HTTPURLResponse { receive(response) }
            update { $0.wasChallenged = true }
            return (.cancelAuthenticationChallenge, nil)
        }
    }
#endif
