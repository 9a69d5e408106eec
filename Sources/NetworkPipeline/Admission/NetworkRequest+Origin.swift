import Endpoints

extension NetworkRequest {
    /// Scheme, host and port (RFC 6454 §4).
    var origin: String { URLText(url).origin }
}
