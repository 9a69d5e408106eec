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

/// A session manager with interceptors in front of it.
struct InterceptedSession: Sendable {
    let interceptors: [any NetworkInterceptor]
    let session: any NetworkSessionManager

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        try await exchange(from: 0, isStreamed: false)(request)
    }

    func stream(for request: NetworkRequest) async throws(TransportError) -> StreamedResponse {
        StreamedResponse(try await exchange(from: 0, isStreamed: true)(request))
    }

    private func exchange(from index: Int, isStreamed: Bool) -> NetworkExchange {
        { (request) async throws(TransportError) in
            if index < interceptors.count {
                return try await interceptors[index].intercept(request, next: exchange(from: index + 1, isStreamed: isStreamed))
            }
            let request = try request.boundedByDeadline().asAttempt()
            guard let observer = request.attemptObserver else { return try await send(request, isStreamed: isStreamed) }
            observer.attemptWillBegin(request)
            do throws(TransportError) {
                let response = try await send(request, isStreamed: isStreamed)
                observer.attemptDidEnd(.success(response))
                return response
            } catch {
                observer.attemptDidEnd(.failure(error))
                throw error
            }
        }
    }

    private func send(_ request: NetworkRequest, isStreamed: Bool) async throws(TransportError) -> NetworkResponse {
        if !isStreamed { return try await session.response(for: request) }
        let streamed = try await session.stream(for: request)
        var response = streamed.head()
        response.stream = streamed.body
        return response
    }
}
