#if canImport(Darwin)
    import Foundation

    extension URLSessionHop {
        /// The trust policy of the host decides about the server's certificate, and a 401 is a response.
        func disposition(
            of challenge: URLAuthenticationChallenge
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust, let server = space.serverTrust else {
                return (.performDefaultHandling, nil)
            }
            guard let trust else { return (.cancelAuthenticationChallenge, nil) }
            do throws(TransportError) {
                guard let credential = try trust.credential(for: server, of: request) else {
                    return (.performDefaultHandling, nil)
                }
                return (.useCredential, credential)
            } catch {
                transfer.fail(error)
                return (.cancelAuthenticationChallenge, nil)
            }
        }
    }
#endif
