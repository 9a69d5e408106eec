import Endpoints
import NetworkLogging

/// What every session manager does with a request besides transferring bytes: the checks, the redirects, the cookies, the hosts that are
/// contacted over TLS only, and the reports of progress. For session managers of other packages.
///
/// A session manager calls ``begin(_:)``, sends ``SessionCall/request`` with ``SessionCall/fields``, passes the head of the response to
/// ``SessionCall/receive(status:headers:isVerified:)``, and repeats both while that returns `true`.
///
/// All requests of a session manager share one value, since it holds its cookies. Limits of time, of sizes and of connections are up to the
/// session manager; ``SessionCall`` has those of time.
public struct SessionRules: Sendable {
    /// The configuration of the session manager.
    public let configuration: SessionConfiguration
    /// The store of the cookies; `nil` if cookies are ignored. A session manager returns it as ``CookieSource/cookieStore``.
    public let cookieStore: CookieStore?
    /// The identity of the session manager, which returns it as ``NetworkSessionManager/identity``.
    public let identity: SessionIdentity
    let strictTransport: StrictTransportStore?
    let redirects: RedirectRules

    /// Creates rules, and reads the file of ``SessionConfiguration/strictTransport`` if it names one.
    ///
    /// - Throws: ``TransportError/Code/invalidConfiguration`` with the name of the invalid value.
    public init(_ configuration: SessionConfiguration) throws(TransportError) {
        try configuration.validate()
        self.configuration = configuration
        cookieStore = configuration.cookies.store
        identity = SessionIdentity(configuration, cookies: cookieStore)
        let strictTransport = try StrictTransportStore(configuration.strictTransport)
        self.strictTransport = strictTransport
        redirects = RedirectRules(configuration, strictTransport: strictTransport)
    }

    /// Begins a call: checks the request, moves the user information of its URL into `Authorization`, and replaces `http` by `https` for a host
    /// that is contacted over TLS only.
    ///
    /// - Throws: ``TransportError/Code/invalidRequest``, or ``TransportError/Code/trustUnavailable`` if the request's API states another trust
    ///   policy than ``SessionConfiguration/trust``; then the observer of its progress was notified of the end.
    public func begin(_ request: NetworkRequest) throws(TransportError) -> SessionCall {
        do throws(TransportError) {
            var prepared = try request.prepared()
            if let strictTransport { prepared = try strictTransport.upgraded(prepared) }
            if configuration.trustByHost.isEmpty { try prepared.requireStatedTrust(configuration.trust) }
            return SessionCall(prepared, rules: self)
        } catch {
            request.reportEnd()
            throw error
        }
    }
}

extension SessionRules: RedactedStringConvertible {}

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
