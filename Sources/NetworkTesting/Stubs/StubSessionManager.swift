import Endpoints
import Foundation
import NetworkCore

/// A session manager that answers from memory and remembers what it was asked.
///
/// ```swift
/// let session = StubSessionManager()
/// session.enqueue(.json("[]"), for: "/users")
/// let service = DefaultDataTransferService(configuration: api, sessionManager: session)
/// ```
///
/// A request takes the first answer enqueued for its path, else the answer of the first route that has one, else the first answer
/// enqueued for any path; without one it fails with ``NetworkCore/TransportError/Code/notStubbed`` and a text that names the
/// request and what is stubbed. Requests are checked as a real session manager checks them. Every instance stands alone, and all of
/// it is safe from any number of threads.
public final class StubSessionManager: NetworkSessionManager {
    /// Answers a request, or leaves it to the next route with `nil`. Runs on the thread that sends the request.
    public typealias Route = @Sendable (NetworkRequest) -> StubResponse?

    private struct Enqueued {
        var response: StubResponse
        var path: String?
        var method: HTTPMethod?

        func matches(_ request: NetworkRequest) -> Bool {
            (method == nil || method == request.method) && (path == nil || path == request.pathForStubs)
        }
    }

    private struct State {
        var enqueued: [Enqueued] = []
        var routes: [Route] = []
        var requests: [NetworkRequest] = []
        var waiting: [Int: @Sendable (Result<NetworkResponse, TransportError>) -> Void] = [:]
        var lastWaiting = 0
    }

    private let state = Locked(State())

    /// Without answers: requests fail until there are some.
    public init() {}

    /// Answers the next request for a path, once.
    ///
    /// - Parameters:
    ///   - path: The path of the URL, percent-decoded, with the base URL's: `/3/users`. Any path with `nil`.
    ///   - method: Any method with `nil`.
    public func enqueue(_ response: StubResponse, for path: String? = nil, method: HTTPMethod? = nil) {
        state.withLock { $0.enqueued.append(Enqueued(response: response, path: path, method: method)) }
    }

    /// Answers every request for which `route` has an answer.
    public func route(_ route: @escaping Route) {
        state.withLock { $0.routes.append(route) }
    }

    /// Answers every request for a path.
    public func route(_ path: String, method: HTTPMethod? = nil, _ response: StubResponse) {
        route { request in
            Enqueued(response: response, path: path, method: method).matches(request) ? response : nil
        }
    }

    /// What was asked for so far, in order.
    public var requests: [NetworkRequest] { state.withLock(\.requests) }

    /// Requests that got no answer yet and were not cancelled.
    public var waitingCount: Int { state.withLock(\.waiting.count) }

    /// Takes an answer for the request, and remembers it.
    ///
    /// - Parameter completion: Runs exactly once, on a background thread.
    /// - Returns: A handle; a cancellation that comes before the completion runs takes the answer's place.
    @discardableResult
    public func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        let completion: @Sendable (Result<NetworkResponse, TransportError>) -> Void = { result in
            request.reportEnd(result)
            completion(result)
        }
        let answer = answer(to: request)
        guard let answer else {
            let ticket = state.withLock { state in
                state.lastWaiting += 1
                state.waiting[state.lastWaiting] = completion
                return state.lastWaiting
            }
            return StubHandle { [state] in
                guard let completion = state.withLock({ $0.waiting.removeValue(forKey: ticket) }) else { return }
                let error = TransportError(.cancelled, "the request was cancelled", request: request)
                BackgroundThreads.completions.run { completion(.failure(error)) }
            }
        }
        // Once answered it cannot be cancelled, but a cancellation that comes before the completion runs still counts.
        let isCancelled = Locked(false)
        BackgroundThreads.completions.run {
            guard isCancelled.withLock({ $0 }) else { return completion(answer) }
            completion(.failure(TransportError(.cancelled, "the request was cancelled", request: request)))
        }
        return StubHandle { isCancelled.withLock { $0 = true } }
    }

    /// Takes an answer for the request, and remembers it. Suspends only for ``StubResponse/silence``.
    ///
    /// - Throws: ``NetworkCore/TransportError``; at once when the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        if Task.isCancelled {
            request.reportEnd()
            throw TransportError(.cancelled, "the task was cancelled", request: request)
        }
        if let answer = answer(to: request) {
            request.reportEnd(answer)
            return try answer.get()
        }
        defer { request.reportEnd() }
        let bridge = CancellationBridge<NetworkResponse, TransportError>(
            cancellation: TransportError(.cancelled, "the task was cancelled", request: request))
        return try await bridge.run { completion in
            let ticket = state.withLock { state in
                state.lastWaiting += 1
                state.waiting[state.lastWaiting] = completion
                return state.lastWaiting
            }
            return StubHandle { [state] in _ = state.withLock { $0.waiting.removeValue(forKey: ticket) } }
        }
    }

    /// `nil` for silence.
    private func answer(to request: NetworkRequest) -> Result<NetworkResponse, TransportError>? {
        do throws(RequestGenerationError) {
            try request.validate()
        } catch {
            return .failure(TransportError(.invalidRequest, error.description, request: request, underlying: error))
        }
        let routes = state.withLock { state in
            state.requests.append(request)
            return state.routes
        }
        var response = take { $0.path != nil && $0.matches(request) }
        if response == nil { response = routes.lazy.compactMap { $0(request) }.first }
        if response == nil { response = take { $0.path == nil && $0.matches(request) } }
        guard let response else { return .failure(notStubbed(request)) }
        switch response.outcome {
        case .silence: return nil
        case .failure(var error):
            error.request = TransportError(error.code, "", request: request).request
            return .failure(error)
        case .response(let status, let headers, let body):
            return .success(NetworkResponse(statusCode: status, headers: headers, body: body, url: request.url))
        }
    }

    private func take(_ isWanted: (Enqueued) -> Bool) -> StubResponse? {
        state.withLock { state in
            state.enqueued.firstIndex(where: isWanted).map { state.enqueued.remove(at: $0).response }
        }
    }

    private func notStubbed(_ request: NetworkRequest) -> TransportError {
        let (enqueued, routes) = state.withLock { ($0.enqueued, $0.routes.count) }
        let list = enqueued.prefix(5).map { "\($0.method?.rawValue ?? "any") \($0.path ?? "any path")" }.joined(separator: ", ")
        return TransportError(
            .notStubbed,
            "no stub for \(request.method) \(request.pathForStubs); enqueued: \(list.isEmpty ? "nothing" : list); routes: \(routes)",
            request: request)
    }
}

extension NetworkRequest {
    /// Percent-decoded, with a slash at the end where there is one: `URL.path` drops it.
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
