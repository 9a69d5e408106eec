import Foundation

extension Requestable {
    /// Builds the request that this endpoint describes. Performs no I/O; equal endpoints produce equal requests.
    ///
    /// Percent-encoding already present in `path` is kept (RFC 3986 §2.1); a space in a query value becomes `%20`, a plus
    /// `%2B`. Endpoint headers replace configuration headers, names compared without case (RFC 9110 §5.1); endpoint query
    /// items replace configuration items; a query in the base URL or the path is kept. A body sets its `Content-Type` unless
    /// the endpoint does. If the request goes to another origin than the base URL, the configuration's query parameters are
    /// left out, and so are its headers that could contain a secret.
    ///
    /// - Parameter configuration: The base URL, and the headers and query parameters that all requests share.
    /// - Throws: ``RequestGenerationError`` with the invalid field.
    public func networkRequest(with configuration: any NetworkConfigurable) throws(RequestGenerationError) -> NetworkRequest {
        let configuration = configuration.current
        let target = try RequestTarget(endpoint: self, configuration: configuration)
        var headers = target.isCrossOrigin ? configuration.headers.harmless : configuration.headers
        var own = headerParameters
        var method = method
        var body = body
        let context = context
        if let link = context.followedLink, try link.leavesOrigin(URLText.origin(of: target.url), configuration) {
            own = own.harmless
            // A link is followed with GET (RFC 8288 §1), and the body was meant for the first origin only.
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

/// Marks an endpoint whose URL was taken from a response, such as the next page.
///
/// If that URL has another origin than the endpoint that the caller described, the request carries nothing that was meant for
/// the first origin.
package struct FollowedLink: Sendable {
    /// The endpoint that the caller described.
    package let source: any Requestable

    package init(from source: any Requestable) {
        self.source = source
    }

    /// Returns whether an origin differs from that of the endpoint that the caller described.
    func leavesOrigin(_ origin: String, _ configuration: any NetworkConfigurable) throws(RequestGenerationError) -> Bool {
        try URLText.origin(of: RequestTarget(endpoint: source, configuration: configuration).url) != origin
    }
}

private enum FollowedLinkKey: RequestContextKey {
    typealias Value = FollowedLink
}

extension RequestContext {
    /// The link that the endpoint's URL was taken from; `nil` if the caller described the URL.
    package var followedLink: FollowedLink? {
        get { self[FollowedLinkKey.self] }
        set { self[FollowedLinkKey.self] = newValue }
    }
}
