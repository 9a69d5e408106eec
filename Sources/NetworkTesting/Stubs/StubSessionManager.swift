import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// A session manager that returns stubbed responses from memory and records the requests it receives.
///
/// ```swift
/// let session = StubSessionManager()
/// session.enqueue(.json("[]"), for: "/users")
/// let service = DefaultDataTransferService(
///     configuration: api, sessionManager: session)
/// ```
///
/// A request consumes the first response enqueued for its path. If there is none, it gets the response of the first route that
/// returns one, and otherwise consumes the first response enqueued for any path. Without a match it fails with
/// ``NetworkCore/TransportError/Code/notStubbed`` and a message that names the request and the stubs that are left.
///
/// Requests are validated as a real session manager validates them. The body of a streamed request's response is one chunk. Instances share no state, and all members are safe to use
/// from any thread.
public final class StubSessionManager: NetworkSessionManager {
    private struct Enqueued {
        var response: StubResponse
        var path: StubPath?
        var method: RequestMethod?

        init(response: StubResponse, path: String?, method: RequestMethod?) {
            self.response = response
            self.path = path.map(StubPath.init)
            self.method = method
        }

        var description: String { "\(method?.rawValue ?? "any") \(path?.description ?? "any path")" }

        func matches(_ request: NetworkRequest) -> Bool {
            (method == nil || method == request.method) && path?.matches(request) != false
        }
    }

    private struct Route {
        var description: String
        var respond: @Sendable (NetworkRequest) -> StubResponse?
    }

    private struct State {
        var enqueued: [Enqueued] = []
        var routes: [Route] = []
        var requests: [NetworkRequest] = []
        var waiting: [Int: Waiting] = [:]
        var lastWaiting = 0
        /// What ``close(grace:)`` has returned; `nil` while the session manager is open.
        var report: ClosingReport?
    }

    private struct Waiting {
        var request: NetworkRequest
        var completion: @Sendable (Result<NetworkResponse, TransportError>) -> Void
    }

    private let state = Locked(State())
    /// The identity that was passed to the initializer.
    public let identity: SessionIdentity

    /// Creates a session manager without stubs: requests fail until responses are enqueued or routes are added.
    ///
    /// - Parameter identity: Separates the responses in a cache from those of session managers with another identity. Default:
    ///   ``NetworkCore/SessionIdentity/standard``.
    public init(identity: SessionIdentity = .standard) {
        self.identity = identity
    }

    /// Adds a response that is returned once, for the next matching request.
    ///
    /// - Parameters:
    ///   - response: The response or failure.
    ///   - path: The path of the URL, including the path of the base URL: `/3/users`. It may have parameters, `/3/users/{id}`, and a
    ///     query, `/3/users?page=1`, in any order; without one, every query matches. `nil` matches any path.
    ///   - method: The method of the request. `nil` matches any method.
    public func enqueue(_ response: StubResponse, for path: String? = nil, method: RequestMethod? = nil) {
        state.withLock { $0.enqueued.append(Enqueued(response: response, path: path, method: method)) }
    }

    /// Adds a route. It responds to every request for which the closure returns a response.
    ///
    /// - Parameter route: Returns the response to a request, or `nil` to try the next route. Called at most once for each request. Runs on the thread that sends the request.
    public func route(_ route: @escaping @Sendable (NetworkRequest) -> StubResponse?) {
        state.withLock { $0.routes.append(Route(description: "a closure", respond: route)) }
    }

    /// Adds a route that returns the same response to every request for a path.
    ///
    /// - Parameters:
    ///   - response: The response or failure.
    ///   - path: The path of the URL, as for ``enqueue(_:for:method:)``.
    ///   - method: The method of the request. `nil` matches any method.
    public func route(_ response: StubResponse, for path: String, method: RequestMethod? = nil) {
        let stub = Enqueued(response: response, path: path, method: method)
        state.withLock { state in
            state.routes.append(Route(description: stub.description) { stub.matches($0) ? response : nil })
        }
    }

    /// The valid requests received so far, in order.
    public var requests: [NetworkRequest] { state.withLock(\.requests) }

    /// The number of requests that got ``StubResponse/silence`` and were not cancelled yet.
    package var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Records a request and completes it with its stubbed response.
    ///
    /// - Parameters:
    ///   - request: The request, which is recorded.
    ///   - completion: Runs exactly once, on a background thread.
    /// - Returns: A handle to cancel the request. If it is cancelled before the completion runs, the request fails as cancelled.
    @discardableResult
    public func response(
        for request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        let completion: @Sendable (Result<NetworkResponse, TransportError>) -> Void = { result in
            request.reportEnd(result)
            completion(result.map { $0.delivered(for: request) })
        }
        guard let result = stubbedResult(for: request) else {
            let ticket = wait(request, completion)
            return StubHandle { [state] in
                guard let completion = state.withLock({ $0.waiting.removeValue(forKey: ticket)?.completion }) else { return }
                let error = TransportError(.cancelled, "the request was cancelled", request: request)
                BackgroundThreads.completions.run { completion(.failure(error)) }
            }
        }
        // The result is decided, but a cancellation before the completion runs still replaces it.
        let isCancelled = Locked(false)
        BackgroundThreads.completions.run {
            guard isCancelled.withLock({ $0 }) else { return completion(result) }
            completion(.failure(TransportError(.cancelled, "the request was cancelled", request: request)))
        }
        return StubHandle { isCancelled.withLock { $0 = true } }
    }

