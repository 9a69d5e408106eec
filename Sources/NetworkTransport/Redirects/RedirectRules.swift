import Endpoints
import Foundation
import NetworkSupport

/// The rules for following redirects (RFC 9110 §15.4): a function of request and response.
package struct RedirectRules {
    var maximumRedirects: Int
    var allowsInsecureRedirects: Bool
    private let strictTransport: StrictTransportStore?

    /// Creates rules.
    ///
    /// - Parameter strictTransport: The hosts whose `http` URLs are replaced by `https` ones; `nil` for no hosts.
    init(maximumRedirects: Int, allowsInsecureRedirects: Bool, strictTransport: StrictTransportStore?) {
        self.strictTransport = strictTransport
        self.maximumRedirects = maximumRedirects
        self.allowsInsecureRedirects = allowsInsecureRedirects
    }

    /// Returns whether a status is a redirect that can be followed.
    package static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 300, 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// Returns whether a response with this status and a `Location` may be followed, before a closure of the caller is asked.
    package func mayFollow(status: Int, _ request: NetworkRequest) -> Bool {
        guard Self.isRedirect(status), maximumRedirects > 0, !request.redirects.followsNone else { return false }
        // The preferred choice of several, which may be requested automatically (§15.4.1).
        return status != 300 || request.method.isSafe
    }

    /// Returns the next request after a response.
    ///
    /// - Parameters:
    ///   - headers: The header fields of the response. Several equal `Location` fields count as one (RFC 9110 §5.5).
    ///   - trail: The redirects that this transfer has followed.
    /// - Returns: `nil` if the response itself is to be returned: it is not a redirect, it has no `Location`, or following is turned off.
    /// - Throws: ``TransportError/Code/tooManyRedirects``, or ``TransportError/Code/redirectRefused`` for a target that is not followed.
    package func next(
        after request: NetworkRequest, status: Int, headers: HeaderFields, trail: RedirectTrail
    ) throws(TransportError) -> NetworkRequest? {
        guard mayFollow(status: status, request) else { return nil }
        let locations = headers.values(for: "Location")
        guard let location = locations.first else { return nil }
        func refused(_ reason: String) -> TransportError { TransportError(.redirectRefused, reason, request: request) }
        guard locations.allSatisfy({ $0.hasSameBytes(as: location) }) else {
            throw refused("there are several Location fields with different values")
        }
        let target = try target(of: location, from: request)
        let decision = request.redirects.decision(
            on: Redirect(request: request, statusCode: status, headers: headers, target: target, count: trail.count))
        switch decision {
        case .doNotFollow: return nil
        case .refuse(let reason): throw refused("the redirect policy of the request refuses it: \(reason)")
        case .follow, .keepMethod: break
        }
        guard trail.count < maximumRedirects else {
            let cycle = trail.cycle(from: request, to: target).map { "; \($0)" } ?? ""
            throw TransportError(
                .tooManyRedirects, "more than \(maximumRedirects) redirects (maximumRedirects)\(cycle)", request: request)
        }
        var next = request
        next.move(to: target)
        rewriteMethod(of: &next, status: status, keepsMethod: decision == .keepMethod)
        try next.renewProof()
        return next
    }

    /// Resolves a `Location` against the URL of the request (RFC 3986 §5.2). If it has no fragment, it gets that of the request (RFC 9110
    /// §10.2.2).
    ///
    /// User information in it is removed: a server must not decide how this client authenticates.
    private func target(of location: String, from request: NetworkRequest) throws(TransportError) -> URL {
        func refused(_ reason: String) -> TransportError {
            TransportError(.redirectRefused, reason, request: request)
        }
        let base = URIReference(request.urlText)
        var reference = URIReference(location).resolved(against: base).withoutUserInformation()
        if request.requestsUpgrade { reference = reference.withHTTPScheme() }
        if !reference.hasFragment { reference = reference.with(fragmentOf: base) }
        let text = URLText(reference.text)
        guard text.scheme == "http" || text.scheme == "https" else {
            throw refused("a redirect to the scheme \"\(text.scheme.printable)\" is not followed")
        }
        guard !text.hostAndPort.isEmpty, text.hostAndPort.utf8.first != UInt8(ascii: ":") else {
            throw refused("the Location has no host")
        }
        do throws(RequestGenerationError) {
            try text.requireHTTP(.url)
        } catch {
            throw refused("the Location \(error.reason)")
        }
        guard let resolved = reference.url.map(URLHost.normalized) else { throw refused("the Location is not a URL") }
        // As if the server had sent the `https` URL (RFC 6797 §8.3).
        if let upgraded = strictTransport?.upgraded(resolved.absoluteString) { return upgraded }
        if text.scheme == "http", request.isSecure, !allowsInsecureRedirects {
            throw refused("a redirect from https to http is not followed (allowsInsecureRedirects)")
        }
        return resolved
    }

    /// Changes the method of the next request where the status requires it.
    ///
    /// 303 changes all methods except HEAD to GET (§15.4.4); 301 and 302 change POST to GET, as all user agents do (§15.4.2-3), unless
    /// `keepsMethod` is `true`; 307 and 308 change nothing, so the body is sent again.
    private func rewriteMethod(of request: inout NetworkRequest, status: Int, keepsMethod: Bool) {
        let becomesGet =
            switch status {
            case 303: request.method != .head
            case 301, 302: request.method == .post && !keepsMethod
            default: false
            }
        guard becomesGet, request.method != .get else { return }
        request.method = .get
        request.body = nil
        let ofContent = ["digest", "repr-digest", "last-modified", "trailer", "expect"]
        for field in request.headers.fields {
            let name = field.name.lowercased()
            if name.hasPrefix("content-") || ofContent.contains(name) { request.headers.remove(field.name) }
        }
    }
}
