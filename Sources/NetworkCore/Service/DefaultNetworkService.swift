import NetworkTransport
import Endpoints
import Foundation
import NetworkLogging
import NetworkSupport

/// A ``NetworkService`` that sends its requests with a session manager.
///
/// ```swift
/// let api = try APIConfiguration("https://api.example.com")
/// let service = DefaultNetworkService(configuration: api)
/// let status = Endpoint<Data>(path: "status", responseDecoder: .rawData)
/// let response = try await service.response(for: status)
/// ```
public struct DefaultNetworkService: NetworkService {
    private let configuration: any NetworkConfigurable
    let session: any NetworkSessionManager
    private let intercepted: InterceptedSession?
    /// The session for endpoints with a deadline, if no interceptor applies it.
    private let bounded: InterceptedSession?
    /// `nil` for a configuration that may change.
    private let built: BuiltRequests?
    let log: RequestLog

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - configuration: The base URL and defaults of the requests, read again for each request. Default: none, for whole URLs and for
    ///     endpoints with a host.
    ///   - sessionManager: Sends the requests. By default, one that all services share, with its connections.
    ///   - interceptors: The interceptors in order, the first one outermost.
    ///   - logger: Receives each request, response and failure. Default: none.
    public init(
        configuration: any NetworkConfigurable = .composed,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared,
        interceptors: [any NetworkInterceptor] = [],
        logger: (any NetworkErrorLogger)? = nil
    ) {
        self.configuration = configuration
        session = sessionManager
        let identity = sessionManager.identity.stated
        intercepted =
            interceptors.isEmpty
            ? nil : InterceptedSession(interceptors: interceptors, session: sessionManager, identity: identity)
        bounded =
            interceptors.contains { $0 is any DeadlineKeeper }
            ? nil
            : InterceptedSession(
                interceptors: [EndpointDeadline()] + interceptors, session: sessionManager, identity: identity)
        built = (configuration as? APIConfiguration).map {
            BuiltRequests($0, identity: interceptors.isEmpty ? nil : identity.text)
        }
        log = RequestLog(logger: logger)
    }

    /// Sends a request to an endpoint. The request is built before this method returns, on the calling thread. The files of its
    /// body are examined later, but before anything is sent.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, which describes the request.
    ///   - completion: Called exactly once: where the session manager calls its completion, or on
    ///     ``BackgroundThreads/completions`` if there are interceptors, the body has files, or no request could be built.
    /// - Returns: A handle that cancels the request.
    @discardableResult
    public func response(
        for endpoint: any Requestable,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> any NetworkCancellable {
        let description = endpoint.request
        let request: NetworkRequest
        do throws(NetworkError) {
            request = try build(description)
        } catch {
            let progress = description.progress
            return EndedOperation.deliver(error) { result in
                progress.whenSettled { completion(result) }
            }
        }
        if request.body?.looksAtFiles == true {
            return TaskCancellable { () async throws(NetworkError) in
                if Task.isCancelled { throw .cancelled(.taskCancelled()) }
                return try await self.response(for: description)
            } completion: {
                completion($0)
            }
        }
        let call = log.enabled(for: request.context).begin(request)
        let accepted = description.acceptedStatuses
        let progress = request.progress
        let finish: @Sendable (Result<NetworkResponse, TransportError>) -> Void = { result in
            progress.whenSettled { completion(Self.outcome(result, of: request, accepted, call)) }
        }
        if intercepted(for: request) != nil {
            return TaskCancellable { () async throws(TransportError) in
                try await exchange(request, call)
            } completion: {
                finish($0)
            }
        }
        call?.receive(.sent(request, ago: .zero))
        return session.response(for: request) { result in
            call?.receive(.attempted(result))
            finish(result)
        }
    }

    /// Sends a request to an endpoint. Interceptors run on the caller's task.
    ///
    /// - Throws: ``NetworkError``; when the task is cancelled, at once, unless an interceptor delays it.
    public func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        let description = endpoint.request
        let accepted = description.acceptedStatuses
        // Most requests have nothing to wait for, and an asynchronous call is expensive.
        let isSettled = !description.hasBody && description.progress == nil
        let request = isSettled ? try build(description) : try await settled(description)
        let call = log.enabled(for: request.context).begin(request)
        let response: NetworkResponse
        do throws(TransportError) {
            response = try await exchange(request, call)
        } catch {
            if let progress = request.progress { await Optional(progress).settled() }
            throw Self.failure(error, of: request, call)
        }
        if let progress = request.progress { await Optional(progress).settled() }
        guard accepted.contains(response.statusCode) else { throw Self.refusal(response, of: request, call) }
        call?.end(response)
        return response
    }

