import Endpoints

/// A method, a path pattern, and the handler that answers requests matching both.
///
/// A segment of the pattern in braces matches any one segment of the path that is not empty, and is found percent-decoded in
/// ``LoopbackRequest/pathParameters``; other segments match literally after percent-decoding. Slashes count: `/movies` and
/// `/movies/` are two paths. The first route that matches is taken, in the order they were listed. HEAD is answered by the
/// GET route of the path, without the body, unless a HEAD route exists.
public struct Route: Sendable {
    /// The method, compared exactly.
    public let method: HTTPMethod

    /// The path pattern as it was given, such as `/movies/{id}`.
    public let path: String

    let pattern: LoopbackPathPattern
    let handler: LoopbackHandler

    /// A route answered in place.
    ///
    /// - Parameter handler: Runs once for each request on the server's queue, and the server does nothing else meanwhile:
    ///   use the asynchronous form for anything that waits. An error it throws is answered with 500.
    public init(
        _ method: HTTPMethod, _ path: String, handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        self.init(method, path, .immediate(handler))
    }

    /// A route answered by an asynchronous handler.
    ///
    /// - Parameter handler: Runs once for each request in a task of its own, which is cancelled when the connection closes or
    ///   the server stops. Other connections are served meanwhile. It needs a thread of Swift's pool: a test that blocks all
    ///   of those while it waits for the answer waits for ever. An error it throws is answered with 500.
    public init(
        _ method: HTTPMethod, _ path: String, handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        self.init(method, path, .asynchronous(handler))
    }

    private init(_ method: HTTPMethod, _ path: String, _ handler: LoopbackHandler) {
        self.method = method
        self.path = path
        self.handler = handler
        pattern = LoopbackPathPattern(path)
    }
}
