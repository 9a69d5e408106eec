import Endpoints
import NetworkSupport

/// What the calls of a session manager share: its configuration, its cookies, the hosts that are contacted over TLS only, and the rules for
/// redirects.
///
/// A session manager creates one, prepares each request with it, and passes it to the ``CallDriver`` of each call.
@_spi(SessionManagers) public final class CallRules: Sendable {
    /// The configuration of the session manager.
    public let configuration: SessionConfiguration
    /// The store of the cookies; `nil` if cookies are ignored. A session manager returns it as ``NetworkSessionManager/cookieStore``.
    public let cookieStore: CookieStore?
    /// The identity of the session manager, which returns it as ``NetworkSessionManager/identity``.
    public let identity: SessionIdentity
    package let strictTransport: StrictTransportStore?
    package let redirects: RedirectRules
    /// Whether responses say anything about later requests.
    let learnsFromResponses: Bool

    /// Validates a configuration, and reads the file of ``SessionConfiguration/strictTransport`` if it names one.
    ///
    /// - Throws: ``TransportError/Code/invalidConfiguration`` with the name of the invalid value.
    public init(_ configuration: SessionConfiguration) throws(TransportError) {
        try configuration.validate()
        self.configuration = configuration
        cookieStore = configuration.cookies.store
        identity = SessionIdentity(configuration, cookies: cookieStore)
        strictTransport = try StrictTransportStore(configuration.strictTransport)
        redirects = RedirectRules(configuration, strictTransport: strictTransport)
        learnsFromResponses = cookieStore != nil || strictTransport != nil
    }

    /// Prepares a request to be sent: validates it, moves the user information of its URL into `Authorization`, and replaces `http` by `https`
    /// for a host that is contacted over TLS only.
    ///
    /// - Throws: ``TransportError/Code/invalidRequest``.
    package func prepared(_ request: NetworkRequest) throws(TransportError) -> NetworkRequest {
        let prepared = try request.prepared()
        guard let strictTransport else { return prepared }
        return try strictTransport.upgraded(prepared)
    }

    /// Creates the driver of a call: checks the request, moves the user information of its URL into `Authorization`, and replaces `http` by
    /// `https` for a host that is contacted over TLS only.
    ///
    /// - Throws: ``TransportError/Code/invalidRequest``, or ``TransportError/Code/trustUnavailable`` if the request's API states another trust
    ///   policy than ``SessionConfiguration/trust``; then the observer of its progress was notified of the end.
    public func driver(for request: NetworkRequest) throws(TransportError) -> CallDriver {
        do throws(TransportError) {
            let prepared = try prepared(request)
            if configuration.trustByHost.isEmpty { try prepared.requireStatedTrust(configuration.trust) }
            return CallDriver(prepared, rules: self)
        } catch {
            request.reportEnd()
            throw error
        }
    }
}

extension CallRules: RedactedStringConvertible {}

extension RedirectRules {
    /// Creates the rules of a configuration.
    ///
    /// - Parameter strictTransport: The hosts whose `http` URLs are replaced by `https` ones. Default: `nil` for no hosts.
    package init(_ configuration: SessionConfiguration, strictTransport: StrictTransportStore? = nil) {
        self.init(
            maximumRedirects: configuration.maximumRedirects, allowsInsecureRedirects: configuration.allowsInsecureRedirects,
            strictTransport: strictTransport)
    }
}
