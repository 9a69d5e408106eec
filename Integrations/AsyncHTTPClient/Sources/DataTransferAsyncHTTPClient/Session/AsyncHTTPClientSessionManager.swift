import AsyncHTTPClient
import Endpoints
import NIOCore
import NIOPosix
import NetworkCore
@_spi(SessionManagers) import NetworkTransport

/// A session manager that sends requests with async-http-client, on the event loops of a program that uses SwiftNIO.
///
/// Redirects, cookies, content codings, limits and time limits are those of all session managers; async-http-client only transfers bytes, and its own
/// redirects, decompression and tracing are off. What it cannot do is refused by an error that names the option:
///
/// - Each request fails if the configuration has `trust.pins` or `trustByHost` (``NetworkCore/TransportError/Code/trustUnavailable``),
///   `httpVersion` with HTTP/2 or HTTP/3 required or `httpVersionByHost` (``NetworkCore/TransportError/Code/httpVersionUnavailable``), a proxy,
///   also one of the environment, or another value than the default of `route`, `unixSocketPath`, `eventLoops`, `completions` or `maximumIdleConnections`
///   (``NetworkCore/TransportError/Code/invalidConfiguration``).
/// - A request with trailers, `Expect`, `Upgrade` or a value that is not UTF-8 fails (``NetworkCore/TransportError/Code/unsupported``).
///
/// These differ from `SocketSessionManager`:
///
/// - HTTP/2 is used for requests without a body only, because a server can stop the process otherwise: version 1.37.0 of async-http-client traps when a
///   stream is reset whose response was complete before the request was.
/// - Trailers and informational responses are not available. A response head of more than 80 KiB is an error, whatever `maximumHeaderBytes` is.
/// - A request's own connect timeout can be shorter than that of the configuration, not longer. It includes waiting for a stream of HTTP/2.
/// - `maximumConnections` limits active requests without counting idle connections. Priorities of requests have no effect on the queue.
/// - ``NetworkCore/TransferTimings`` have no times of name lookup, connect and TLS; whether a connection was reused and the server's address are not
///   known. `bytesReceived` counts bytes before content decoding.
/// - An idempotent request whose connection ends before the response begins is sent again once, over HTTP/2 twice, whether or not the connection was new.
public final class AsyncHTTPClientSessionManager: ClosableSessionManager {
    /// The configuration of this session manager.
    public let configuration: SessionConfiguration
    private let group: MultiThreadedEventLoopGroup
    private let parts: Result<ClientParts, TransportError>
    private let registry = CallRegistry()

    /// Creates a session manager with a separate client, which is shut down when the session manager is released and its last request has ended.
    ///
    /// Files of a trust policy are read here.
    ///
    /// - Parameters:
    ///   - configuration: The limits and the trust policy. Each request fails if a value is invalid or cannot be enforced.
    ///   - eventLoopGroup: The event loops. It must live longer than the session manager. Default: the singleton.
    public init(
        configuration: SessionConfiguration = SessionConfiguration(),
        eventLoopGroup: MultiThreadedEventLoopGroup = .singleton
    ) {
        self.configuration = configuration
        group = eventLoopGroup
        do throws(TransportError) {
            parts = .success(try ClientParts(configuration, eventLoopGroup))
        } catch {
            parts = .failure(error)
        }
    }

    /// The store of the cookies that are added to requests; `nil` if there are none.
    public var cookieStore: CookieStore? { (try? parts.get())?.rules.cookieStore }

    /// Sends a request and returns its response: the complete one, or, if the request is streamed, one whose head was received.
    ///
    /// - Throws: ``NetworkCore/TransportError``; at once when the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let control = CallControl(request)
        let parts: ClientParts
        do throws(TransportError) {
            parts = try self.parts.get()
            try registry.add(control)
        } catch {
            request.progress?.transferDidProgress(TransferProgress(isFinished: true))
            throw error
        }
        let driver: CallDriver
        do throws(TransportError) {
            driver = try parts.rules.driver(for: request)
        } catch {
            registry.remove(control)
            throw error
        }
        control.start(driver, on: group.any())
        return try await driver.response(over: Transfer(driver, control, parts, registry))
    }

    /// Closes the session manager: refuses new requests from now on, waits for those that are under way, and cancels those that have not ended when the
    /// grace period is over. Then it shuts its client down.
    ///
    /// A request that is refused or cancelled by this fails with ``NetworkCore/TransportError/Code/sessionClosed``. All calls return the same report.
    ///
    /// - Parameter grace: The grace period. With zero or less, everything is cancelled at once.
    public func close(grace: Duration) async -> ClosingReport {
        registry.beginClosing()
        let report = await registry.report(grace: grace, on: group.any())
        await (try? parts.get())?.shutDown()
        return report
    }
}
