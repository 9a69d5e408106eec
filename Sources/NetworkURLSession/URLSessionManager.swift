import Endpoints
import Foundation
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session manager that sends requests with `URLSession`: the default on Apple platforms, and available on Linux.
///
/// It handles redirects, size limits, time limits and the number of connections itself, as every other session manager does; it
/// uses `URLSession` only to transfer bytes. Some behavior differs:
///
/// - `URLSession` does not report when a connection is ready, so the idle timeout starts when the request leaves the queue, and
///   includes connecting. `SessionConfiguration.connectTimeout` is not used; a request's own `timeouts.connect` limits the time
///   to the first activity.
/// - `maximumHeaderBytes` is checked when the head is complete. `maximumIdleConnections` is up to `URLSession`, and
///   `maximumConnections` limits active requests without counting idle connections. `eventLoops` has no effect.
/// - Without a `userAgent`, `URLSession` sends its default one. The order of fields, and the case of response field names, are
///   lost.
/// - `SessionConfiguration.route` and `unixSocketPath` are not supported: any value but the default fails each request
///   (``NetworkCore/TransportError/Code/invalidConfiguration``), and so does a proxy other than `.environment` and `.none`, which
///   have no effect: `URLSession` uses the proxy of its session configuration. ``NetworkCore/NetworkResponse/serverAddress`` is `nil` on Linux.
/// - A client identity in a trust policy is not supported, and all hosts share one minimum TLS version. On Linux, only the
///   default trust policy is supported. Other policies fail each request (``NetworkCore/TransportError/Code/trustUnavailable``).
/// - A body from a sequence is sent while it is produced; one of a known length of at most 256 KiB is read first. On Linux, each is read first, and
///   written to a temporary file if it has more than 256 KiB, so that no response can be received meanwhile.
/// - While the reader of a streamed response does not read, `URLSession` is suspended. What it delivers nevertheless waits in memory, up to `maximumBodyBytes`; beyond
///   that, the transfer fails (``NetworkCore/TransportError/Code/bodyTooLarge``). On Linux, it cannot be suspended.
/// - A required version of HTTP is not supported: with another `httpVersion` than a preference, each request fails
///   (``NetworkCore/TransportError/Code/httpVersionUnavailable``). `http3Preferred` sets `assumesHTTP3Capable`, except on Linux.
/// - While `URLSession` waits for a network (`waitsForConnectivity`), the idle timeout does not run.
/// - Foundation joins the `Set-Cookie` fields of a response with commas; they are separated where a comma is followed by a name and `=`.
///   Cookies of ``NetworkCore/SessionConfiguration/cookies`` are stored when the response is complete.
/// - A connection is only switched to another protocol for WebSockets, on Apple platforms, by a `URLSessionWebSocketTask`.
/// - Trailers are not available, and ``NetworkCore/TransferTimings/bytesReceived`` counts the bytes after content decoding.
///
/// On Linux, in addition, a server can stop the whole process: `URLSession` traps on a chunked response with trailers, and on a
/// connection that closes inside the response head. It closes file descriptors while their event sources are active, so that
/// dispatch may never report a descriptor as ready that another thread opens at that moment. A redirect that is returned as a
/// response has no body, a method in lower case is sent in upper case, and IPv6 literals are ``NetworkCore/TransportError/Code/unsupported``.
/// Prefer the default session manager there.
///
/// When the session manager is released, its session is invalidated after the last transfer has ended.
public final class URLSessionManager: ClosableSessionManager {
    /// The configuration of this session manager.
    public let configuration: SessionConfiguration
    /// Made of the trust policies and the cookies of the configuration; unique if the `URLSessionConfiguration` has cookies, credentials, a proxy
    /// or header fields that cannot be seen here, and ``NetworkCore/SessionConfiguration/profile`` is `nil`.
    public let identity: SessionIdentity
    private let parts: Result<Parts, TransportError>

    /// What exists if the configuration is valid.
    private struct Parts {
        let rules: CallRules
        let trust: URLSessionTrust?
        let engine: URLSessionEngine
    }

    /// A shared session manager with the default limits, whose connections are shared too.
    public static let shared = URLSessionManager()

    /// Creates a session manager with a separate session.
    ///
    /// - Parameters:
    ///   - configuration: The limits and trust policies. Each request fails if a value is invalid
    ///     (``NetworkCore/TransportError/Code/invalidConfiguration``), or if a trust policy cannot be loaded or enforced
    ///     (``NetworkCore/TransportError/Code/trustUnavailable``).
    ///   - sessionConfiguration: The configuration of the session, which is copied. With `nil`, the default, without cookies, cache and
    ///     stored credentials. Its time limits and its number of connections per host are replaced by those of `configuration`, and its
    ///     cookie storage is not used if `configuration.cookies` names another one. On Linux its cache is removed, since it can return the
    ///     response to another query.
    public init(
        configuration: SessionConfiguration = SessionConfiguration(),
        sessionConfiguration: URLSessionConfiguration? = nil
    ) {
        self.configuration = configuration
        do throws(TransportError) {
            let rules = try CallRules(configuration)
            try Self.admit(configuration)
            let trust = try URLSessionTrust(configuration)
            let engine = URLSessionEngine(
                rules, sessionConfiguration: (sessionConfiguration ?? .isolated).governed(by: configuration), trust: trust,
                versions: try HTTPVersionTable(configuration))
            parts = .success(Parts(rules: rules, trust: trust, engine: engine))
            let isHidden = sessionConfiguration?.selectsUser == true && configuration.profile == nil
            identity = isHidden ? .unique() : rules.identity
        } catch {
            parts = .failure(error)
            identity = .unique()
        }
    }

