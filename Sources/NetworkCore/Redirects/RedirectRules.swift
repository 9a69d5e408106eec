import Endpoints
import Foundation
import NetworkLogging

/// What a redirect asks for: a pure function of request and response (RFC 9110 §15.4), the same for every engine.
struct RedirectRules {
    var maximumRedirects: Int
    var allowsInsecureRedirects: Bool

    init(_ configuration: SessionConfiguration) {
        maximumRedirects = configuration.maximumRedirects
        allowsInsecureRedirects = configuration.allowsInsecureRedirects
    }

    /// Whether a status is a redirect that can be followed at all.
    static func isRedirect(_ status: Int) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }

    /// The next request, or `nil` where the response is to be handed back as it is: no redirect, no `Location`, or
    /// following is turned off.
    ///
    /// - Parameter followed: Redirects of this transfer so far.
    func next(
        after request: NetworkRequest, status: Int, location: String?, followed: Int
    ) throws(TransportError) -> NetworkRequest? {
        guard Self.isRedirect(status), maximumRedirects > 0, let location else { return nil }
        guard followed < maximumRedirects else {
            throw TransportError(
                .tooManyRedirects, "more than \(maximumRedirects) redirects (maximumRedirects)", request: request)
        }
        let target = try target(of: location, from: request)
        var next = request
        next.url = target
        rewriteMethod(of: &next, status: status)
        if URLText.origin(of: target) != request.origin { dropCredentials(of: &next) }
        return next
    }

    /// Resolves `Location` against the URL that sent it (RFC 9110 §10.2.2, RFC 3986 §5.2).
    private func target(of location: String, from request: NetworkRequest) throws(TransportError) -> URL {
        func refused(_ reason: String) -> TransportError {
            TransportError(.redirectRefused, reason, request: request)
        }
        guard !location.isEmpty, let resolved = URL(string: location, relativeTo: request.url)?.absoluteURL else {
            throw refused("the Location is not a URL")
        }
        let text = URLText(resolved)
        guard text.scheme == "http" || text.scheme == "https" else {
            throw refused("a redirect to the scheme \"\(text.scheme.printable)\" is not followed")
        }
        guard !text.hostAndPort.isEmpty, text.hostAndPort.utf8.first != UInt8(ascii: ":") else {
            throw refused("the Location has no host")
        }
        if text.scheme == "http", URLText(request.url).scheme == "https", !allowsInsecureRedirects {
            throw refused("a redirect from https to http is not followed (allowsInsecureRedirects)")
        }
        return resolved
    }

    /// 303 turns everything but HEAD into GET (§15.4.4); 301 and 302 turn POST into GET, as all user agents do (§15.4.2-3);
    /// 307 and 308 change nothing, so the body is sent again.
    private func rewriteMethod(of request: inout NetworkRequest, status: Int) {
        let becomesGet =
            switch status {
            case 303: request.method != .head
            case 301, 302: request.method == .post
            default: false
            }
        guard becomesGet, request.method != .get else { return }
        request.method = .get
        request.body = nil
        for field in request.headers.fields where field.name.lowercased().hasPrefix("content-") {
            request.headers.remove(field.name)
        }
    }

    /// What was meant for one origin is not shown to another.
    private func dropCredentials(of request: inout NetworkRequest) {
        request.headers.remove("Host")
        for field in request.headers.fields where Redaction.default.isSecret(header: field.name) {
            request.headers.remove(field.name)
        }
    }
}
