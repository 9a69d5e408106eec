import Foundation
import NetworkLogging

/// A real HTTP/1.1 server on 127.0.0.1 for tests, with routes, faults on demand and recorded requests.
///
/// ```swift
/// let server = try LoopbackServer {
///     LoopbackRoute(.get, "/movies/{id}") { request in
///         .json(#"{"id": \#(request.pathParameters["id"] ?? "0")}"#)
///     }
///     LoopbackRoute(.get, "/slow") { _ in .json("{}").delayed(by: .seconds(2)) }
///     LoopbackRoute(.get, "/cut") { _ in .json("{}").fault(.resetBody(after: 1)) }
/// }
/// let page = server.url("/movies/1")
/// ```
///
/// It accepts connections from its creation until ``stop()`` is called or it is released. Connections are kept alive, and requests
/// on one connection are processed in order. A client that closes its sending side is treated as disconnected. The response to a
/// request that no route matches is 404; if its path has a route for another method, 405 with `Allow`; if it is not valid HTTP,
/// 400, after which the connection is closed.
public final class LoopbackServer: Sendable {
    /// The base URL of the server, `http://127.0.0.1:PORT`, without a trailing slash.
    public let url: URL

    let engine: LoopbackEngine

    /// Starts a server with routes.
    ///
    /// - Parameters:
    ///   - port: The port to listen on. Default: 0, a free port.
    ///   - configuration: The limits and behavior of the server.
    ///   - routes: The routes, of which the first match is used. Without routes, every response is 404. Runs once, before the
    ///     initializer returns.
    /// - Throws: ``LoopbackServerError`` if no socket can listen on the port.
    public convenience init(
        port: UInt16 = 0,
        configuration: LoopbackServerConfiguration = LoopbackServerConfiguration(),
        @LoopbackRouteBuilder routes: () -> [LoopbackRoute] = { [] }
    ) throws {
        try self.init(port, configuration, .routes(routes()))
    }

    /// Starts a server that handles every request with one synchronous closure.
    ///
    /// - Parameters:
    ///   - port: The port to listen on. Default: 0, a free port.
    ///   - configuration: The limits and behavior of the server.
    ///   - handler: Runs once for each request on the server's serial queue, which it blocks meanwhile. If it throws an error, the
    ///     response is 500.
    /// - Throws: ``LoopbackServerError`` if no socket can listen on the port.
    public convenience init(
        port: UInt16 = 0,
        configuration: LoopbackServerConfiguration = LoopbackServerConfiguration(),
        handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) throws {
        try self.init(port, configuration, .single(.immediate(handler)))
    }

    /// Starts a server that handles every request with one asynchronous closure.
    ///
    /// - Parameters:
    ///   - port: The port to listen on. Default: 0, a free port.
    ///   - configuration: The limits and behavior of the server.
    ///   - handler: Runs once for each request in a separate task, which is cancelled when the connection is closed or the server
    ///     stops. If it throws an error, the response is 500.
    /// - Throws: ``LoopbackServerError`` if no socket can listen on the port.
    public convenience init(
        port: UInt16 = 0,
        configuration: LoopbackServerConfiguration = LoopbackServerConfiguration(),
        handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) throws {
        try self.init(port, configuration, .single(.asynchronous(handler)))
    }

    private init(
        _ port: UInt16, _ configuration: LoopbackServerConfiguration, _ router: LoopbackRouter
    ) throws(LoopbackServerError) {
        engine = try LoopbackEngine(port: port, configuration: configuration, router: router)
        guard let url = URL(string: "http://127.0.0.1:\(engine.port)") else {
            throw LoopbackServerError(operation: "URL", code: EINVAL)
        }
        self.url = url
    }

    deinit {
        engine.stop()
    }

    /// The port that the server listens on.
    public var port: Int { Int(engine.port) }

    /// Returns a URL on this server.
    ///
    /// - Parameter path: The percent-encoded path and query; the leading slash is optional. Characters that a URL cannot contain
    ///   are percent-encoded.
    public func url(_ path: String) -> URL {
        URL(string: url.absoluteString + (path.hasPrefix("/") ? path : "/" + path)) ?? url.appendingPathComponent(path)
    }

    /// Stops the server: closes the listening socket and all connections, cancels running handlers, and ends all waits.
    ///
    /// Idempotent; called when the server is released, too. When it returns, all descriptors are closed and the port is free. If
    /// it is called from a handler on the server's queue, they are closed right after the handler returns.
    public func stop() {
        engine.stop()
    }

    /// Closes all open connections, idle or not. The server continues to accept new ones.
    public func closeConnections() {
        engine.closeConnections()
    }
}

// MARK: - Recorded requests and counts

