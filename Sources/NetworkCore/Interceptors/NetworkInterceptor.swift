import Endpoints

/// A step between the service and the session manager that may change the request or the response, repeat the request, or respond
/// without sending it.
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
/// Interceptors run in the order of the list, the first one outermost. They run on the caller's task, or, for the completion
/// form, on a separate task of the service. A cancelled request ends only when they have returned, so they should respond to the
/// cancellation of their task. Without interceptors, requests go directly to the session manager.
///
/// The body of the response to a streamed request may still be arriving (``NetworkResponse/data`` is then empty): return it
/// unchanged, or read it and replace it.
public protocol NetworkInterceptor: Sendable {
    /// Processes a request and returns its response.
    ///
    /// - Parameter next: Sends a request through the remaining interceptors to the session manager. Call it once to continue,
    ///   several times to repeat the request, or not at all to return another response. An interceptor that calls it in a
    ///   separate task declares it `@escaping`.
    func intercept(_ request: NetworkRequest, next: @escaping NetworkExchange) async throws(TransportError) -> NetworkResponse
}

/// Sends a request through the remaining interceptors to the session manager.
public typealias NetworkExchange = @Sendable (NetworkRequest) async throws(TransportError) -> NetworkResponse

/// A session manager that adds cookies to requests.
package protocol CookieSource: Sendable {
    var storesCookies: Bool { get }
    /// The stored cookies that the request would be sent with now.
    func storedCookies(for request: NetworkRequest) -> String?
}

/// A session manager with interceptors in front of it. The chain is built once, not for each request.
struct InterceptedSession: NetworkSessionManager {
    private let exchange: NetworkExchange

    /// The session manager, if it stores cookies. Cookies are credentials that interceptors could not see otherwise.
    private let cookies: (any CookieSource)?

    init(interceptors: [any NetworkInterceptor], session: any NetworkSessionManager) {
        cookies = (session as? any CookieSource).flatMap { $0.storesCookies ? $0 : nil }
        exchange = Self.chain(interceptors) { (request) async throws(TransportError) in
            try await session.response(for: request)
        }
    }

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        try await exchange(marked(request))
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

    /// Returns the last step of the chain, which runs each time the request is sent.
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

/// A substitute for an interceptor of `NetworkPipeline`, by which the compiler names the missing import.
public struct MissingInterceptor: NetworkInterceptor {
    fileprivate init() {}

    /// Sends the request unchanged.
    public func intercept(
        _ request: NetworkRequest, next: @escaping NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        try await next(request)
    }
}

extension NetworkInterceptor where Self == MissingInterceptor {
    /// Unavailable without `NetworkPipeline`, which contains the interceptor that sends a request again after a failure.
    @available(*, unavailable, message: "add `import NetworkPipeline`")
    @_disfavoredOverload
    public static func retry(_ options: Any? = nil, budget: Any? = nil) -> MissingInterceptor { MissingInterceptor() }
}
