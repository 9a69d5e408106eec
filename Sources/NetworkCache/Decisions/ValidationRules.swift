import Endpoints
import Foundation
import NetworkCore

/// Asking the origin whether a stored response still holds (RFC 9111 §4.3). Without side effects.
enum ValidationRules {
    /// The request with the response's validators as conditions (§4.3.1).
    static func conditional(_ request: NetworkRequest, _ stored: ResponseTerms) -> NetworkRequest {
        var request = request
        if let tag = stored.entityTag { request.headers.set(tag, for: "If-None-Match") }
        if let date = stored.lastModified { request.headers.set(date, for: "If-Modified-Since") }
        return request
    }

    /// Whether a 304 speaks of the stored response (§4.3.4): its validators, where it has any, are those that were sent.
    static func isAbout(_ notModified: HTTPHeaders, _ stored: ResponseTerms) -> Bool {
        if let tag = notModified["ETag"] {
            guard let own = stored.entityTag else { return true }
            return opaque(tag) == opaque(own)
        }
        return true
    }

    /// Whether the answer to a HEAD shows that the stored answer to GET still holds (§4.3.5).
    static func agrees(_ head: HTTPHeaders, with stored: StoredResponse) -> Bool {
        for name in ["ETag", "Last-Modified", "Content-Length"] {
            if let value = head[name], let own = stored.headers[name], value != own { return false }
        }
        return true
    }

    /// Weak comparison (RFC 9110 §8.8.3.2).
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// What an unsafe request that succeeded makes doubtful (§4.4): its URL, where it ended, and what it points to on the same origin.
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
