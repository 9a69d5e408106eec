import Endpoints
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
