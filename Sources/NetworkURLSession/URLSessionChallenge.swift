import Endpoints
import Foundation
import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An authentication challenge, reduced to what the decision on it depends on.
enum AuthenticationChallenge {
    /// The server's certificate is to be verified; `nil` if the system does not pass it.
    case serverTrust((any ServerCertificate)?)
    /// A client certificate, or a name and a password, for the server or a proxy.
    case credentials
}

/// The response to an authentication challenge.
enum ChallengeDecision: Sendable, Hashable {
    /// `URLSession` does what it does without a delegate: it verifies a server's certificate itself; a 401 or 407 is a response,
    /// and no client certificate is presented, unless the session configuration stores a credential.
    case defaultHandling
    /// The server's certificate is accepted.
    case trustServer
    /// The task is cancelled.
    case cancel

    var disposition: URLSession.AuthChallengeDisposition {
        switch self {
        case .defaultHandling: .performDefaultHandling
        case .trustServer: .useCredential
        case .cancel: .cancelAuthenticationChallenge
        }
    }
}

extension URLSessionExchange {
    /// Decides on an authentication challenge as on Apple platforms: the trust policy of the host decides on the server's
    /// certificate, and all other challenges have the default handling.
    ///
    /// If the certificate is not accepted, the transfer fails with the reason before this returns.
    func decision(on challenge: AuthenticationChallenge) -> ChallengeDecision {
        guard case .serverTrust(let certificate) = challenge else { return .defaultHandling }
        do throws(TransportError) {
            guard let trust else {
                throw TransportError(.trustUnavailable, "there is no trust policy", phase: .tls, request: request)
            }
            return try trust.decision(on: certificate, of: request)
        } catch {
            transfer.fail(error)
            return .cancel
        }
    }

    /// Cancels a challenge as on Linux, where credentials are header fields of the request, and a 401 is a response.
    ///
    /// With any other decision, a task with a Basic challenge would wait forever there. The HTTP response and its body have arrived by
    /// then, or arrive before the cancellation.
    ///
    /// - Parameter response: The response with the challenge.
    func cancelChallenge(in response: URLResponse?) -> ChallengeDecision {
        if let response = response as? HTTPURLResponse { receive(response) }
        update { $0.wasChallenged = true }
        return .cancel
    }
}
