import Endpoints

/// A step between the service and the session manager that may change the request or the response, repeat the request, or respond
/// without sending it.
///
/// ```swift
/// struct TraceHeader: NetworkInterceptor {
///     func intercept(
///         _ request: NetworkRequest, next: NetworkExchange
///     ) async throws(TransportError) -> NetworkResponse {
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
    /// - Parameters:
    ///   - request: The request, as the previous interceptor or the service has passed it on.
    ///     An implementation that changes it may declare it `consuming`, as here, which saves a copy, or not.
    ///   - next: Sends a request through the remaining interceptors to the session manager. Call it once to continue,
    ///     several times to repeat the request, or not at all to return another response.
    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse
}

extension CookieStore {
    /// Adds to a request which credentials the store will add when it is sent.
    func mark(_ request: inout NetworkRequest) {
        request.credentials.storedCookies = added(to: request)
    }
}

/// A session manager with interceptors in front of it.
package struct InterceptedSession: NetworkSessionManager {
    private let exchange: NetworkExchange
    /// The cookies that the session manager adds: credentials that interceptors could not see otherwise.
    private let cookies: CookieStore?

    /// - Parameter identity: The identity of the session manager. Default: what it states, or else a unique one.
    package init(interceptors: [any NetworkInterceptor], session: any NetworkSessionManager, identity: SessionIdentity? = nil) {
        cookies = session.cookieStore
        exchange = NetworkExchange(
            through: interceptors, to: session, identity: (identity ?? session.identity).stated, cookies: cookies)
    }

    @inline(__always)
    package func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        guard let cookies else { return try await exchange(request) }
        var request = request
        cookies.mark(&request)
        return try await exchange(request)
    }
}

/// The type of ``NetworkInterceptor/retry(_:budget:)`` without `NetworkPipeline`, by which the compiler names the missing import.
@available(*, unavailable)
public struct MissingInterceptor: NetworkInterceptor {
    fileprivate init() {}

    /// Sends the request unchanged.
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await next(request)
    }
}

@available(*, unavailable)
extension NetworkInterceptor where Self == MissingInterceptor {
    /// Unavailable without `NetworkPipeline`, which contains the interceptor that sends a request again after a failure.
    @available(*, unavailable, message: "add `import NetworkPipeline`, and that product to the dependencies of the target")
    @_disfavoredOverload
    public static func retry(_ options: Any? = nil, budget: Any? = nil) -> MissingInterceptor { MissingInterceptor() }
}
