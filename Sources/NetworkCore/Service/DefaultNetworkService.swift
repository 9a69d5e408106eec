import Endpoints
import Foundation
import NetworkLogging

/// The ``NetworkService`` over a session manager.
///
/// ```swift
/// let service = DefaultNetworkService(configuration: try APIConfiguration("https://api.example.com"))
/// let response = try await service.response(for: Endpoint<Data>(path: "status", responseDecoder: .rawData))
/// ```
public struct DefaultNetworkService: NetworkService {
    private let configuration: any NetworkConfigurable
    let session: any NetworkSessionManager
    private let intercepted: InterceptedSession?
    /// For endpoints that ask for a deadline, where no interceptor heeds it.
    private let bounded: InterceptedSession?
    let journal: RequestJournal

    /// - Parameters:
    ///   - configuration: Read anew for each request.
    ///   - sessionManager: What moves the bytes; by default one that all services share, and with it its connections.
    ///   - interceptors: In order, the first one outermost.
    ///   - logger: Hears each request, response and failure; none by default.
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
        journal = RequestJournal(logger: logger)
    }

    /// Requests an endpoint. The request is built before this returns, on the calling thread.
    ///
    /// - Parameter completion: Runs exactly once: where the session manager runs its own, or on a background thread behind
    ///   interceptors and where no request could be built.
    /// - Returns: A handle that calls the request off.
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
        let call = journal.hearing(of: request.context).open(request)
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

    /// Requests an endpoint, with interceptors on the caller's task.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled, unless an interceptor holds it up.
    public func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        let request = try await settled(endpoint)
        let call = journal.hearing(of: request.context).open(request)
        let result = await Self.result { () async throws(TransportError) in try await exchange(request, call) }
        if let progress = request.progress { await Optional(progress).settled() }
        return try Self.check(result, of: request, endpoint.acceptedStatuses, call)
    }

    /// `nil` for straight to the session manager.
    func intercepted(for request: NetworkRequest) -> InterceptedSession? {
        request.timeouts.deadline.limit == nil ? intercepted : bounded ?? intercepted
    }

    /// As ``build(_:)``, which fails once the endpoint's observer has told so.
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
            journal.hearing(of: endpoint.context).refuse(failure)
            throw failure
        }
    }
}

// One call, buffered: what both faces do before the request is sent, and with what comes back.
extension DefaultNetworkService {
    /// Sends a request through the interceptors, each attempt told to the journal, and ends its progress.
    func exchange(_ request: NetworkRequest, _ journal: CallJournal?) async throws(TransportError) -> NetworkResponse {
        guard let intercepted = intercepted(for: request) else {
            journal?.attemptWillBegin(request)
            let result = await Self.result { () async throws(TransportError) in try await session.response(for: request) }
            journal?.attemptDidEnd(result)
            return try result.get()
        }
        var (request, relay) = request.relayed()
        defer { relay?.finish() }
        if let journal { request.addAttemptObserver(journal) }
        return try await intercepted.response(for: request)
    }

    static func result<Value>(_ work: () async throws(TransportError) -> Value) async -> Result<Value, TransportError> {
        do throws(TransportError) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }

    /// What both faces do with what came back.
    static func check(
        _ result: Result<NetworkResponse, TransportError>, of request: NetworkRequest, _ accepted: AcceptedStatuses,
        _ journal: CallJournal?
    ) throws(NetworkError) -> NetworkResponse {
        switch result {
        case .success(let response):
            if accepted.contains(response.statusCode) {
                journal?.end(response)
                return response
            }
            throw refusal(response, of: request, journal)
        case .failure(let error): throw failure(error, of: request, journal)
        }
    }

    /// A response whose status the endpoint does not accept.
    static func refusal(_ response: NetworkResponse, of request: NetworkRequest, _ journal: CallJournal?) -> NetworkError {
        var response = response
        response.method = request.method
        let failure = NetworkError.status(response)
        journal?.end(failure)
        return failure
    }

    static func failure(_ error: TransportError, of request: NetworkRequest, _ journal: CallJournal?) -> NetworkError {
        var error = error
        // That of a credential's refresh, for example, knows of no request.
        if error.request == nil { error.request = TransportError.text(of: request) }
        let failure = NetworkError(error)
        journal?.end(failure)
        return failure
    }
}

extension DefaultNetworkService {
    /// How much of the body of a response with a status that is not accepted is read for the error.
    private static let maximumErrorBodyBytes = 1 << 20
    /// How long that may take.
    private static let maximumErrorBodyTime = Duration.seconds(30)

    /// Requests an endpoint, with interceptors on the caller's task, and returns when the head of its response has come.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled, unless an interceptor holds it up. A status that the endpoint does
    ///   not accept is an error with the first MiB of its body, or what comes of it in 30 seconds. What fails later is thrown by the body, as ``TransportError``, and logged.
    public func stream(for endpoint: any Requestable) async throws(NetworkError) -> StreamedResponse {
        let request = try await settled(endpoint)
        let call = journal.hearing(of: request.context).open(request)
        let failed: NetworkResponse
        do throws(TransportError) {
            let response = try await send(request, call)
            if endpoint.acceptedStatuses.contains(response.statusCode) { return journaled(response, call) }
            failed = response.head(
                body: try await response.body.collectedStart(
                    upTo: Self.maximumErrorBodyBytes, within: Self.maximumErrorBodyTime))
        } catch {
            if let progress = request.progress { await Optional(progress).settled() }
            throw Self.failure(error, of: request, call)
        }
        throw Self.refusal(failed, of: request, call)
    }

    private func send(_ request: NetworkRequest, _ call: CallJournal?) async throws(TransportError) -> StreamedResponse {
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

    /// Tells the logger too how the body ends.
    private func journaled(_ response: StreamedResponse, _ call: CallJournal?) -> StreamedResponse {
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
    /// As it passes interceptors.
    fileprivate var exchanged: NetworkResponse {
        var response = head()
        response.stream = body
        return response
    }
}
