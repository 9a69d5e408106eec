import Endpoints
import Foundation

/// Sends requests with `URLSession`: the default on Apple platforms, to be chosen on Linux.
///
/// Redirects, limits, time limits and the number of connections are this type's own and the same as with every other session
/// manager; of `URLSession` it uses only the moving of bytes. Where they cannot be quite the same:
///
/// - `URLSession` does not tell when a connection is ready, so the idle timeout runs from the moment the request leaves the
///   queue and covers connecting too. `SessionConfiguration.connectTimeout` is not used; a request's own `timeouts.connect`
///   limits the time to the first sign of life.
/// - `maximumHeaderBytes` is checked when the head is complete. `maximumIdleConnections` is up to `URLSession`, and
///   `maximumConnections` limits requests under way without counting idle connections. There are no `eventLoops`.
/// - Without a `userAgent`, `URLSession` sends its own. Field order, and the case of response field names, are not kept.
/// - A trust policy takes no client identity, and all hosts share one minimum version of TLS; on Linux there is none but the
///   default one. Asking for more is an error of each request (``TransportError/Code/trustUnavailable``).
/// - Bodies are held in memory, up to `maximumBodyBytes`: one from a file or a sequence is read before it is sent, and a streamed response
///   comes as one chunk.
/// - Trailers are not given, and ``TransferTimings/bytesReceived`` counts the bytes after content decoding.
///
/// On Linux, moreover, a server can stop the whole process: `URLSession` traps on a chunked response with trailers, and on a
/// connection that closes inside the response head. It closes descriptors while their event sources live, so that a descriptor
/// another thread opens at that moment may never be reported as ready by dispatch. A redirect that is handed back has no body, a
/// method in lower case is sent in upper case, and IPv6 literals are ``TransportError/Code/unsupported``. Prefer the default
/// session manager there.
///
/// When the session manager is released, its session is invalidated once the last transfer has ended.
public final class URLSessionManager: NetworkSessionManager {
    /// The limits in force.
    public let configuration: SessionConfiguration
    private let engine: URLSessionEngine
    private let trust: URLSessionTrust?
    private let flaw: TransportError?

    /// Shared by those that are content with the default limits, and with it its connections.
    public static let shared = URLSessionManager()

    /// Makes a session of its own.
    ///
    /// - Parameters:
    ///   - configuration: Limits that make no sense are an error of each request
    ///     (``TransportError/Code/invalidConfiguration``), and so is trust that cannot be loaded or enforced
    ///     (``TransportError/Code/trustUnavailable``).
    ///   - sessionConfiguration: Copied here; without cookies, cache and stored credentials by default. Its time limits and
    ///     its number of connections per host give way to those of `configuration`, and on Linux it loses its cache, since
    ///     the one there answers a request with another query's response.
    public init(
        configuration: SessionConfiguration = SessionConfiguration(),
        sessionConfiguration: URLSessionConfiguration = .isolated
    ) {
        self.configuration = configuration
        var trust: URLSessionTrust?
        do throws(TransportError) {
            try configuration.validate()
            trust = try URLSessionTrust(configuration)
            flaw = nil
        } catch {
            flaw = error
        }
        self.trust = trust
        engine = URLSessionEngine(
            limits: configuration, sessionConfiguration: sessionConfiguration.governed(by: configuration), trust: trust)
    }

    /// Makes a session like another one: with its protocol classes, cookie storage, proxies and additional headers.
    ///
    /// A session's delegate cannot be set later, so the given session only lends its configuration: it is not used, its
    /// delegate is not called, and it is never invalidated from here.
    public convenience init(session: URLSession, configuration: SessionConfiguration = SessionConfiguration()) {
        self.init(configuration: configuration, sessionConfiguration: session.configuration)
    }

    deinit {
        engine.close()
    }

    /// Sends a request. Its URL's user information is sent as `Authorization` unless there is one.
    ///
    /// - Parameter completion: Runs exactly once, on ``BackgroundThreads/completions``, so that it may block.
    /// - Returns: A handle that calls the transfer off.
    @discardableResult
    public func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        do throws(TransportError) {
            try admit(request)
            if let body = request.body, body.data == nil {
                return TaskCancellable { () async throws(TransportError) in
                    try await self.response(for: request)
                } completion: {
                    completion($0)
                }
            }
            return start(try request.prepared()) { outcome in
                // Not on a queue of the session's: the caller's closure may block.
                BackgroundThreads.completions.run { completion(outcome) }
            }
        } catch {
            request.reportEnd()
            return FailedRequest.deliver(error, to: completion)
        }
    }

    /// Sends a request, without a detour by a completion. A body from a file or a sequence is collected in memory first.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let bridge = CancellationBridge<NetworkResponse, TransportError>(
            cancellation: TransportError(.cancelled, "the task was cancelled", request: request))
        let hasBegun = Locked(false)
        do throws(TransportError) {
            try admit(request)
            var prepared = request
            if let body = request.body, body.data == nil {
                prepared.body = .data(try await body.collected(upTo: configuration.maximumBodyBytes))
            }
            prepared = try prepared.prepared()
            return try await bridge.run { [prepared] completion in
                hasBegun.withLock { $0 = true }
                return start(prepared, completion: completion)
            }
        } catch {
            if !hasBegun.withLock(\.self) { request.reportEnd() }
            throw error
        }
    }

    private func admit(_ request: NetworkRequest) throws(TransportError) {
        if let flaw { throw flaw }
        try trust?.admit(request)
    }

    /// - Parameter completion: Runs once, on a queue of the session's: it must not block.
    private func start(
        _ request: NetworkRequest, completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> URLSessionTransfer {
        let transfer = URLSessionTransfer(request, engine: engine, completion: completion)
        engine.start(transfer)
        return transfer
    }
}

extension NetworkSessionManager where Self == URLSessionManager {
    /// A `URLSession` of its own: `.urlSession()`.
    public static func urlSession(
        _ configuration: SessionConfiguration = SessionConfiguration()
    ) -> URLSessionManager {
        URLSessionManager(configuration: configuration)
    }

    /// A session like the given one: `.urlSession(like: stubbed)`. See ``URLSessionManager/init(session:configuration:)``.
    public static func urlSession(
        like session: URLSession, _ configuration: SessionConfiguration = SessionConfiguration()
    ) -> URLSessionManager {
        URLSessionManager(session: session, configuration: configuration)
    }
}

extension URLSessionConfiguration {
    /// A new configuration that shares and keeps nothing: no cookies stored or sent, no cache, no stored credentials.
    public static var isolated: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        return configuration
    }

    /// In place of `URLSession`'s own time limits, which are too coarse; far longer than any transfer, and finite, since
    /// infinity is a trap on Linux.
    static let backstop: TimeInterval = 2_000_000

    /// A copy in which nothing of `URLSession` decides before our own limits do.
    func governed(by limits: SessionConfiguration) -> URLSessionConfiguration {
        guard let governed = copy() as? URLSessionConfiguration else { return self }
        governed.timeoutIntervalForRequest = Self.backstop
        governed.timeoutIntervalForResource = Self.backstop
        governed.httpMaximumConnectionsPerHost = max(1, limits.maximumConnectionsPerHost)
        #if os(Linux)
            governed.urlCache = nil
        #endif
        return governed
    }
}
