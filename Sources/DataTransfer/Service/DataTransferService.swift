import Dispatch
import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A service that requests endpoints and decodes their responses.
///
/// ```swift
/// let movies = try await service.request(popular)          // [Movie]
/// let response = try await service.response(for: popular)  // value, headers, …
/// let handle = service.request(popular, on: .main) { … }   // handle.cancel()
/// service.request(popular) { @MainActor result in … }      // on the main actor
/// ```
///
/// A closure that is isolated to an actor, such as `{ @MainActor result in … }` or a method of a view model, runs on that actor, whatever the
/// queue is. Other closures run on the queue that was passed, or on a background thread.
///
/// What applications call throws any `Error`, which is always a ``DataTransferError``: `catch let error as DataTransferError`, patterns such as
/// `catch DataTransferError.networkFailure(let failure)`, and questions such as `error.isTimeout` about any error. The functions whose names
/// contain `result` return the error in a `Result` that states its type.
///
/// ## Implementing a service
///
/// A test double implements only ``responseResult(for:)``; everything else has a default implementation. A service that wraps
/// another one should forward the four requirements, so that streams and the errors of pages and files are those of the wrapped service:
///
/// ```swift
/// struct CountingService: DataTransferService {
///     let wrapped: any DataTransferService
///     let counter: Counter
///
///     func responseResult<T: ResponseRequestable>(
///         for endpoint: T
///     ) async -> Result<DataTransferResponse<T.Response>, DataTransferError> {
///         counter.increment()
///         return await wrapped.responseResult(for: endpoint)
///     }
///     // Likewise response(for:on:completion:), streamResult(for:) and report(_:).
/// }
/// ```
public protocol DataTransferService: Sendable {
    /// Requests an endpoint, and returns the decoded response or the error.
    ///
    /// - Returns: The response; otherwise the error, at once when the task is cancelled.
    func responseResult<Target: ResponseRequestable>(
        for endpoint: Target
    ) async -> Result<DataTransferResponse<Target.Response>, DataTransferError>

    /// Requests an endpoint, and passes the decoded response to a completion. The default implementation uses ``responseResult(for:)`` in a
    /// task.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - queue: The queue on which the completion runs; with `nil`, ``NetworkCore/BackgroundThreads/completions``, on
    ///     which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the request; its completion is then called with an error whose `isCancelled` is
    ///   true.
    @discardableResult
    func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable

    /// Requests an endpoint, and returns a stream of the body, or the error, when the head of the response has arrived.
    ///
    /// The default implementation uses ``responseResult(for:)`` and has the whole body in memory.
    ///
    /// - Returns: The stream, which throws later failures; otherwise the error, at once when the task is cancelled.
    func streamResult(for endpoint: any Requestable) async -> Result<DataTransferStream, DataTransferError>

    /// Logs a failure that occurred outside of this service, and may replace it.
    ///
    /// Pages and downloads call it, for example when a list has no valid next page or a file cannot be written, once per
    /// failure, on the task of the caller.
    ///
    /// A service that wraps another one should forward it. The default implementation returns `failure` without logging it.
    ///
    /// - Returns: The error for the caller.
    func report(_ failure: DataTransferError) -> DataTransferError
}

// Inlinable where a value is returned: code that is compiled for the type of the value need not look up its metadata for each call.
extension DataTransferService {
    /// Requests an endpoint, and returns the decoded response.
    ///
    /// ```swift
    /// let response = try await service.response(for: popular)
    /// print(response.value, response.statusCode, response.headers, response.timings)
    /// ```
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    @inlinable
    public func response<Target: ResponseRequestable>(for endpoint: Target) async throws -> DataTransferResponse<Target.Response>
    {
        try await responseResult(for: endpoint).get()
    }

    /// Requests an endpoint, and returns a stream of the body when the head of the response has arrived.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled. Later failures are thrown by the stream.
    public func stream(for endpoint: any Requestable) async throws -> DataTransferStream {
        try await streamResult(for: endpoint).get()
    }

