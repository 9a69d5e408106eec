import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The rules for validating a stored response with the origin (RFC 9111 §4.3). The functions have no side effects.
enum ValidationRules {
    /// The maximum number of `Location` fields, and of `Content-Location` fields, whose URLs one response invalidates.
    static let maximumPlaces = 8

    /// Returns the request with the validators of a stored response as conditions (§4.3.1).
    static func conditional(_ request: NetworkRequest, _ stored: ResponseTerms) -> NetworkRequest {
        var request = request
        if let tag = stored.entityTag { request.headers.set(tag.condition) }
        if let date = stored.lastModified { request.headers.set(date, for: "If-Modified-Since") }
        return request
    }

    /// Returns the request with the entity tags of several stored responses as a condition (§4.3.1). Those with other characters than ASCII are left
    /// out, and those that would make it longer than a server accepts.
    static func conditional(_ request: NetworkRequest, _ tags: [EntityTag]) -> NetworkRequest {
        var list = ""
        for tag in tags.map(\.condition.value) where list.utf8.count + tag.utf8.count <= EntityTag.maximumBytes {
            guard tag.utf8.allSatisfy({ $0 < 0x80 }), !list.contains(tag) else { continue }
            list += (list.isEmpty ? "" : ", ") + tag
        }
        var request = request
        if !list.isEmpty { request.headers.set(list, for: "If-None-Match") }
        return request
    }

    /// Returns the newest of the stored responses whose entity tags were sent that a 304 response names; `nil` if it names none of them.
    static func named(by notModified: HeaderFields, among stored: [CacheEntry]) -> CacheEntry? {
        guard let tag = EntityTag(notModified) else { return nil }
        return stored.filter { entry in
            guard let own = entry.terms.entityTag else { return false }
            return tag.isWeak ? own.matchesWeakly(tag) : own.matchesStrongly(tag)
        }
        .max { $0.response.responseTime < $1.response.responseTime }
    }

    /// Returns whether a 304 response names the stored response with its validators (§4.3.4).
    ///
    /// A strong entity tag decides alone: the stored response must have the same one. Otherwise the weak tag and the modification
    /// date must be those of the stored response, as far as both have them, and at least one must be there to compare.
    ///
    /// - Returns: `nil` if the 304 response has no validators.
    static func isAbout(_ notModified: HeaderFields, _ stored: ResponseTerms) -> Bool? {
        let tag = EntityTag(notModified)
        let modified = notModified["Last-Modified"].flatMap { HTTPDate($0) }
        if tag == nil, modified == nil { return nil }
        if let tag, !tag.isWeak { return stored.entityTag?.matchesStrongly(tag) ?? false }
        var isNamed = false
        if let tag, let own = stored.entityTag {
            guard own.matchesWeakly(tag) else { return false }
            isNamed = true
        }
        if let modified, let own = stored.lastModified.flatMap({ HTTPDate($0) }) {
            guard modified == own else { return false }
            isNamed = true
        }
        return isNamed
    }

    /// Returns whether a response to HEAD has the validators and the length of the stored response to GET, as far as it has any
    /// (§4.3.5).
    static func agrees(_ head: HeaderFields, with stored: StoredResponse) -> Bool {
        for name in ["ETag", "Last-Modified"] {
            if let value = head[name], !(stored.headers[name]?.hasSameBytes(as: value) ?? false) { return false }
        }
        let own = stored.isPart ? stored.span.map { String($0.length) } : stored.headers["Content-Length"]
        if let length = head["Content-Length"], let own { return length == own }
        return true
    }

    /// Returns the URLs that an unsafe request invalidates (§4.4), in normal form.
    ///
    /// These are the URLs to which it was sent and whose responses were not errors: redirects never are. With the last of these
    /// responses, the URLs in `Location` and `Content-Location` on the same origin are invalidated too. A safe request, such as the
    /// GET that follows a 303, invalidates nothing.
    ///
    /// - Parameters:
    ///   - redirects: The requests that were sent after the first one to follow redirects.
    ///   - response: The final response, or `nil` if the last request failed.
    static func invalidated(
        by request: NetworkRequest, redirects: [NetworkRequest] = [], _ response: NetworkResponse?
    ) -> Set<String> {
        let sent = [request] + redirects
        var urls = Set(sent.dropLast().filter { !$0.method.isSafe }.map { NormalURL.text(of: $0.url) })
        guard let last = sent.last, !last.method.isSafe, let response else { return urls }
        // Session managers of the application do not report the requests with which they follow redirects.
        if response.timings.redirects > redirects.count { urls.insert(NormalURL.text(of: last.url)) }
        guard (200..<400).contains(response.statusCode) else { return urls }
        let origin = last.origin
        urls.insert(NormalURL.text(of: last.url))
        urls.insert(NormalURL.text(of: response.url))
        for name in ["Location", "Content-Location"] {
            // A response has one value. Others are not ignored, but bounded, because each is looked for in the store.
            for value in response.headers.values(for: name).prefix(maximumPlaces) {
                let reference = URIReference(value).resolved(against: URIReference(response.lazyURL.text))
                guard let url = reference.url, URLText(url).origin == origin else {
                    continue
                }
                urls.insert(NormalURL.text(of: url))
            }
        }
        return urls
    }
}
