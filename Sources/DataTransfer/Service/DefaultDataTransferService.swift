import Endpoints
import NetworkCore
import NetworkLogging

/// A ``DataTransferService`` that sends requests with a ``NetworkCore/NetworkService``.
///
/// ```swift
/// let api = try APIConfiguration("https://api.example.com/3")
/// let service = DefaultDataTransferService(configuration: api)
/// let popular = Endpoint<[Movie]>(path: "movie/popular", keyPath: "results")
/// let movies = try await service.request(popular)
/// ```
public struct DefaultDataTransferService: DataTransferService {
    @usableFromInline let networkService: any NetworkService
    private let failures: FailureReport
    private let encoder: (any DataEncoder)?
    private let decoder: (any JSONDataDecoder)?

    /// Creates a service that sends requests with a network service.
    ///
    /// - Parameters:
    ///   - networkService: The service that sends the requests.
    ///   - errorResolver: Replaces network errors with errors of the application. With `nil`, the default, they are kept.
    ///   - errorLogger: Receives each failure once. Default: `nil`.
    ///   - encoder: Encodes the JSON bodies for which the endpoint has no encoder. Default: `nil`, which is
    ///     ``Endpoints/DataEncoder/json``.
    ///   - decoder: Decodes JSON for endpoints and streams without a decoder. Default: `nil`, which is a new
    ///     ``NetworkJSON/TransferJSONDecoder``.
    public init(
        networkService: any NetworkService,
        errorResolver: (any DataTransferErrorResolver)? = nil,
        errorLogger: (any DataTransferErrorLogger)? = nil,
        encoder: (any DataEncoder)? = nil,
        decoder: (any JSONDataDecoder)? = nil
    ) {
        self.encoder = encoder
        self.decoder = decoder
        self.networkService = networkService
        failures = FailureReport(resolver: errorResolver, logger: errorLogger)
    }

    /// Creates a service with a ``NetworkCore/DefaultNetworkService`` that is made from these components.
    ///
    /// ```swift
    /// let service = DefaultDataTransferService(
    ///     configuration: api, encoder: encoder, decoder: decoder)
    /// ```
    ///
    /// Without a configuration, it is for whole URLs and for endpoints with a host: ``Endpoints/NetworkConfigurable/composed``.
    ///
    /// The encoder is that of `.json(…)` bodies, the decoder that of `.json`, `.keyPath(…)`, `.envelope()`, of `as(_:)` and of
    /// streams of JSON, unless an endpoint has another one. An ``ErrorBodyResolver`` has a separate decoder.
    public init(
        configuration: any NetworkConfigurable = .composed,
        sessionManager: any NetworkSessionManager = DefaultSessionManager.shared,
        interceptors: [any NetworkInterceptor] = [],
        networkLogger: (any NetworkErrorLogger)? = nil,
        errorResolver: (any DataTransferErrorResolver)? = nil,
        errorLogger: (any DataTransferErrorLogger)? = nil,
        encoder: (any DataEncoder)? = nil,
        decoder: (any JSONDataDecoder)? = nil
    ) {
        self.init(
            networkService: DefaultNetworkService(
                configuration: configuration, sessionManager: sessionManager, interceptors: interceptors, logger: networkLogger),
            errorResolver: errorResolver, errorLogger: errorLogger, encoder: encoder, decoder: decoder)
    }

    /// Requests an endpoint, and passes the decoded response to a completion.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - queue: The queue on which the completion runs; with `nil`, the thread on which the network service calls its
    ///     completion. The response is always decoded on that thread.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the request.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        let request = described(endpoint.request, decoder: endpoint.responseDecoder)
        return networkService.response(for: request) { result in
            let outcome = result.mapError { failure($0) }.flatMap { decoded($0, endpoint, request) }
            guard let queue else { return completion(outcome) }
            queue.asyncExecute { completion(outcome) }
        }
    }

    /// Requests an endpoint, and decodes the response on the caller's task.
    ///
    /// - Returns: The response; otherwise the error, when the task is cancelled as soon as the network service throws.
    @inlinable
    public func responseResult<Target: ResponseRequestable>(
        for endpoint: Target
    ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
        let request = described(endpoint.request, decoder: endpoint.responseDecoder)
        do throws(NetworkError) {
            return decoded(try await networkService.response(for: request), endpoint, request)
        } catch {
            return .failure(failure(error))
        }
    }

    /// Requests an endpoint, and returns when the head of the response has arrived.
    ///
    /// - Returns: The stream, which throws later failures, resolved and logged like any other; otherwise the error, when the task is
    ///   cancelled as soon as the network service throws.
    public func streamResult(for endpoint: any Requestable) async -> Result<DataTransferStream, DataTransferError> {
        let request = described(endpoint.sourcedRequest)
        let response: NetworkResponse
        do throws(NetworkError) {
            response = try await networkService.stream(for: request)
        } catch {
            return .failure(failures.report(error))
        }
        if let failure = DataTransferError(headOf: response, to: request) {
            response.body.stop()
            return .failure(failures.report(failure))
        }
        return .success(DataTransferStream(response, failures: failures, decoder: self.decoder))
    }

    /// Logs a failure that occurred after the response, and returns it unchanged.
    public func report(_ failure: DataTransferError) -> DataTransferError {
        failures.report(failure)
    }

    /// Returns a description with the encoder of this service, and with the media types of the decoder if they are to be used.
    @usableFromInline func described(
        _ request: RequestDescription, decoder: @autoclosure () -> (any ResponseDecoder)? = nil
    ) -> RequestDescription {
        var request = request
        if let encoder, request.body != nil { request.encoder = encoder }
        if request.acceptedMediaTypes.areOfDecoder { request.acceptedMediaTypes = decoder()?.acceptedMediaTypes ?? .any }
        return request
    }

    /// Decodes a response, for the completion form and the async form.
    @inlinable func decoded<Target: ResponseRequestable>(
        _ response: NetworkResponse, _ endpoint: Target, _ request: RequestDescription
    ) -> Result<DataTransferResponse<Target.Response>, DataTransferError> {
        do {
            let value = try endpoint.response(from: acceptedBody(of: response, request))
            return .success(DataTransferResponse(value: value, response: response))
        } catch {
            return .failure(failure(decoding: error, of: response, request))
        }
    }

    /// Returns the body of a response whose media type the endpoint accepts.
    @usableFromInline func acceptedBody(of response: NetworkResponse, _ request: RequestDescription) throws -> ResponseData {
        let contentType = response.headers["Content-Type"]
        if !response.body.isEmpty, let failure = request.acceptedMediaTypes.failure(contentType: contentType) {
            throw failure
        }
        return ResponseData(response.body, contentType: contentType, decoder: decoder)
    }

    @usableFromInline func failure(_ error: NetworkError) -> DataTransferError { failures.report(error) }

    @usableFromInline func failure(
        decoding error: any Error, of response: NetworkResponse, _ request: RequestDescription
    ) -> DataTransferError {
        failures.report(DataTransferError(decoding: error, of: response, method: request.method))
    }
}

extension DefaultDataTransferService: RedactedStringConvertible {}
