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
        let journal = journal.hearing(of: request.context)
        let entry = journal.open(request)
        let accepted = endpoint.acceptedStatuses
        let progress = request.progress
        let finish: @Sendable (Result<NetworkResponse, TransportError>) -> Void = { result in
            progress.whenSettled {
                completion(Result { () throws(NetworkError) in try Self.check(result, accepted, journal, entry) })
            }
        }
        if let intercepted = intercepted(for: request) {
            let (request, relay) = request.relayed()
            return TaskCancellable { () throws(TransportError) in
                try await intercepted.response(for: request)
            } completion: {
                relay?.finish()
                finish($0)
            }
        }
        return session.request(request, completion: finish)
    }

    /// Requests an endpoint, with interceptors on the caller's task.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled, unless an interceptor holds it up.
    public func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        let request = try await settled(endpoint)
        let journal = journal.hearing(of: request.context)
        let entry = journal.open(request)
        let result: Result<NetworkResponse, TransportError>
        do throws(TransportError) {
            if let intercepted = intercepted(for: request) {
                let (request, relay) = request.relayed()
                defer { relay?.finish() }
                result = .success(try await intercepted.response(for: request))
            } else {
                result = .success(try await session.response(for: request))
            }
        } catch {
            result = .failure(error)
        }
        if let progress = request.progress { await Optional(progress).settled() }
        return try Self.check(result, endpoint.acceptedStatuses, journal, entry)
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
            let failure = NetworkError.requestGeneration(error)
            ProgressReporter(endpoint.progress, submitted: monotonicNanoseconds())?.finish()
            journal.hearing(of: endpoint.context).close(nil, failure)
            throw failure
        }
    }

    /// What both faces do with what came back.
    private static func check(
        _ result: Result<NetworkResponse, TransportError>, _ accepted: AcceptedStatuses, _ journal: RequestJournal,
        _ entry: LoggedRequest?
    ) throws(NetworkError) -> NetworkResponse {
        switch result {
        case .success(let response):
            journal.note(response, entry)
            if accepted.contains(response.statusCode) { return response }
            let failure = NetworkError.status(response)
            journal.close(entry, failure)
            throw failure
        case .failure(let error):
            let failure = NetworkError(error)
            journal.close(entry, failure)
            throw failure
        }
    }
}