    /// Requests an endpoint with the async form in a separate task, and passes the decoded response to a completion.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - queue: The queue on which the completion runs; with `nil`, ``NetworkCore/BackgroundThreads/completions``.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the task.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable(on: queue) { () async throws(DataTransferError) in
            if Task.isCancelled { throw .networkFailure(.cancelled(.taskCancelled())) }
            return try await self.responseResult(for: endpoint).get()
        } completion: {
            completion($0)
        }
    }

    /// Requests an endpoint, and passes the decoded response to a completion.
    ///
    /// ```swift
    /// service.response(for: popular) { @MainActor [weak self] result in
    ///     self?.show(result)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - completion: Called exactly once: on the actor to which it is isolated, or else on a background thread, as without a queue.
    /// - Returns: A handle that cancels the request.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target,
        completion: @escaping @isolated(any) @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        let completion = CallerClosure(completion)
        return response(for: endpoint, on: nil) { completion.call($0) }
    }

    /// Requests an endpoint with ``responseResult(for:)``, and returns its body as one chunk from memory.
    public func streamResult(for endpoint: any Requestable) async -> Result<DataTransferStream, DataTransferError> {
        let bytes = Endpoint<Data>(endpoint.sourcedRequest, responseDecoder: .rawData) { body, _ in body.data }
        return await responseResult(for: bytes).map { response in
            DataTransferStream(
                NetworkResponse(
                    statusCode: response.statusCode, headers: response.headers, trailers: response.trailers,
                    body: .data(response.value), url: response.url, timings: response.timings))
        }
    }

    /// Returns `failure` without logging it.
    public func report(_ failure: DataTransferError) -> DataTransferError { failure }

    /// Requests an endpoint without a response type, such as a URL or a case of an enum, and decodes the response on the actor of the caller.
    ///
    /// ```swift
    /// let movie = try await service.request(url, as: Movie.self)
    /// let text = try await service.request(url, as: String.self, decoder: .text)
    /// ```
    ///
    /// A URL is requested with GET. If it has another origin than the base URL of the configuration, no credentials are sent, and only those
    /// headers of the configuration that cannot contain a secret.
    ///
    /// This is also the form for types whose conformance to `Decodable` is isolated to an actor, as in a module whose default isolation is the
    /// main actor. Endpoints have no such values, because they are decoded by any task. A large response blocks the actor while it is decoded:
    /// declare its type `nonisolated`, and use an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint. If it has a decoder, that one is not used.
    ///   - type: The type of the value, which need not be `Sendable`.
    ///   - decoder: The decoder of the response body. Default: `.json`, which uses the decoder of the service. For the bytes or the text of the
    ///     response, pass `.rawData` or `.text`.
    ///   - isolation: The actor on which the value is decoded. Default: that of the caller.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func request<Response: Decodable>(
        _ endpoint: some Requestable, as type: Response.Type, decoder: any ResponseDecoder = .json,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Response {
        let request = endpoint.sourcedRequest
        let response = try await response(for: Endpoint<ResponseData>(request, responseDecoder: decoder) { body, _ in body })
        do {
            return try decoder.decode(type, from: response.value)
        } catch {
            let received = NetworkResponse(
                statusCode: response.statusCode, headers: response.headers, body: .data(response.value.data), url: response.url)
            throw report(DataTransferError(decoding: error, of: received, method: request.method))
        }
    }

    /// Requests an endpoint, and returns the decoded value; for `Void`, nothing is decoded.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    @inlinable
    public func request<Target: ResponseRequestable>(_ endpoint: Target) async throws -> Target.Response {
        try await result(for: endpoint).get()
    }

    /// Requests an endpoint, and passes the decoded value to a completion; for `Void`, nothing is decoded.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends. The
    ///     main queue is not the default, because in a tool without a main loop the completion would never run.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the request.
    @discardableResult
    public func request<Target: ResponseRequestable>(
        _ endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @isolated(any) @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        let completion = CallerClosure(completion)
        return response(for: endpoint, on: queue) { completion.call($0.map { $0.value }) }
    }
}

extension DataTransferService {
    /// Requests an endpoint without a response type, and returns the value at a key path of the JSON document.
    ///
    /// ```swift
    /// let movies = try await service.request(
    ///     Movies.popular(page: 1), as: [Movie].self, keyPath: "results")
    /// ```
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func request<Value: Decodable>(
        _ endpoint: some Requestable, as type: Value.Type, keyPath: JSONKeyPath,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try await request(endpoint, as: type, decoder: .keyPath(keyPath), isolation: isolation)
    }

    /// Requests an endpoint, and returns its value or the error as a `Result`, whose type of errors is not lost in a task or a closure.
    ///
    /// ```swift
    /// let result = await service.result(for: endpoint)
    /// if case .failure(let error) = result, error.isTimeout { showOffline() }
    /// ```
    ///
    /// - Returns: The decoded value; otherwise the error, at once when the task is cancelled.
    @inlinable
    public func result<Target: ResponseRequestable>(for endpoint: Target) async -> Result<Target.Response, DataTransferError> {
        // Not a key path, which a generic function creates anew for each call.
        await responseResult(for: endpoint).map { $0.value }
    }
}

