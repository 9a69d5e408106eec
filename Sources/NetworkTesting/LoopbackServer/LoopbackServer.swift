import Foundation

/// A real HTTP/1.1 server on 127.0.0.1, for tests: it answers as told, misbehaves as told, and remembers what it was asked.
///
/// ```swift
/// let server = try LoopbackServer {
///     Route(.get, "/movies/{id}") { request in .json(#"{"id": \#(request.pathParameters["id"] ?? "0")}"#) }
///     Route(.get, "/slow") { _ in .json("{}").delayed(by: .seconds(2)) }
///     Route(.get, "/cut") { _ in .text("hello").fault(.truncateBody(after: 3)) }
/// }
/// let page = server.url("/movies/1")
/// ```
///
/// It serves from when it is made to ``stop()``, or until it is released. Connections are kept alive, requests on one
/// connection are answered in their order, and a client that ends its sending side is taken to be gone. A request no route
/// matches is answered with 404, one whose path is known under another method with 405 and `Allow`, one that is not HTTP
/// with 400, after which its connection is closed.
public final class LoopbackServer: Sendable {
    /// `http://127.0.0.1:PORT`, without a slash at the end.
    public let url: URL

    let engine: LoopbackEngine

    /// Starts a server that answers by routes.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0, the default, takes a free one.
    ///   - configuration: Limits and habits.
    ///   - routes: The routes, the first match taken; without one, every request is answered with 404. Runs once, here.
    /// - Throws: ``LoopbackServerError`` when no socket can listen on the port.
    public convenience init(
        port: UInt16 = 0,
        configuration: LoopbackServerConfiguration = LoopbackServerConfiguration(),
        @LoopbackRouteBuilder routes: () -> [Route] = { [] }
    ) throws(LoopbackServerError) {
        try self.init(port, configuration, .routes(routes()))
    }

    /// Starts a server whose every request one closure answers in place.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0, the default, takes a free one.
    ///   - configuration: Limits and habits.
    ///   - handler: Runs once for each request on the server's queue, and the server does nothing else meanwhile. An error it
    ///     throws is answered with 500.
    /// - Throws: ``LoopbackServerError`` when no socket can listen on the port.
    public convenience init(
        port: UInt16 = 0,
        configuration: LoopbackServerConfiguration = LoopbackServerConfiguration(),
        handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) throws(LoopbackServerError) {
        try self.init(port, configuration, .single(.immediate(handler)))
    }

    /// Starts a server whose every request one asynchronous closure answers.
    ///
    /// - Parameters:
    ///   - port: The port to listen on; 0, the default, takes a free one.
    ///   - configuration: Limits and habits.
    ///   - handler: Runs once for each request in a task of its own, which is cancelled when the connection closes or the
    ///     server stops. An error it throws is answered with 500.
    /// - Throws: ``LoopbackServerError`` when no socket can listen on the port.
    public convenience init(
        port: UInt16 = 0,
        configuration: LoopbackServerConfiguration = LoopbackServerConfiguration(),
        handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) throws(LoopbackServerError) {
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

    /// The port it listens on.
    public var port: Int { Int(engine.port) }

    /// A URL on this server.
    ///
    /// - Parameter path: Path and query, percent-encoded; the slash at the beginning may be left out. What a URL cannot hold
    ///   is percent-encoded.
    public func url(_ path: String) -> URL {
        URL(string: url.absoluteString + (path.hasPrefix("/") ? path : "/" + path)) ?? url.appendingPathComponent(path)
    }

    /// Closes the listening socket and every connection, cancels handlers at work, and ends every wait.
    ///
    /// Idempotent; happens on release too. When it returns, all descriptors are closed and the port is free; called from a
    /// handler that runs on the server's queue, that happens right after the handler.
    public func stop() {
        engine.stop()
    }

    /// Closes every connection there is, idle or not; the server goes on accepting new ones.
    public func closeConnections() {
        engine.closeConnections()
    }
}

/// What has happened so far, and waiting for what is to happen. Safe to use from any thread.
extension LoopbackServer {
    /// The latest complete requests in the order they arrived, recorded before their handler ran; up to
    /// ``LoopbackServerConfiguration/maximumRecordedRequests``.
    public var requests: [LoopbackRequest] { engine.journal.requests }

    /// How many complete requests have arrived, recorded or not.
    public var requestCount: Int { engine.journal.tally.requests }

    /// How many connections were accepted.
    public var connectionCount: Int { engine.journal.tally.connections }

