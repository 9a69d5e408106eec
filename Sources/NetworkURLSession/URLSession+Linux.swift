#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
    import NetworkTransport

    extension URLSessionTrust.Support {
        static let platform = Self.defaultPolicy
    }

    extension URLSessionTrust {
        func govern(_ configuration: URLSessionConfiguration) {}
    }

    extension URLSession {
        /// Returns `nil`: there, WebSockets need another version of libcurl than most systems have. `SocketSessionManager` opens them.
        func openWebSocket(_ request: URLRequest) -> URLSessionTask? { nil }
    }

    extension URLSessionTask {
        /// Does nothing: there, `suspend()` ends the transfer, and `resume()` sends the request again.
        func setReceivingPaused(_ isPaused: Bool) {}
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
