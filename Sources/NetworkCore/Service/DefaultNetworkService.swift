import Endpoints
import Foundation
import NetworkLogging

/// A ``NetworkService`` that sends its requests with a session manager.
///
/// ```swift
/// let service = DefaultNetworkService(configuration: try APIConfiguration("https://api.example.com"))
/// let response = try await service.response(for: Endpoint<Data>(path: "status", responseDecoder: .rawData))
/// ```
public struct DefaultNetworkService: NetworkService {
    private let configuration: any NetworkConfigurable
    let session: any NetworkSessionManager
    private let intercepted: InterceptedSession?
    /// The session for endpoints with a deadline, if no interceptor applies it.
    private let bounded: InterceptedSession?
    let log: RequestLog

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - configuration: The base URL and defaults of the requests, read again for each request.
    ///   - sessionManager: Sends the requests. By default, one that all services share, with its connections.
    ///   - interceptors: The interceptors in order, the first one outermost.
    ///   - logger: Receives each request, response and failure. Default: none.
    public init(
        configuration: any NetworkConfigurable,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared,
        interceptors: [any NetworkInterceptor] = [],
        logger: (any NetworkErrorLogger)? = nil
    ) {
        self.configuration = configuration
        session = sessionManager
        intercepted = interceptors.isEmpty ? nil : InterceptedSession(interceptors: interceptors, session: sessionManager)
        bounded =
            interceptors.contains { $0 is any DeadlineKeeper }
            ? nil : InterceptedSession(interceptors: [EndpointDeadline()] + interceptors, session: sessionManager)
        log = RequestLog(logger: logger)
    }

    /// Sends a request to an endpoint. The request is built before this method returns, on the calling thread.
    ///
    /// - Parameter completion: Called exactly once: where the session manager calls its completion, or on
    ///   ``BackgroundThreads/completions`` if there are interceptors or no request could be built.
    /// - Returns: A handle that cancels the request.
    @discardableResult
    public func request(
        _ endpoint: any Requestable,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> any NetworkCancellable {
        let request: NetworkRequest
        do throws(NetworkError) {
            request = try build(endpoint)
        } catch {
            return FailedRequest.deliver(error) { result in
                endpoint.progress.whenSettled { completion(result) }
            }
        }
        let call = log.enabled(for: request.context).begin(request)
        let accepted = endpoint.acceptedStatuses
        let progress = request.progress
        let finish: @Sendable (Result<NetworkResponse, TransportError>) -> Void = { result in
            progress.whenSettled {
                completion(Result { () throws(NetworkError) in try Self.check(result, of: request, accepted, call) })
            }
        }
        if intercepted(for: request) != nil {
            return TaskCancellable { () async throws(TransportError) in
                try await exchange(request, call)
            } completion: {
                finish($0)
            }
        }
        call?.attemptWillBegin(request)
        return session.request(request) { result in
            call?.attemptDidEnd(result)
            finish(result)
        }
    }

    /// Sends a request to an endpoint. Interceptors run on the caller's task.
    ///
    /// - Throws: ``NetworkError``; when the task is cancelled, at once, unless an interceptor delays it.
    public func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        let request = try await settled(endpoint)
        let call = log.enabled(for: request.context).begin(request)
        let result = await Self.result { () async throws(TransportError) in try await exchange(request, call) }
        if let progress = request.progress { await Optional(progress).settled() }
        return try Self.check(result, of: request, endpoint.acceptedStatuses, call)
    }

    /// Returns the interceptors to send the request through; `nil` to send it directly with the session manager.
    func intercepted(for request: NetworkRequest) -> InterceptedSession? {
        request.timeouts.deadline.limit == nil ? intercepted : bounded ?? intercepted
    }

    /// Builds the request. If that fails, throws after the endpoint's observer has processed its last event.
    func settled(_ endpoint: any Requestable) async throws(NetworkError) -> NetworkRequest {
        do throws(NetworkError) {
            return try build(endpoint)
        } catch {
            await endpoint.progress.settled()
            throw error
        }
    }

    func build(_ endpoint: any Requestable) throws(NetworkError) -> NetworkRequest {
        do throws(RequestGenerationError) {
            return try endpoint.networkRequest(with: configuration)
        } catch {
            var error = error
            error.request = RequestGenerationError.text(of: endpoint)
            let failure = NetworkError.requestGeneration(error)
            ProgressReporter(endpoint.progress, submitted: monotonicNanoseconds())?.finish()
            log.enabled(for: endpoint.context).reject(failure)
            throw failure
        }
    }
}

