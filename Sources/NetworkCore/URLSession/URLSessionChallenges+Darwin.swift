#if canImport(Darwin)
    import Foundation

    extension URLSessionHop {
        /// The system's check of the server's certificate holds, and a 401 is a response.
        func disposition(of challenge: URLAuthenticationChallenge) -> URLSession.AuthChallengeDisposition {
            .performDefaultHandling
        }
    }
#endif
