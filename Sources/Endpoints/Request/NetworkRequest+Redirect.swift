import Foundation
import NetworkLogging
import NetworkSupport

// What a request keeps on its way to another URL.
extension NetworkRequest {
    /// Changes the URL, as for a redirect or a link.
    ///
    /// If the new URL has another origin, only header fields are kept that are known to be harmless and are not credentials
    /// (RFC 9110 §15.4).
    package mutating func move(to url: URL) {
        let before = origin
        self.url = url
        guard origin != before else { return }
        headers = headers.harmless
        for field in credentials.fields { headers.remove(field.name) }
        let session = credentials.session
        credentials = RequestCredentials()
        credentials.session = session
    }

    /// Removes credentials that were added for another origin than the request's current one.
    package mutating func dropForeignCredentials() {
        guard credentials.fields.contains(where: { $0.origin != origin }) else { return }
        for field in credentials.fields where field.origin != origin { headers.remove(field.name) }
    }

    /// Returns whether a response comes from the request's origin. A response from another origin applies only to that origin.
    package func hasOrigin(of response: LazyURL) -> Bool {
        response.text == urlText || response.origin == origin
    }
}

extension LazyURL {
    /// The scheme, host and port (RFC 6454 §4), such as `https://api.example.com:443`.
    package var origin: String { ParsedURL(text).origin }
}