    /// Returns the interceptors to send the request through; `nil` to send it directly with the session manager.
    func intercepted(for request: NetworkRequest) -> InterceptedSession? {
        request.timeouts.deadline.time == nil ? intercepted : bounded ?? intercepted
    }

    /// Builds the request, and examines the files of its body. If that fails, throws after the endpoint's observer has processed
    /// its last event.
    func settled(_ description: RequestDescription) async throws(NetworkError) -> NetworkRequest {
        do throws(NetworkError) {
            let request = try build(description)
            do throws(RequestGenerationError) {
                try await request.body?.checkFiles()
            } catch {
                throw rejection(error, of: description)
            }
            return request
        } catch {
            await description.progress.settled()
            throw error
        }
    }

    func build(_ description: RequestDescription) throws(NetworkError) -> NetworkRequest {
        do throws(RequestGenerationError) {
            if let built { return try built.request(for: description) }
            return try description.build(with: configuration)
        } catch {
            throw rejection(error, of: description)
        }
    }

    /// Ends the progress of a request that cannot be sent, logs the error, and returns it with the request's name.
    private func rejection(_ error: RequestGenerationError, of description: RequestDescription) -> NetworkError {
        var error = error
        error.request = RequestGenerationError.text(of: description)
        let failure = NetworkError.requestGeneration(error)
        description.progress?.transferDidProgress(TransferProgress(isFinished: true))
        log.enabled(for: description.context).reject(failure)
        return failure
    }
}

// Steps that the completion form and the async forms share.
extension DefaultNetworkService {
    /// Sends a request through the interceptors, logs each attempt, and ends its progress, unless the body is still arriving.
    @inline(__always)
    func exchange(_ request: NetworkRequest, _ call: CallLog?) async throws(TransportError) -> NetworkResponse {
        guard let intercepted = intercepted(for: request) else {
            guard let call else { return try await session.response(for: request) }
            return try await call.observe(request, session)
        }
        var (request, relay) = request.relayed()
        if let call { request.addCallObserver(call) }
        do throws(TransportError) {
            var response = try await intercepted.response(for: request)
            // An interceptor may return another body than one in memory.
            if !request.isStreamed, !response.isBodyInMemory { response = try await response.collected() }
            await relay?.end(with: response)
            return response
        } catch {
            await relay?.finish()
            throw error
        }
    }

    /// Returns the response if its status is accepted, and otherwise logs and returns the error.
    static func outcome(
        _ result: Result<NetworkResponse, TransportError>, of request: NetworkRequest, _ accepted: AcceptedStatuses,
        _ call: CallLog?
    ) -> Result<NetworkResponse, NetworkError> {
        switch result {
        case .success(let response):
            guard accepted.contains(response.statusCode) else { return .failure(refusal(response, of: request, call)) }
            call?.end(response)
            return .success(response)
        case .failure(let error): return .failure(failure(error, of: request, call))
        }
    }

    /// Logs and returns the error for a response whose status the endpoint does not accept.
    static func refusal(_ response: NetworkResponse, of request: NetworkRequest, _ call: CallLog?) -> NetworkError {
        var response = response
        response.set(method: request.method)
        let failure = NetworkError.status(response)
        call?.end(failure)
        return failure
    }

    static func failure(_ error: TransportError, of request: NetworkRequest, _ call: CallLog?) -> NetworkError {
        var error = error
        // Some errors have no request, such as that of a failed credential refresh.
        error.addRequest(request)
        let failure = NetworkError(error)
        call?.end(failure)
        return failure
    }
}

extension DefaultNetworkService {
    /// Sends a request to an endpoint and returns when the head of its response was received. Interceptors run on the caller's
    /// task.
    ///
    /// - Throws: ``NetworkError``; when the task is cancelled, at once, unless an interceptor delays it. A status that the
    ///   endpoint does not accept is an error with the first MiB of its body, or with what arrives within 30 seconds. Later
    ///   failures are thrown by the body, as ``TransportError``, and logged.
    public func stream(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        let description = endpoint.request
        let accepted = description.acceptedStatuses
        var request = try await settled(description)
        request.isStreamed = true
        let call = log.enabled(for: request.context).begin(request)
        var response: NetworkResponse
        do throws(TransportError) {
            response = try await exchange(request, call)
            if accepted.contains(response.statusCode) {
                if let call { response.observeEnd { [head = response.head] in call.end(head, $0) } }
                return response
            }
            response.data = try await response.body.collectedErrorBody()
        } catch {
            if let progress = request.progress { await Optional(progress).settled() }
            throw Self.failure(error, of: request, call)
        }
        throw Self.refusal(response, of: request, call)
    }
}

extension DefaultNetworkService: RedactedStringConvertible {}