// Safe to use from any thread.
extension LoopbackServer {
    /// The latest complete requests in the order of their arrival, each recorded before its handler runs. At most
    /// ``LoopbackServerConfiguration/maximumRecordedRequests``.
    public var requests: [LoopbackRequest] { engine.log.requests }

    /// The number of complete requests received since the start or ``forgetRequests()``, recorded or not.
    public var requestCount: Int { engine.log.tally.requests }

    /// The number of connections accepted since the start.
    public var connectionCount: Int { engine.log.tally.connections }

    /// The number of connections that are open now.
    public var openConnectionCount: Int { engine.log.tally.openConnections }

    /// Removes the recorded requests and resets their count to zero.
    public func forgetRequests() {
        engine.log.forgetRequests()
    }

    /// Waits until `count` requests have been received since the start or ``forgetRequests()``.
    ///
    /// - Returns: The recorded requests. They are fewer than `count` if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForRequests(count: Int) async -> [LoopbackRequest] {
        _ = await engine.log.wait { $0.requests >= count }
        return requests
    }

    /// Waits until `count` connections have been accepted since the start.
    ///
    /// - Returns: `true`, or `false` if the server stopped or the task was cancelled before.
    @discardableResult
    package func waitForConnections(count: Int) async -> Bool {
        await engine.log.wait { $0.connections >= count }
    }

    /// Waits until exactly `count` connections are open.
    ///
    /// - Returns: `true`, or `false` if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForOpenConnections(count: Int) async -> Bool {
        await engine.log.wait { $0.openConnections == count }
    }
}

/// The error of a ``LoopbackServer`` that could not start: the failed system call and its `errno`.
///
/// `EADDRINUSE` from `bind` means that the requested port is in use, `EMFILE` from `socket` that the process has no free file
/// descriptor.
public struct LoopbackServerError: Error, Hashable, Sendable {
    /// The name of the failed system call, such as `bind`.
    public var operation: String

    /// The value of `errno` after the call.
    public var code: Int32

    /// Creates an error. The parameters correspond to the properties of the same names.
    package init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }
}

extension LoopbackServerError: RedactedStringConvertible, LocalizedError {
    /// A message with the operation and the system's text for the code.
    public var description: String {
        "The loopback server could not start: \(operation.printable): \(String(cString: strerror(code)))"
    }
}

/// The limits and behavior of a ``LoopbackServer``.
public struct LoopbackServerConfiguration: Sendable {
    /// The maximum size of request line and header fields together, in bytes; also that of the trailers of a chunked request.
    /// A longer head gets a 431, and the connection is closed. Default: 64 KiB.
    public var maximumHeadBytes: Int

    /// The maximum size of a request body in bytes, without chunked framing. A longer body gets a 413, and the connection is
    /// closed. Default: 256 MiB.
    public var maximumBodyBytes: Int

    /// The maximum number of requests in ``LoopbackServer/requests``, which keeps the latest with their bodies; 0 keeps none.
    /// ``LoopbackServer/requestCount`` is not limited. Default: 10,000.
    public var maximumRecordedRequests: Int

    /// Whether the server responds to `Expect: 100-continue` with an interim 100 (RFC 9110 §10.1.1). With `false`, a test can
    /// observe how long a client waits. Default: `true`.
    public var sendsContinue: Bool

    /// The maximum number of connections that the system queues until they are accepted; the system's own limit also applies.
    /// Default: 1,024.
    public var backlog: Int

    /// What the server does with accepted connections. Default: ``LoopbackListenerBehavior/serve``.
    public var behavior: LoopbackListenerBehavior

    /// Creates a configuration. The parameters correspond to the properties of the same names.
    public init(
        maximumHeadBytes: Int = 64 << 10,
        maximumBodyBytes: Int = 256 << 20,
        maximumRecordedRequests: Int = 10_000,
        sendsContinue: Bool = true,
        backlog: Int = 1024,
        behavior: LoopbackListenerBehavior = .serve
    ) {
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumRecordedRequests = maximumRecordedRequests
        self.sendsContinue = sendsContinue
        self.backlog = backlog
        self.behavior = behavior
    }
}

/// The behavior of a ``LoopbackServer`` towards accepted connections.
public enum LoopbackListenerBehavior: Hashable, Sendable {
    /// Reads and routes requests and sends responses.
    case serve

    /// Reads requests and records complete ones, but never sends a byte: no response, no interim 100, no 400. Handlers do not
    /// run.
    case neverRespond

    /// Closes each connection in an orderly way (FIN) as soon as it is accepted.
    case closeOnAccept

    /// Resets each connection (RST) as soon as it is accepted.
    case resetOnAccept
}

extension LoopbackServer: RedactedStringConvertible {}