    /// The store of the cookies that are added to requests; `nil` if there are none.
    public var cookieStore: CookieStore? { (try? parts.get())?.rules.cookieStore }

    deinit {
        (try? parts.get())?.engine.close()
    }

    /// Closes the session manager: refuses new requests from now on, waits for those that are under way, and cancels those that have
    /// not ended when the grace period is over. Then it invalidates the session of `URLSession`.
    ///
    /// A request that is refused or cancelled by this fails with ``NetworkCore/TransportError/Code/sessionClosed``. A request whose body is still
    /// read has not been accepted, and is refused. ``shared`` can be closed too, which is for the end of a program.
    ///
    /// It may be called several times, also concurrently: all calls return the same report, and the grace period that ends first applies.
    /// If the task is cancelled, the grace period ends at once. Closing cannot be undone. Numbers of connections are not available: they
    /// are up to `URLSession`.
    ///
    /// - Parameter grace: The grace period. With zero or less, everything is cancelled at once.
    public func close(grace: Duration) async -> ClosingReport {
        guard let engine = (try? parts.get())?.engine else { return ClosingReport() }
        engine.beginClosing()
        return await engine.closing.report(grace: grace, on: TimeSource(ContinuousClock())) { engine.cutOff() }
    }

    /// Sends a request and returns its response. User information in its URL is sent as `Authorization`, unless that field is set.
    /// The body of a streamed response is still arriving when this returns; `maximumBodyBytes` limits what waits for its reader.
    ///
    /// - Throws: ``NetworkCore/TransportError``; at once when the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let transfer: URLSessionTransfer
        do throws(TransportError) {
            let parts = try self.parts.get()
            try parts.trust?.admit(request)
            if request.body?.trailers != nil { throw request.trailersUnsupported("URLSession sends none") }
            let prepared = try parts.rules.prepared(request)
            var upload: URLSessionUpload?
            if let body = prepared.body { upload = try await .prepare(body, of: prepared) }
            transfer = URLSessionTransfer(prepared, upload: upload, rules: parts.rules, engine: parts.engine)
        } catch {
            request.reportEnd()
            throw error
        }
        return try await transfer.driver.response(over: transfer)
    }

    private static func admit(_ configuration: SessionConfiguration) throws(TransportError) {
        for (subject, choice) in configuration.httpVersions where choice.isRequirement {
            throw TransportError(
                .httpVersionUnavailable, "\(subject) requires \(choice); URLSession chooses the version of HTTP itself")
        }
        guard configuration.route == RouteOptions() else {
            throw RouteOptions.invalid(
                "addresses, family, localAddress and others: URLSession has no such option; SocketSessionManager has")
        }
        guard configuration.unixSocketPath == nil else {
            throw TransportError(
                .invalidConfiguration, "unixSocketPath: URLSession has no such option; SocketSessionManager has")
        }
        guard !configuration.proxy.isExplicit else {
            throw TransportError(
                .invalidConfiguration,
                "proxy: URLSession uses the proxy of its session configuration; SocketSessionManager has this option")
        }
    }
}

extension URLSessionConfiguration {
    /// A new configuration that shares and stores nothing: no cookies, no cache and no stored credentials.
    package static var isolated: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.isolate()
        return configuration
    }

    /// Removes what is shared and stored: cookies, the cache and stored credentials.
    package func isolate() {
        ignoreCookies()
        urlCache = nil
        urlCredentialStorage = nil
    }

    /// Whether the requests of the session contain something that selects a user or a peer and is not part of a `NetworkRequest`.
    fileprivate var selectsUser: Bool {
        httpCookieStorage != nil || urlCredentialStorage != nil || !(connectionProxyDictionary ?? [:]).isEmpty
            || !(httpAdditionalHeaders ?? [:]).isEmpty
    }

    private func ignoreCookies() {
        httpCookieStorage = nil
        httpShouldSetCookies = false
        httpCookieAcceptPolicy = .never
    }

    /// The value of `URLSession`'s own time limits, which are too coarse to be used: longer than any transfer, and finite, since
    /// infinity traps on Linux.
    static let backstop: TimeInterval = 2_000_000

    /// Returns a copy in which no limit of `URLSession` applies before those of the session manager.
    func governed(by limits: SessionConfiguration) -> URLSessionConfiguration {
        guard let governed = copy() as? URLSessionConfiguration else { return self }
        governed.timeoutIntervalForRequest = Self.backstop
        governed.timeoutIntervalForResource = Self.backstop
        governed.httpMaximumConnectionsPerHost = max(1, limits.maximumConnectionsPerHost)
        if limits.cookies != .ignored { governed.ignoreCookies() }
        #if os(Linux)
            governed.urlCache = nil
        #endif
        return governed
    }
}

extension URLSessionManager: RedactedStringConvertible {}
