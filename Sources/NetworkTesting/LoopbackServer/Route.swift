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

/// Collects the ``Route`` values listed in a ``LoopbackServer``'s closure. Conditions and loops are possible.
@resultBuilder
public enum LoopbackRouteBuilder {
    /// One route.
    public static func buildExpression(_ route: Route) -> [Route] { [route] }

    /// Routes made elsewhere.
    public static func buildExpression(_ routes: [Route]) -> [Route] { routes }

    /// The routes in the order they are listed.
    public static func buildBlock(_ parts: [Route]...) -> [Route] { parts.flatMap { $0 } }

    /// `if` without `else`.
    public static func buildOptional(_ routes: [Route]?) -> [Route] { routes ?? [] }

    /// The first branch of `if` or `switch`.
    public static func buildEither(first routes: [Route]) -> [Route] { routes }

    /// The other branch of `if` or `switch`.
    public static func buildEither(second routes: [Route]) -> [Route] { routes }

    /// `for … in`.
    public static func buildArray(_ parts: [[Route]]) -> [Route] { parts.flatMap { $0 } }
}

/// Finds who answers a request.
enum LoopbackRouter: Sendable {
    case single(LoopbackHandler)
    case routes([Route])

    /// The handler for a request, whose path parameters are filled in.
    func handler(for request: inout LoopbackRequest) -> LoopbackHandler {
        switch self {
        case .single(let handler): handler
        case .routes(let routes): Self.handler(for: &request, in: routes)
        }
    }

    private static func handler(for request: inout LoopbackRequest, in routes: [Route]) -> LoopbackHandler {
        let path = LoopbackPathPattern.segments(of: request.path).map(PercentDecoding.decode)
        var fallback: (route: Route, parameters: [String: String])?
        var allowed: [HTTPMethod] = []
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
            var response = LoopbackResponse.text("\(request.path) has no \(request.method), but \(allow)\n", status: 405)
            response.headers.add(allow, for: "Allow")
            return response
        }
    }
}

/// A handler that answers in place, or one that needs a task.
enum LoopbackHandler: Sendable {
    case immediate(@Sendable (LoopbackRequest) throws -> LoopbackResponse)
    case asynchronous(@Sendable (LoopbackRequest) async throws -> LoopbackResponse)
}

/// A path pattern cut into segments once, so that matching only compares.
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
                : .literal(PercentDecoding.decode(segment))
        }
    }

    static func segments(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// The parameters, decoded, when the segments of a path match; `nil` when they do not.
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

/// Percent-decoding (RFC 3986 §2.1) that keeps what is not valid as it was sent.
enum PercentDecoding {
    static func decode(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        let bytes = Array(text.utf8)
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = hexDigit(bytes[index + 1]), let low = hexDigit(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
