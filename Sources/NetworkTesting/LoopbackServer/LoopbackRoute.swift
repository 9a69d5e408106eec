import Endpoints
import NetworkCore
import NetworkSupport

/// A route of a ``LoopbackServer``: a method, a path pattern, and the handler for requests that match both.
///
/// A pattern segment in braces matches any single segment of the path that is not empty; its percent-decoded text is in
/// ``LoopbackRequest/pathParameters``. Other segments match literally after percent-decoding. Slashes are significant: `/movies`
/// and `/movies/` are different paths. The first matching route is used, in the order of the list. The GET route of a path also
/// handles HEAD, without the body, unless there is a HEAD route.
public struct LoopbackRoute: Sendable {
    /// The method that a request must have; compared exactly.
    package let method: RequestMethod

    /// The path pattern as it was passed, such as `/movies/{id}`.
    package let path: String

    let pattern: LoopbackPathPattern
    let handler: LoopbackHandler

    /// Creates a route with a synchronous handler.
    ///
    /// - Parameters:
    ///   - method: The method that a request must have; compared exactly.
    ///   - path: The path pattern, such as `/movies/{id}`.
    ///   - handler: Runs once for each request on the server's serial queue, which it blocks meanwhile: use the
    ///     asynchronous form for anything that waits. If it throws an error, the response is 500.
    public init(
        _ method: RequestMethod, _ path: String, handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse
    ) {
        self.init(method, path, .immediate(handler))
    }

    /// Creates a route with an asynchronous handler.
    ///
    /// - Parameters:
    ///   - method: The method that a request must have; compared exactly.
    ///   - path: The path pattern, such as `/movies/{id}`.
    ///   - handler: Runs once for each request in a separate task, which is cancelled when the connection is closed or
    ///     the server stops. Other connections are served meanwhile. It needs a thread of Swift's cooperative pool: a test that
    ///     blocks all of these threads while it waits for the response never ends. If it throws an error, the response is 500.
    public init(
        _ method: RequestMethod, _ path: String, handler: @escaping @Sendable (LoopbackRequest) async throws -> LoopbackResponse
    ) {
        self.init(method, path, .asynchronous(handler))
    }

    /// Creates a route that sends a list of responses, one for each request; further requests receive the last one.
    ///
    /// ```swift
    /// LoopbackRoute(.get, "/movie", inOrder: .text("busy", status: 503), .json("{}"))
    /// ```
    ///
    /// - Parameters:
    ///   - method: The method that a request must have; compared exactly.
    ///   - path: The path pattern, such as `/movies/{id}`.
    ///   - first: The response to the first request, whatever its path parameters are.
    ///   - rest: The responses to the requests after it.
    public init(_ method: RequestMethod, _ path: String, inOrder first: LoopbackResponse, _ rest: LoopbackResponse...) {
        let responses = [first] + rest
        let count = Locked(0)
        self.init(
            method, path,
            .immediate { _ in
                count.withLock { count in
                    defer { count = min(count + 1, responses.count - 1) }
                    return responses[count]
                }
            })
    }

    init(_ method: RequestMethod, _ path: String, _ handler: LoopbackHandler) {
        self.method = method
        self.path = path
        self.handler = handler
        pattern = LoopbackPathPattern(path)
    }
}

/// A result builder for the list of routes of a ``LoopbackServer``. It supports conditions and loops.
@resultBuilder
public enum LoopbackRouteBuilder {
    /// Adds a single route to the list.
    public static func buildExpression(_ route: LoopbackRoute) -> [LoopbackRoute] { [route] }

    /// Adds an array of routes to the list.
    public static func buildExpression(_ routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

    /// Joins the routes of a block in their order.
    public static func buildBlock(_ parts: [LoopbackRoute]...) -> [LoopbackRoute] { parts.flatMap { $0 } }

    /// Adds the routes of an `if` without `else`.
    public static func buildOptional(_ routes: [LoopbackRoute]?) -> [LoopbackRoute] { routes ?? [] }

    /// Adds the routes of the first branch of `if` or `switch`.
    public static func buildEither(first routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

    /// Adds the routes of another branch of `if` or `switch`.
    public static func buildEither(second routes: [LoopbackRoute]) -> [LoopbackRoute] { routes }

    /// Adds the routes of a `for` loop.
    public static func buildArray(_ parts: [[LoopbackRoute]]) -> [LoopbackRoute] { parts.flatMap { $0 } }
}

/// The routes of a server, or its only handler.
enum LoopbackRouter: Sendable {
    case single(LoopbackHandler)
    case routes([LoopbackRoute])

    /// Returns the handler for a request, and sets the request's path parameters.
    func handler(for request: inout LoopbackRequest) -> LoopbackHandler {
        switch self {
        case .single(let handler): handler
        case .routes(let routes): Self.handler(for: &request, in: routes)
        }
    }

    private static func handler(for request: inout LoopbackRequest, in routes: [LoopbackRoute]) -> LoopbackHandler {
        let path = LoopbackPathPattern.segments(of: request.path).map(\.percentDecoded)
        var fallback: (route: LoopbackRoute, parameters: [String: String])?
        var allowed: [RequestMethod] = []
        for route in routes {
            guard let parameters = route.pattern.match(path) else { continue }
            if route.method == request.method {
                request.pathParameters = parameters
                return route.handler
            }
            if request.method == .head, route.method == .get, fallback == nil { fallback = (route, parameters) }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        if let fallback {
            request.pathParameters = fallback.parameters
            return fallback.route.handler
        }
        if allowed.contains(.get), !allowed.contains(.head) { allowed.append(.head) }
        let isKnown = !allowed.isEmpty
        let allow = allowed.map(\.rawValue).joined(separator: ", ")
        return .immediate { request in
            guard isKnown else { return .text("No route for \(request.method) \(request.path)\n", status: 404) }
            var response = LoopbackResponse.text("\(request.path) does not allow \(request.method), only \(allow)\n", status: 405)
            response.headers.add(allow, for: "Allow")
            return response
        }
    }
}

/// A synchronous handler, or an asynchronous one that needs a task.
enum LoopbackHandler: Sendable {
    case immediate(@Sendable (LoopbackRequest) throws -> LoopbackResponse)
    case asynchronous(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
    case webSocket(LoopbackWebSocketHandler)
}

/// A path pattern, split into segments once so that matching only compares.
struct LoopbackPathPattern: Sendable {
    private enum Segment: Sendable {
        case literal(String)
        case parameter(String)
    }

    private let segments: [Segment]

    init(_ pattern: String) {
        segments = Self.segments(of: pattern).map { segment in
            segment.count > 2 && segment.hasPrefix("{") && segment.hasSuffix("}")
                ? .parameter(String(segment.dropFirst().dropLast()))
                : .literal(segment.percentDecoded)
        }
    }

    static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Returns the path parameters if the decoded segments of a path match; otherwise `nil`.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count == segments.count else { return nil }
        var parameters: [String: String] = [:]
        for (segment, text) in zip(segments, path) {
            switch segment {
            case .literal(let literal): guard literal == text else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                parameters[name] = text
            }
        }
        return parameters
    }
}
