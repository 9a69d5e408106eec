import Endpoints
import NetworkTransport

extension HTTPVersionRule {
    /// Checks that a request can be sent over the version of HTTP that is required for its host.
    ///
    /// - Throws: ``TransportError/Code/httpVersionUnavailable``, or ``TransportError/Code/unsupported`` for an upgrade that the version does not have.
    func admit(_ request: NetworkRequest) throws(TransportError) {
        guard self == .http2 || self == .http3 else { return }
        if request.requestsUpgrade, self == .http3 || !request.requestsWebSocket {
            throw TransportError(
                .unsupported, "Upgrade: httpVersion requires a version of HTTP that has none (RFC 9113 §8.6, RFC 9114 §4.2)",
                request: request)
        }
        guard self == .http2 else {
            throw TransportError(
                .httpVersionUnavailable, "httpVersion requires HTTP/3, which this version of the engine does not speak",
                request: request)
        }
    }
}
