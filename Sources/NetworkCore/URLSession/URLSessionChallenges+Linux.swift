#if canImport(FoundationNetworking)
    import Foundation

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
