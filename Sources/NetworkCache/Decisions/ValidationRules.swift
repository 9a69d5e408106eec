import Endpoints
import Foundation
import NetworkCore

/// The rules for validating a stored response with the origin (RFC 9111 §4.3). The functions have no side effects.
enum ValidationRules {
    /// Returns the request with the validators of a stored response as conditions (§4.3.1).
    static func conditional(_ request: NetworkRequest, _ stored: ResponseTerms) -> NetworkRequest {
        var request = request
        if let tag = stored.entityTag { request.headers.set(tag, for: "If-None-Match") }
        if let date = stored.lastModified { request.headers.set(date, for: "If-Modified-Since") }
        return request
    }

    /// Returns whether a 304 response applies to the stored response (§4.3.4): if both have an entity tag, the tags match.
    static func isAbout(_ notModified: HeaderFields, _ stored: ResponseTerms) -> Bool {
        if let tag = notModified["ETag"] {
            guard let own = stored.entityTag else { return true }
            return opaque(tag) == opaque(own)
        }
        return true
    }

    /// Returns whether a response to HEAD is consistent with the stored response to GET (§4.3.5).
    static func agrees(_ head: HeaderFields, with stored: StoredResponse) -> Bool {
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            if let value = head[name], let own = stored.headers[name], value != own { return false }
        }
        return true
    }

    /// Returns an entity tag without its weakness prefix, for weak comparison (RFC 9110 §8.8.3.2).
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// Returns the URLs that an unsafe request invalidates if it succeeds (§4.4), in normal form: its own, that of the response,
    /// and those in `Location` and `Content-Location` on the same origin. Empty for a safe method or an unsuccessful response.
    static func invalidated(by request: NetworkRequest, _ response: NetworkResponse) -> Set<String> {
        guard !request.method.isSafe, (200..<400).contains(response.statusCode) else { return [] }
        let origin = URLText(request.url).origin
        var urls: Set<String> = [NormalURL.text(of: request.url), NormalURL.text(of: response.url)]
        for name in ["Location", "Content-Location"] {
            for value in response.headers.values(for: name) {
                let reference = URIReference(value).resolved(against: URIReference(response.url.absoluteString))
                guard let url = reference.url, URLText(url).origin == origin else {
                    continue
                }
                urls.insert(NormalURL.text(of: url))
            }
        }
        return urls
    }
}
