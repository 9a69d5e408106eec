import Endpoints
import NetworkCore
import NetworkLogging

/// The ``DataTransferService`` over a ``NetworkCore/NetworkService``.
///
/// ```swift
/// let service = DefaultDataTransferService(configuration: try APIConfiguration("https://api.example.com/3"))
/// let movies = try await service.request(Endpoint<[Movie]>(path: "movie/popular", keyPath: "results"))
/// ```
public struct DefaultDataTransferService: DataTransferService {
    private let networkService: any NetworkService
    private let failures: FailureReport

    /// - Parameters:
    ///   - networkService: What fetches the bytes.
    ///   - errorResolver: Turns a network error into the caller's own; none by default.
    ///   - errorLogger: Hears each failure once; none by default.
    public init(
        networkService: any NetworkService,
        errorResolver: any DataTransferErrorResolver = .unresolved,
        errorLogger: (any DataTransferErrorLogger)? = nil
    ) {
        self.networkService = networkService
        failures = FailureReport(resolver: errorResolver, logger: errorLogger)
    }

    /// Over a ``NetworkCore/DefaultNetworkService`` made of these parts.
    public init(
        configuration: any NetworkConfigurable,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared,
        interceptors: [any NetworkInterceptor] = [],
        networkLogger: (any NetworkErrorLogger)? = nil,
        errorResolver: any DataTransferErrorResolver = .unresolved,
        errorLogger: (any DataTransferErrorLogger)? = nil
    ) {
        self.init(
            networkService: DefaultNetworkService(
                configuration: configuration, sessionManager: sessionManager, interceptors: interceptors, logger: networkLogger),
            errorResolver: errorResolver, errorLogger: errorLogger)
    }

    /// Requests an endpoint.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; with `nil`, where the network service runs its own, as decoding does in any case.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the request off.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        networkService.request(endpoint) { result in
            let outcome = Result { () throws(DataTransferError) in try decode(result, endpoint) }
            guard let queue else { return completion(outcome) }
            queue.asyncExecute { completion(outcome) }
        }
    }

    /// Requests an endpoint, and decodes on the caller's task.
    ///
    /// - Throws: ``DataTransferError``; as soon as the network service does when the task is cancelled.
    public func response<Target: ResponseRequestable>(
        for endpoint: Target
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response> {
        let result: Result<NetworkResponse, NetworkError>
        do throws(NetworkError) {
            result = .success(try await networkService.response(for: endpoint))
        } catch {
            result = .failure(error)
        }
        return try decode(result, endpoint)
    }

    /// Requests an endpoint, and returns when the head of its response has come.
    ///
    /// - Throws: ``DataTransferError``; as soon as the network service does when the task is cancelled. What fails later is thrown by the
    ///   stream, resolved and logged like any other failure.
    public func stream(for endpoint: any Requestable) async throws(DataTransferError) -> DataTransferStream {
        do throws(NetworkError) {
            return DataTransferStream(try await networkService.stream(for: endpoint), failures: failures)
        } catch {
            throw failures.report(error)
        }
    }

    /// Logs a failure that was found after the response, and hands it back to be thrown.
    public func report(_ failure: DataTransferError) -> DataTransferError {
        failures.report(failure)
    }

    /// What both faces do with what came back.
    private func decode<Target: ResponseRequestable>(
        _ result: Result<NetworkResponse, NetworkError>, _ endpoint: Target
    ) throws(DataTransferError) -> DataTransferResponse<Target.Response> {
        switch result {
        case .success(let response):
            do {
                let body = ResponseBody(response.body, contentType: response.headers["Content-Type"])
                return DataTransferResponse(value: try endpoint.response(from: body), response: response)
            } catch {
                throw failures.report(DataTransferError(decoding: error, of: response, endpoint: endpoint))
            }
        case .failure(let error):
            throw failures.report(error)
        }
    }
}
