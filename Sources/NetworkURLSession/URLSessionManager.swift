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
/// uses `URLSession` only to transfer bytes. `Docs/Platforms.md` has a table of all that differs from `SocketSessionManager`, with a test for
/// each row. The most important:
///
/// - `URLSession` does not report when a connection is ready, so the idle timeout starts when the request leaves the queue, and
///   includes connecting. `SessionConfiguration.connectTimeout` is not used; a request's own `timeouts.connect` limits the time
///   to the first activity. `maximumHeaderBytes` is checked when the head is complete.
/// - `maximumIdleConnections` is up to `URLSession`, and `maximumConnections` limits active requests without counting idle
///   connections. `eventLoops` has no effect.
/// - Routes, Unix domain sockets, proxies other than `.environment` and `.none` (``NetworkCore/TransportError/Code/invalidConfiguration``), and
///   a required version of HTTP (``NetworkCore/TransportError/Code/httpVersionUnavailable``) are not supported: any of them fails each request.
///   `URLSession` uses the proxy of its session configuration.
/// - A client identity in a trust policy is not supported, and all hosts share one minimum TLS version. On Linux, only the
///   default trust policy is supported. Other policies fail each request (``NetworkCore/TransportError/Code/trustUnavailable``).
/// - A body from a sequence is sent while it is produced; one of a known length of at most 256 KiB is read first. On Linux, each is read first, without a
///   limit of time or size, and written to a temporary file if it has more than 256 KiB, so that no response can be received meanwhile.
/// - While the reader of a streamed response does not read, `URLSession` is suspended. What it delivers nevertheless waits, the first 256 KiB in
///   memory and the rest in a temporary file without a name; beyond 4 GiB, the transfer fails (``NetworkCore/TransportError/Code/bodyTooLarge``),
///   and with ``NetworkCore/TransportError/Code/outOfResources`` if the file cannot be written. On Linux, it cannot be suspended, and receives as
///   fast as the server sends.
/// - `http3Preferred` sets `assumesHTTP3Capable`, and while `URLSession` waits for a network (`waitsForConnectivity`), the idle timeout does not
///   run. On Linux, both have no effect.
/// - The order of fields, and the case of response field names, are lost. Trailers are not available, and
///   ``NetworkCore/TransferTimings/bytesReceived`` counts the bytes after content decoding.
/// - Cookies of ``NetworkCore/SessionConfiguration/cookies`` are stored when the response is complete.
/// - A connection is only switched to another protocol for WebSockets, on Apple platforms, by a `URLSessionWebSocketTask`.
/// - A `URLCache` is not used: the cache is the interceptor of `NetworkCache`.
///
/// On Linux, in addition, a server can stop the whole process: `URLSession` traps on a chunked response with trailers, and on a
/// connection that closes inside the response head. One that sends without a pause holds up all sessions of the process. Prefer the default
/// session manager there.
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
    ///     stored credentials. What it says of networks is kept, such as `waitsForConnectivity`, `allowsConstrainedNetworkAccess`,
    ///     `allowsExpensiveNetworkAccess`, `allowsCellularAccess` and `multipathServiceType`, and so are its proxy, header fields and protocol
    ///     classes. Its time limits and its number of connections per host are replaced by those of `configuration`, and its cookie storage is
    ///     not used if `configuration.cookies` names another one. Its `URLCache` is neither read nor written.
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
    /// The body of a streamed response is still arriving when this returns; `maximumBodyBytes` does not limit it.
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

    /// Returns a copy in which no limit of `URLSession` applies before those of the session manager, and no cache below its interceptors. All
    /// else is kept.
    func governed(by limits: SessionConfiguration) -> URLSessionConfiguration {
        guard let governed = copy() as? URLSessionConfiguration else { return self }
        governed.timeoutIntervalForRequest = Self.backstop
        governed.timeoutIntervalForResource = Self.backstop
        governed.httpMaximumConnectionsPerHost = max(1, limits.maximumConnectionsPerHost)
        governed.urlCache = nil
        if limits.cookies != .ignored { governed.ignoreCookies() }
        return governed
    }
}

extension URLSessionManager: RedactedStringConvertible {}
