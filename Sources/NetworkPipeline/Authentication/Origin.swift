import Endpoints
import Foundation

/// Scheme, host and port (RFC 6454 §4): to whom credentials may be shown.
public struct Origin: Sendable, Hashable {
    private let scheme: String
    private let host: String
    private let port: Int

    /// The origin of a URL; `nil` for one without a host, or of another scheme than http and https.
    public init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host?.lowercased(), !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}

extension Origin: CustomStringConvertible {
    /// `https://api.example.com:443`
    public var description: String { "\(scheme)://\(host):\(port)" }
}
