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

    extension URLSessionUpload {
        /// There, a stream that has no bytes for a moment ends the body.
        static let platformProducesWhileSending = false
    }

    extension URLSession {
        /// Is not called there.
        func streamedUploadTask(_ request: URLRequest) -> URLSessionTask { dataTask(with: request) }
    }

    extension URLRequest {
        /// Does nothing: there, `URLSession` does not speak HTTP/3.
        mutating func preferHTTP3() {}
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
