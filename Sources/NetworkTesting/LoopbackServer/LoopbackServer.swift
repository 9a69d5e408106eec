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
