import Endpoints

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