// The same calls for `Endpoint`, so that its static members can be written with a leading dot: `service.request(.repositories)`.
extension DataTransferService {
    /// Requests an endpoint, and returns the decoded value; for `Void`, nothing is decoded.
    ///
    /// ```swift
    /// extension Endpoint where Response == [Movie] {
    ///     static func popular(page: Int) -> Self {
    ///         Endpoint(path: "movie/popular", queryParameters: ["page": page])
    ///     }
    /// }
    ///
    /// let movies = try await service.request(.popular(page: 1))
    /// ```
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    @inlinable
    public func request<Response>(_ endpoint: Endpoint<Response>) async throws -> Response {
        try await result(for: endpoint).get()
    }

    /// Requests an endpoint, and returns the decoded response.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    @inlinable
    public func response<Response>(for endpoint: Endpoint<Response>) async throws -> DataTransferResponse<Response> {
        try await responseResult(for: endpoint).get()
    }

    /// Requests an endpoint, and returns its value or the error as a `Result`.
    ///
    /// - Returns: The decoded value; otherwise the error, at once when the task is cancelled.
    @inlinable
    public func result<Response>(for endpoint: Endpoint<Response>) async -> Result<Response, DataTransferError> {
        await responseResult(for: endpoint).map { $0.value }
    }

    /// Requests an endpoint, and passes the decoded value to a completion; for `Void`, nothing is decoded.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the request.
    @discardableResult
    public func request<Response>(
        _ endpoint: Endpoint<Response>, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @isolated(any) @Sendable (Result<Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        let completion = CallerClosure(completion)
        return response(for: endpoint, on: queue) { completion.call($0.map { $0.value }) }
    }
}

/// A decoded value with status, header fields and timings of its response.
public struct DataTransferResponse<Value: Sendable>: Sendable {
    /// The value decoded from the body.
    public var value: Value
    /// The status of the response, one that the endpoint accepts.
    public var statusCode: Int {
        get { metadata.statusCode }
        set { metadata.statusCode = newValue }
    }
    /// The header fields of the response.
    public var headers: HeaderFields {
        get { metadata.headers }
        _modify { yield &metadata.headers }
    }
    /// The trailer fields, empty in most responses. `URLSession` does not provide them.
    public var trailers: HeaderFields {
        get { metadata.trailers }
        _modify { yield &metadata.trailers }
    }
    /// The URL of the response, after redirects.
    public var url: URL {
        get { metadata.lazyURL.url }
        set { metadata.lazyURL = .url(newValue) }
    }
    /// The durations of the phases of the transfer.
    public var timings: TransferTimings {
        get { metadata.timings.value }
        set { metadata.timings.value = newValue }
    }
    @usableFromInline var metadata: ResponseMetadata

    /// Creates a response with these properties.
    public init(
        value: Value, statusCode: Int = 200, headers: HeaderFields = [:], trailers: HeaderFields = [:], url: URL,
        timings: TransferTimings = .init()
    ) {
        self.value = value
        metadata = ResponseMetadata(
            statusCode: statusCode, headers: headers, trailers: trailers, lazyURL: .url(url), timings: CopyOnWrite(timings))
    }

    /// Creates a response from a value and a network response.
    ///
    /// Status, header fields, trailer fields, URL and timings are those of the network response.
    @inlinable package init(value: Value, response: NetworkResponse) {
        self.value = value
        metadata = ResponseMetadata(response)
    }
}

/// What a response has besides its value. A separate type, because it is the same for all types of values: no code that depends on the type handles it.
@usableFromInline struct ResponseMetadata: Sendable {
    var statusCode: Int
    var headers: HeaderFields
    var trailers: HeaderFields
    var lazyURL: LazyURL
    var timings: CopyOnWrite<TransferTimings>
}

extension ResponseMetadata {
    @usableFromInline init(_ response: NetworkResponse) {
        self.init(
            statusCode: response.statusCode, headers: response.headers, trailers: response.trailers, lazyURL: response.lazyURL,
            timings: response.currentTimings)
    }
}

extension DataTransferResponse: RedactedStringConvertible {
    /// A textual representation of status, type and header fields. It does not contain the value, which may be secret.
    public var description: String { "DataTransferResponse<\(Value.self)>(\(statusCode), \(headers))" }
}
