import Foundation

extension Requestable {
    /// Builds the request this endpoint describes. Pure: no I/O, and the same endpoint gives the same bytes.
    ///
    /// Percent-encoding already present in `path` is kept (RFC 3986 §2.1); a space in a query value becomes `%20`, a plus
    /// `%2B`. Endpoint headers replace configuration headers, names compared without case (RFC 9110 §5.1); endpoint query
    /// items replace configuration items; a query in the base URL or the path is kept. A body sets its `Content-Type` unless
    /// the endpoint does. On another origin than that of the base URL, the configuration's query and all its headers but those that any
    /// origin may see are left out.
    ///
    /// - Parameter configuration: Base URL, and the headers and query every request shares.
    /// - Throws: ``RequestGenerationError`` with the field that is wrong.
    public func networkRequest(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> NetworkRequest {
        let configuration = configuration.current
        let target = try RequestTarget(endpoint: self, configuration: configuration)
        var headers = target.isForeign ? configuration.headers.harmless : configuration.headers
        var own = headerParameters
        var method = method
        var body = body
        let context = context
        if let link = context.followedLink, try link.leavesOrigin(URLText.origin(of: target.url), configuration) {
            own = own.harmless
            // What a link leads to is asked for with GET (RFC 8288 §1), and what was to be sent was for the first origin.
            if body != nil {
                body = nil
                method = .get
                own = HTTPHeaders(own.fields.filter { !$0.name.lowercased().hasPrefix("content-") })
            }
        }
        headers = headers.replacing(with: own)
        headers.rememberSecrets()
        var content: RequestContent?
        if let body {
            content = try body.content()
            if let contentType = body.contentType, !own.contains("Content-Type") {
                headers.set(contentType, for: "Content-Type")
            }
        }
        var request = NetworkRequest(
            method: method, url: target.url, headers: headers, body: content, timeouts: timeouts, progress: progress)
        request.context = context
        request.requiresAuthentication = requiresAuthentication
        let isIdempotent = isIdempotent
        if isIdempotent != method.isIdempotent { request.isIdempotent = isIdempotent }
        try request.validateAllButURL()
        if content != nil && !method.allowsBody {
            throw RequestGenerationError(.body, "a \(method) request has no body (RFC 9110 §9.3); use POST, PUT or PATCH")
        }
        return request
    }
}

/// Says that the URL of an endpoint was taken from a response, and to which request: one for another origin carries nothing that was meant for
/// the first.
package struct FollowedLink: Sendable {
    /// What the caller described.
    package let source: any Requestable

    package init(from source: any Requestable) {
        self.source = source
    }

    /// Whether a URL is on another origin than what the caller described.
    func leavesOrigin(_ origin: String, _ configuration: any NetworkConfigurable) throws(RequestGenerationError) -> Bool {
        try URLText.origin(of: RequestTarget(endpoint: source, configuration: configuration).url) != origin
    }
}

private enum FollowedLinkKey: RequestContextKey {
    typealias Value = FollowedLink
}

extension RequestContext {
    package var followedLink: FollowedLink? {
        get { self[FollowedLinkKey.self] }
        set { self[FollowedLinkKey.self] = newValue }
    }
}
