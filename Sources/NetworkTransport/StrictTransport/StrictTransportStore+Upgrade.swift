import Endpoints
import Foundation
import NetworkSupport

// Requests to known hosts are sent over TLS (RFC 6797 §8.3).
extension StrictTransportStore {
    /// Returns the URL with which a request to a known host is sent instead (§8.3); `nil` if it is sent as it is.
    func upgraded(_ url: String) -> URL? {
        let text = URLText(url)
        guard text.scheme == "http", let host = Self.host(of: url) else { return nil }
        guard contains(host), let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        // Everything is kept as it was written, except the scheme and the port 80.
        let authority = text.authority
        let name = HostName.withoutPort(text.hostAndPort)
        let port = text.hostAndPort[name.endIndex...].dropFirst()
        var rest = url[colon...]
        var result = "https"
        if Int(port) == 80 {
            result += rest[..<authority.startIndex] + authority.dropLast(port.utf8.count + 1)
            rest = rest[authority.endIndex...]
        }
        return URL(string: result + rest)
    }

    /// Returns the request as it is sent: with the `https` URL if its host is known, and then with a new proof. Its credentials stay.
    ///
    /// - Throws: The error of the ``RequestProver``.
    package func upgraded(_ request: NetworkRequest) throws(TransportError) -> NetworkRequest {
        guard !request.isSecure, let url = upgraded(request.urlText) else { return request }
        var request = request
        request.url = url
        try request.renewProof()
        return request
    }

    /// Returns the canonical name of a URL's host; `nil` for an address, and for a host that has no unambiguous form.
    static func host(of url: String) -> String? {
        guard let host = HostName.canonical(HostName.withoutPort(URLText(url).hostAndPort)), !HostName.isAddress(host) else {
            return nil
        }
        return host
    }
}
