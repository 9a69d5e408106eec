import Endpoints

/// Stands between the service and the session manager, and may change the request, the response, or whether and how often
/// there is one.
///
/// ```swift
/// struct TraceHeader: NetworkInterceptor {
///     func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
///         var request = request
///         request.headers["X-Trace"] = "1"
///         return try await next(request)
///     }
/// }
/// ```
///
/// Interceptors run in the order of the list, the first one outermost, on the task of the caller, or for the completion form on one of
/// the service's own. A cancelled request ends when they have returned: heed the task's cancellation. Without any, requests
/// go straight to the session manager.
///
/// In a streamed exchange the response comes with ``NetworkResponse/stream`` and without a body: hand it on, or read it and put something in
/// its place.
public protocol NetworkInterceptor: Sendable {
    /// - Parameter next: The rest of the way. Call it once to go on, again to repeat, not at all to answer yourself. An
    ///   interceptor that calls it in a task of its own declares it `@escaping`.
    func intercept(_ request: NetworkRequest, next: @escaping NetworkExchange) async throws(TransportError) -> NetworkResponse
}

/// Sends a request down the rest of the chain.
public typealias NetworkExchange = @Sendable (NetworkRequest) async throws(TransportError) -> NetworkResponse

/// A session manager that adds cookies to requests.
package protocol CookieSource: Sendable {
    var storesCookies: Bool { get }
    /// Those that a request would be sent with now.
    func storedCookies(for request: NetworkRequest) -> String?
}

/// A session manager with interceptors in front of it. The way through them is made once, not for each request.
struct InterceptedSession: Sendable {
    private let whole: NetworkExchange
    private let streamed: NetworkExchange

    /// Asked for each call where the session manager stores cookies: they are credentials that no interceptor sees otherwise.
    private let cookies: (any CookieSource)?

    init(interceptors: [any NetworkInterceptor], session: any NetworkSessionManager) {
        cookies = (session as? any CookieSource).flatMap { $0.storesCookies ? $0 : nil }
        whole = Self.chain(interceptors) { (request) async throws(TransportError) in
            try await session.response(for: request)
        }
        streamed = Self.chain(interceptors) { (request) async throws(TransportError) in
            let streamed = try await session.stream(for: request)
            var response = streamed.head()
            response.stream = streamed.body
            return response
        }
    }

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        try await whole(marked(request))
    }

    func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        var request = marked(request)
        request.isStreamed = true
        return StreamedResponse(try await streamed(request))
    }

    private func marked(_ request: NetworkRequest) -> NetworkRequest {
        guard let stored = cookies?.storedCookies(for: request) else { return request }
        var request = request
        request.credentials.storedCookies = stored
        return request
    }

    private static func chain(_ interceptors: [any NetworkInterceptor], to send: @escaping NetworkExchange) -> NetworkExchange {
        var first = attempt(send)
        for interceptor in interceptors.reversed() { first = link(interceptor, to: first) }
        return first
    }

    private static func link(_ interceptor: any NetworkInterceptor, to next: @escaping NetworkExchange) -> NetworkExchange {
        { (request) async throws(TransportError) in try await interceptor.intercept(request, next: next) }
    }

    /// What every request passes last, each time it is sent.
    private static func attempt(_ send: @escaping NetworkExchange) -> NetworkExchange {
        { (request) async throws(TransportError) in
            var request = try request.boundedByDeadline().asAttempt()
            if !request.credentials.isEmpty { request.dropForeignCredentials() }
            guard let observer = request.attemptObserver else { return try await send(request) }
            observer.attemptWillBegin(request)
            do throws(TransportError) {
                let response = try await send(request)
                observer.attemptDidEnd(.success(response))
                return response
            } catch {
                observer.attemptDidEnd(.failure(error))
                throw error
            }
        }
    }
}
