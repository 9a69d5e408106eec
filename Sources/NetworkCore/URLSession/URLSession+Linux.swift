#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking

    extension URLSessionTrust.Support {
        static let platform = Self.defaultPolicy
    }

    extension URLSessionTrust {
        func govern(_ configuration: URLSessionConfiguration) {}
    }

    extension URLSessionExchange {
        /// Returns the response to an authentication challenge, which is always to cancel it.
        func disposition(
            of challenge: URLAuthenticationChallenge
        ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
            (cancelChallenge(in: challenge.failureResponse).disposition, nil)
        }
    }
#endif
