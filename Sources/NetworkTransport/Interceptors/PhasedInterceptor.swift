import Endpoints

/// An interceptor in two phases: one before the request is sent, and one when the result is there.
///
/// Most interceptors rarely wait or send a request again. ``InterceptorChain`` calls the phases of all of them in one asynchronous function, instead of
/// one for each interceptor, each with a closure for the next. The conforming types implement `intercept(_:next:)` with ``inPhases(_:next:)``.
package protocol PhasedInterceptor: NetworkInterceptor {
    /// Processes a request before it is sent, if that is possible without waiting.
    ///
    /// - Returns: What the other phase needs; `nil` if the interceptor has to wait. It must have had no effect then.
    func prepare(_ request: inout NetworkRequest) throws(TransportError) -> InterceptorState?

    /// Processes a request before it is sent, after ``prepare(_:)`` has returned `nil`.
    func prepareWaiting(_ request: inout NetworkRequest) async throws(TransportError) -> InterceptorState

    /// Processes the response to the request.
    ///
    /// - Parameter request: The request as it was sent; the interceptors after this one may have changed it.
    /// - Returns: `false` if this takes waiting or another attempt, which is left to ``proceed(from:after:next:)``.
    func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool

    /// Processes the failure of the request. Parameters and result are those of ``receive(_:_:of:)``.
    func fail(_ error: inout TransportError, _ state: InterceptorState, of request: NetworkRequest) -> Bool

    /// Processes a result that ``receive(_:_:of:)`` or ``fail(_:_:of:)`` has left.
    ///
    /// - Parameter next: Sends a request through the interceptors after this one.
    func proceed(
        from state: InterceptorState, after result: Result<NetworkResponse, TransportError>, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse
}

/// What an interceptor keeps about a request that it has passed on.
package enum InterceptorState: Sendable {
    /// Nothing: the interceptor leaves the result to the others.
    case unconcerned
    case number(Int)
    case object(any AnyObject & Sendable)
    /// The context of the request as the interceptor has passed it on.
    case context(ContextValues)
    /// The request as the interceptor has received it, to send it again, and the number of the attempt.
    case attempt(NetworkRequest, Int)
    /// The request as the interceptor has received it, and what was used to change it.
    case changed(NetworkRequest, using: any AnyObject & Sendable)
}

extension PhasedInterceptor {
    package func prepareWaiting(_ request: inout NetworkRequest) async throws(TransportError) -> InterceptorState {
        // A mistake of the interceptor. Its change is missing, such as a credential, so the request must not be sent.
        throw TransportError(
            .invalidConfiguration, "\(Self.self) has no way to wait before the request is sent", request: request)
    }

    package func receive(_ response: inout NetworkResponse, _ state: InterceptorState, of request: NetworkRequest) -> Bool {
        true
    }

    package func fail(_ error: inout TransportError, _ state: InterceptorState, of request: NetworkRequest) -> Bool { true }

    package func proceed(
        from state: InterceptorState, after result: Result<NetworkResponse, TransportError>, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse { try result.get() }

    /// Calls the phases around `next`: the implementation of `intercept(_:next:)`.
    package func inPhases(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        var passed = request
        let state: InterceptorState
        if let known = try prepare(&passed) { state = known } else { state = try await prepareWaiting(&passed) }
        let result: Result<NetworkResponse, TransportError>
        do throws(TransportError) {
            var response = try await next(passed)
            if receive(&response, state, of: passed) { return response }
            result = .success(response)
        } catch {
            var error = error
            if fail(&error, state, of: passed) { throw error }
            result = .failure(error)
        }
        return try await proceed(from: state, after: result, next: next)
    }
}

/// Interceptors in their order, and the session manager after them. Built once, not for each request.
final class InterceptorChain: Sendable {
    private enum Link: Sendable {
        case phased(any PhasedInterceptor)
        case other(any NetworkInterceptor)
    }

    private let links: [Link]
    private let session: any NetworkSessionManager
    private let cookies: CookieStore?
    private let identity: String

    init(
        _ interceptors: [any NetworkInterceptor], session: any NetworkSessionManager, identity: SessionIdentity = .standard,
        cookies: CookieStore? = nil
    ) {
        self.cookies = cookies
        self.identity = identity.text
        links = interceptors.map { interceptor in
            (interceptor as? any PhasedInterceptor).map(Link.phased) ?? .other(interceptor)
        }
        self.session = session
    }

    /// Sends a request through the interceptors from an index on.
    func send(_ request: NetworkRequest, from start: Int = 0) async throws(TransportError) -> NetworkResponse {
        var request = request
        // Each time, because an interceptor may pass on a new request, or one that another session manager has sent before.
        if request.credentials.session != identity { request.credentials.session = identity }
        var states: [InterceptorState] = []
        states.reserveCapacity(links.count - start)
        var response: NetworkResponse?
        var failure: TransportError?
        do throws(TransportError) {
            response = try await pass(&request, from: start, &states)
        } catch {
            failure = error
        }
        while let state = states.popLast() {
            let index = start + states.count
            guard case .phased(let interceptor) = links[index] else { continue }
            let isFinal =
                failure == nil
                ? interceptor.receive(&response!, state, of: request) : interceptor.fail(&failure!, state, of: request)
            if isFinal { continue }
            let result = failure.map(Result.failure) ?? .success(response!)
            (response, failure) = (nil, nil)
            do throws(TransportError) {
                response = try await interceptor.proceed(from: state, after: result, next: exchange(from: index + 1))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return response.take()!
    }

    /// Calls the first phases up to an interceptor that has none, or sends the request after all of them.
    ///
    /// - Parameter states: Receives the state of each interceptor that has passed the request on.
    private func pass(
        _ request: inout NetworkRequest, from start: Int, _ states: inout [InterceptorState]
    ) async throws(TransportError) -> NetworkResponse {
        for index in start..<links.count {
            switch links[index] {
            case .phased(let interceptor):
                if let state = try interceptor.prepare(&request) {
                    states.append(state)
                } else {
                    states.append(try await interceptor.prepareWaiting(&request))
                }
            case .other(let interceptor):
                return try await interceptor.intercept(request, next: exchange(from: index + 1))
            }
        }
        return try await attempt(&request)
    }

    private func exchange(from index: Int) -> NetworkExchange {
        { (request) async throws(TransportError) in try await self.send(request, from: index) }
    }

    /// The last step, each time the request is sent.
    private func attempt(_ request: inout NetworkRequest) async throws(TransportError) -> NetworkResponse {
        try request.limitToDeadline()
        request.beginProgressOfAttempt()
        // They may have changed since the call began: an earlier attempt or another call has received some.
        cookies?.mark(&request)
        if !request.credentials.isEmpty {
            request.dropForeignCredentials()
            try await request.addProof()
        }
        guard let observer = request.attemptObserver else { return try await session.response(for: request) }
        return try await observer.observe(request, session)
    }
}
