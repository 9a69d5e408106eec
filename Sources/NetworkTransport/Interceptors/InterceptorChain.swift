import Endpoints
import NetworkLogging

/// The rest of the way of a request: the interceptors after the one that receives it, and the session manager.
///
/// It is called like a function, also several times, concurrently and in other tasks: `try await next(request)`.
public struct NetworkExchange: Sendable {
    @usableFromInline let chain: InterceptorChain
    /// The position of the interceptor that receives the request.
    @usableFromInline let index: Int

    @inlinable init(_ chain: InterceptorChain, from index: Int) {
        self.chain = chain
        self.index = index
    }

    /// Creates an exchange from a closure, to test an interceptor by itself, or to observe what an interceptor sends.
    ///
    /// - Parameter send: Called each time a request is sent, on the task that sends it.
    public init(_ send: @escaping @Sendable (NetworkRequest) async throws(TransportError) -> NetworkResponse) {
        self.init(InterceptorChain([ClosureStep(send: send)], identity: nil), from: 0)
    }

    /// Creates an exchange through interceptors, which ends with a session manager.
    init(
        through interceptors: [any NetworkInterceptor], to session: any NetworkSessionManager, identity: SessionIdentity,
        cookies: CookieStore?
    ) {
        let chain = InterceptorChain(interceptors + [SessionStep(session: session, cookies: cookies)], identity: identity.text)
        self.init(chain, from: 0)
    }

    /// Sends a request.
    ///
    /// - Throws: What the next interceptor or the session manager throws.
    @inlinable @inline(__always)
    public func callAsFunction(_ request: consuming NetworkRequest) async throws(TransportError) -> NetworkResponse {
        // Inlined, so that a link costs one asynchronous function instead of two.
        chain.identify(&request)
        return try await chain.steps[index].intercept(request, next: NetworkExchange(chain, from: index + 1))
    }
}

extension NetworkExchange: RedactedStringConvertible {}

// An interceptor of this package is inlined into the function that the chain calls: each asynchronous function that a request passes through costs a frame
// and two changes of the executor.
/// Interceptors in their order, the last of which sends the request. Built once, not for each request.
@usableFromInline final class InterceptorChain: Sendable {
    @usableFromInline let steps: ContiguousArray<any NetworkInterceptor>
    /// The identity of the session manager, which requests contain; `nil` to leave them unchanged.
    private let identity: String?

    init(_ steps: [any NetworkInterceptor], identity: String?) {
        self.steps = ContiguousArray(steps)
        self.identity = identity
    }

    /// Adds the identity of the session manager to a request. At each step, because an interceptor may pass on a new request, or one that another
    /// session manager has sent before.
    @usableFromInline func identify(_ request: inout NetworkRequest) {
        if let identity { request.identifySession(identity) }
    }
}

/// The end of an exchange that was created from a closure.
private struct ClosureStep: NetworkInterceptor {
    let send: @Sendable (NetworkRequest) async throws(TransportError) -> NetworkResponse

    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try await send(request)
    }
}

/// The last step, each time a request is sent.
private struct SessionStep: NetworkInterceptor {
    let session: any NetworkSessionManager
    let cookies: CookieStore?

    @inline(__always)
    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        try request.limitToDeadline()
        request.beginProgressOfAttempt()
        // They may have changed since the call began: an earlier attempt or another call has received some.
        cookies?.mark(&request)
        if request.hasCredentials {
            request.dropForeignCredentials()
            if let prover = request.prover { try await request.addProof(of: prover) }
        }
        guard let observer = request.callObserver else { return try await session.response(for: request) }
        return try await observer.observe(request, session)
    }
}