    /// Records a request and returns its stubbed response. Suspends only for ``StubResponse/silence``.
    ///
    /// - Throws: ``NetworkCore/TransportError``: the stubbed failure, or a cancellation as soon as the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        if Task.isCancelled {
            request.reportEnd()
            throw .taskCancelled(request)
        }
        if let result = stubbedResult(for: request) {
            request.reportEnd(result)
            return try result.get().delivered(for: request)
        }
        defer { request.reportEnd() }
        let bridge = CancellationBridge<NetworkResponse, TransportError>(
            cancellation: .taskCancelled(request))
        return try await bridge.run { completion in
            let ticket = wait(request, completion)
            return StubHandle { [state] in _ = state.withLock { $0.waiting.removeValue(forKey: ticket) } }
        }
    }

    /// Keeps a request that got ``StubResponse/silence``, and returns its number.
    private func wait(
        _ request: NetworkRequest, _ completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> Int {
        let (number, isClosed) = state.withLock { state in
            state.lastWaiting += 1
            if state.report == nil { state.waiting[state.lastWaiting] = Waiting(request: request, completion: completion) }
            return (state.lastWaiting, state.report != nil)
        }
        if isClosed { completion(.failure(.refusedByClosedSession(request))) }
        return number
    }

    /// Records the request and returns its result; `nil` for ``StubResponse/silence``.
    private func stubbedResult(for request: NetworkRequest) -> Result<NetworkResponse, TransportError>? {
        do throws(RequestGenerationError) {
            try request.validate()
        } catch {
            return .failure(TransportError(.invalidRequest, error.description, request: request, underlying: error))
        }
        let (routes, isClosed) = state.withLock { state in
            if state.report == nil { state.requests.append(request) }
            return (state.routes, state.report != nil)
        }
        if isClosed { return .failure(.refusedByClosedSession(request)) }
        var response = take { $0.path != nil && $0.matches(request) }
        for route in routes where response == nil { response = route.respond(request) }
        if response == nil { response = take { $0.path == nil && $0.matches(request) } }
        guard let response else { return .failure(notStubbed(request)) }
        switch response.outcome {
        case .silence: return nil
        case .failure(var error):
            error.request = nil
            error.addRequest(request)
            return .failure(error)
        case .response(let status, let headers, let body):
            return .success(NetworkResponse(statusCode: status, headers: headers, body: .data(body), url: request.url))
        case .webSocket(let stub): return .success(stub.response(to: request))
        }
    }

    private func take(_ isWanted: (Enqueued) -> Bool) -> StubResponse? {
        state.withLock { state in
            state.enqueued.firstIndex(where: isWanted).map { state.enqueued.remove(at: $0).response }
        }
    }

    private func notStubbed(_ request: NetworkRequest) -> TransportError {
        let (enqueued, routes) = state.withLock { ($0.enqueued.map(\.description), $0.routes.map(\.description)) }
        func list(_ stubs: [String]) -> String {
            stubs.isEmpty
                ? "nothing" : stubs.prefix(5).joined(separator: ", ") + (stubs.count > 5 ? " and \(stubs.count - 5) more" : "")
        }
        return TransportError(
            .notStubbed,
            "no stub for \(request.method) \(request.pathForStubs); enqueued: \(list(enqueued)); routes: \(list(routes))",
            request: request)
    }
}

extension StubSessionManager: ClosableSessionManager {
    /// Closes the session manager: new requests fail with ``NetworkCore/TransportError/Code/sessionClosed``, and so do those that got
    /// ``StubResponse/silence``, at once, because they would never end.
    @discardableResult
    public func close(grace: Duration) async -> ClosingReport {
        let (report, waiting) = state.withLock { state in
            let waiting = state.waiting.values.map { (TransportError.cutOff($0.request, phase: .firstByte), $0.completion) }
            state.waiting = [:]
            let report =
                state.report
                ?? ClosingReport(
                    cancelled: Array(waiting.map(\.0).prefix(ClosingReport.maximumListed)), cancelledCount: waiting.count)
            state.report = report
            return (report, waiting)
        }
        for (error, completion) in waiting { BackgroundThreads.completions.run { completion(.failure(error)) } }
        return report
    }
}

extension NetworkResponse {
    /// Returns the response as a session manager returns it: with a body that is received while it is read, if the request is
    /// streamed.
    fileprivate func delivered(for request: NetworkRequest) -> NetworkResponse {
        guard request.isStreamed else { return self }
        var response = self
        response.body = body.streamed
        return response
    }
}

extension NetworkRequest {
    /// The percent-decoded path of the URL. It keeps a trailing slash, which `URL.path` drops.
    var pathForStubs: String {
        let path = URLText(url).path
        return path.isEmpty ? "/" : PercentEncoding.decoded(path) ?? String(path)
    }
}

struct StubHandle: NetworkCancellable {
    let action: @Sendable () -> Void

    func cancel() {
        action()
    }
}

extension StubSessionManager: RedactedStringConvertible {}