// Steps that the completion form and the async form share.
extension DefaultNetworkService {
    /// Sends a request through the interceptors, logs each attempt, and ends its progress.
    func exchange(_ request: NetworkRequest, _ call: CallLog?) async throws(TransportError) -> NetworkResponse {
        guard let intercepted = intercepted(for: request) else {
            call?.attemptWillBegin(request)
            let result = await Self.result { () async throws(TransportError) in try await session.response(for: request) }
            call?.attemptDidEnd(result)
            return try result.get()
        }
        var (request, relay) = request.relayed()
        defer { relay?.finish() }
        if let call { request.addAttemptObserver(call) }
        return try await intercepted.response(for: request)
    }

    static func result<Value>(_ work: () async throws(TransportError) -> Value) async -> Result<Value, TransportError> {
        do throws(TransportError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }

    /// Returns the response if its status is accepted, and otherwise logs and throws the error.
    static func check(
        _ result: Result<NetworkResponse, TransportError>, of request: NetworkRequest, _ accepted: AcceptedStatuses,
        _ call: CallLog?
    ) throws(NetworkError) -> NetworkResponse {
        switch result {
        case .success(let response):
            if accepted.contains(response.statusCode) {
                call?.end(response)
                return response
            }
            throw refusal(response, of: request, call)
        case .failure(let error): throw failure(error, of: request, call)
        }
    }

    /// Logs and returns the error for a response whose status the endpoint does not accept.
    static func refusal(_ response: NetworkResponse, of request: NetworkRequest, _ call: CallLog?) -> NetworkError {
        var response = response
        response.method = request.method
        let failure = NetworkError.status(response)
        call?.end(failure)
        return failure
    }

    static func failure(_ error: TransportError, of request: NetworkRequest, _ call: CallLog?) -> NetworkError {
        var error = error
        // Some errors have no request, such as that of a failed credential refresh.
        if error.request == nil { error.request = TransportError.text(of: request) }
        let failure = NetworkError(error)
        call?.end(failure)
        return failure
    }
}

extension DefaultNetworkService {
    /// The maximum number of bytes that are read from the body of a response with a status that is not accepted.
    private static let maximumErrorBodyBytes = 1 << 20
    /// The maximum time for reading that body.
    private static let maximumErrorBodyTime = Duration.seconds(30)

    /// Sends a request to an endpoint and returns when the head of its response was received. Interceptors run on the caller's
    /// task.
    ///
    /// - Throws: ``NetworkError``; when the task is cancelled, at once, unless an interceptor delays it. A status that the
    ///   endpoint does not accept is an error with the first MiB of its body, or with what arrives within 30 seconds. Later
    ///   failures are thrown by the body, as ``TransportError``, and logged.
    public func stream(for endpoint: any Requestable) async throws(NetworkError) -> StreamedResponse {
        let request = try await settled(endpoint)
        let call = log.enabled(for: request.context).begin(request)
        let failed: NetworkResponse
        do throws(TransportError) {
            let response = try await send(request, call)
            if endpoint.acceptedStatuses.contains(response.statusCode) { return logged(response, call) }
            failed = response.head(
                body: try await response.body.collectedStart(
                    upTo: Self.maximumErrorBodyBytes, within: Self.maximumErrorBodyTime))
        } catch {
            if let progress = request.progress { await Optional(progress).settled() }
            throw Self.failure(error, of: request, call)
        }
        throw Self.refusal(failed, of: request, call)
    }

    private func send(_ request: NetworkRequest, _ call: CallLog?) async throws(TransportError) -> StreamedResponse {
        guard let intercepted = intercepted(for: request) else {
            call?.attemptWillBegin(request)
            let result = await Self.result { () async throws(TransportError) in try await session.stream(for: request) }
            call?.attemptDidEnd(result.map { $0.exchanged })
            return try result.get()
        }
        var (request, relay) = request.relayed()
        if let call { request.addAttemptObserver(call) }
        do throws(TransportError) {
            let response = try await intercepted.stream(for: request)
            relay?.expectEnd()
            if let relay { await Optional(relay).settled() }
            return response
        } catch {
            relay?.finish()
            throw error
        }
    }

    /// Returns the response with a body that logs the end of the call.
    private func logged(_ response: StreamedResponse, _ call: CallLog?) -> StreamedResponse {
        guard let call else { return response }
        var response = response
        let head = response.head()
        response.body = response.body.observed { error in
            if let error { call.end(NetworkError(error)) } else { call.end(head) }
        }
        return response
    }
}

extension StreamedResponse {
    /// The response in the form in which it passes through interceptors.
    fileprivate var exchanged: NetworkResponse {
        var response = head()
        response.stream = body
        return response
    }
}