    /// How many of them are open now.
    public var openConnectionCount: Int { engine.journal.tally.openConnections }

    /// Forgets the recorded requests and counts from zero again.
    public func forgetRequests() {
        engine.journal.forgetRequests()
    }

    /// Returns once so many requests have arrived since the start or ``forgetRequests()``.
    ///
    /// - Returns: The recorded requests. Fewer than asked for if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForRequests(count: Int) async -> [LoopbackRequest] {
        _ = await engine.journal.wait { $0.requests >= count }
        return requests
    }

    /// Returns once so many connections have been accepted since the start.
    ///
    /// - Returns: `false` if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForConnections(count: Int) async -> Bool {
        await engine.journal.wait { $0.connections >= count }
    }

    /// Returns once exactly so many connections are open.
    ///
    /// - Returns: Whether that many are open; not so if the server stopped or the task was cancelled before.
    @discardableResult
    public func waitForOpenConnections(_ count: Int) async -> Bool {
        await engine.journal.wait { $0.openConnections == count }
    }
}

/// Limits and habits of a ``LoopbackServer``.
public struct LoopbackServerConfiguration: Sendable {
    /// Request line and header fields together, in bytes; also the limit of a chunked request's trailers. A longer head is
    /// answered with 431 and the connection closed. 64 KiB by default.
    public var maximumHeadBytes: Int

    /// Request body in bytes, after the removal of chunked framing. A longer body is answered with 413 and the connection
    /// closed. 256 MiB by default.
    public var maximumBodyBytes: Int

    /// How many of the latest requests ``LoopbackServer/requests`` keeps, bodies included; zero keeps none.
    /// Counting goes on beyond it. 10,000 by default.
    public var maximumRecordedRequests: Int

    /// Whether `Expect: 100-continue` is answered with an interim 100 (RFC 9110 §10.1.1). A server that does not answer
    /// shows how long a client waits. `true` by default.
    public var answersExpectContinue: Bool

    /// How many connections the system may hold that were not accepted yet; the system's own limit applies too.
    /// 1,024 by default.
    public var backlog: Int

    /// What happens to a connection once it is accepted. ``LoopbackListenerBehavior/serve`` by default.
    public var behavior: LoopbackListenerBehavior

    /// - Parameters: see the properties of the same names.
    public init(
        maximumHeadBytes: Int = 64 << 10,
        maximumBodyBytes: Int = 256 << 20,
        maximumRecordedRequests: Int = 10_000,
        answersExpectContinue: Bool = true,
        backlog: Int = 1024,
        behavior: LoopbackListenerBehavior = .serve
    ) {
        self.maximumHeadBytes = maximumHeadBytes
        self.maximumBodyBytes = maximumBodyBytes
        self.maximumRecordedRequests = maximumRecordedRequests
        self.answersExpectContinue = answersExpectContinue
        self.backlog = backlog
        self.behavior = behavior
    }
}

/// What a ``LoopbackServer`` does with the connections it accepts.
public struct LoopbackListenerBehavior: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case serve, neverAnswer, closeOnAccept, resetOnAccept
    }

    let kind: Kind

    /// Requests are read, routed and answered.
    public static let serve = LoopbackListenerBehavior(kind: .serve)

    /// Whatever arrives is read, complete requests are recorded, and not one byte is ever sent: no response, no interim 100,
    /// no 400. Handlers do not run.
    public static let neverAnswer = LoopbackListenerBehavior(kind: .neverAnswer)

    /// The connection is closed in an orderly way (FIN) as soon as it is accepted.
    public static let closeOnAccept = LoopbackListenerBehavior(kind: .closeOnAccept)

    /// The connection is reset (RST) as soon as it is accepted.
    public static let resetOnAccept = LoopbackListenerBehavior(kind: .resetOnAccept)
}

/// Why a ``LoopbackServer`` could not start: the system call that failed, and its `errno`.
///
/// `EADDRINUSE` from `bind` says that the port asked for is taken, `EMFILE` from `socket` that the process has no file
/// descriptor left.
public struct LoopbackServerError: Error, Hashable, Sendable {
    /// The name of the system call, such as `bind`.
    public var operation: String

    /// The value of `errno` after it.
    public var code: Int32

    /// - Parameters: see the properties of the same names.
    public init(operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }
}

extension LoopbackServerError: CustomStringConvertible {
    /// The operation and the system's message for the code.
    public var description: String {
        "The loopback server could not start: \(operation): \(String(cString: strerror(code)))"
    }
}
