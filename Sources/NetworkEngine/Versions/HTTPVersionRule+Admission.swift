import Endpoints
import NetworkTransport

extension HTTPVersionRule {
    /// Checks that a request can be sent over the version of HTTP that is required for its host.
    ///
    /// - Parameter http3Failure: Why HTTP/3 cannot be used on this system; `nil` if it can. Called only if HTTP/3 is required.
    /// - Throws: ``TransportError/Code/httpVersionUnavailable``, or ``TransportError/Code/unsupported`` for an upgrade that the version does not have.
    func admit(_ request: NetworkRequest, http3Failure: () -> String?) throws(TransportError) {
        guard self == .http2 || self == .http3 else { return }
        if request.requestsUpgrade, self == .http3 || !request.requestsWebSocket {
            throw TransportError(
                .unsupported, "Upgrade: httpVersion requires a version of HTTP that has none (RFC 9113 §8.6, RFC 9114 §4.2)",
                request: request)
        }
        guard self == .http3 else { return }
        guard request.isSecure else {
            throw TransportError(
                .httpVersionUnavailable, "httpVersion requires HTTP/3, which exists for https only (RFC 9114 §3.1)",
                request: request)
        }
        if let failure = http3Failure() {
            throw TransportError(
                .httpVersionUnavailable, "httpVersion requires HTTP/3, which cannot be used: \(failure)", request: request)
        }
    }
}
