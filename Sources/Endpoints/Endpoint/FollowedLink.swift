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
