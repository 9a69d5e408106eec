import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

/// A service that requests endpoints and decodes their responses.
///
/// ```swift
/// let movies = try await service.request(popular)                       // [Movie]
/// let response = try await service.response(for: popular)               // value, status, headers, timings
/// let handle = service.request(popular, on: DispatchQueue.main) { result in … }      // handle.cancel()
/// ```
///
/// A test double implements only the first method; the others have default implementations. A service that wraps another one
/// should forward all four, so that streams and the errors of pages and files are those of the wrapped service.
public protocol DataTransferService: Sendable {
    /// Requests an endpoint, and passes the decoded response to a completion.
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

    /// Requests an endpoint, and returns the decoded response. The default implementation uses the completion form.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    func response<Target: ResponseRequestable>(
        for endpoint: Target
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response>

    /// Requests an endpoint, and returns when the head of the response has arrived.
    ///
    /// The default implementation uses ``response(for:)`` and has the whole body in memory.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled. Later failures are thrown by the stream.
    func stream(for endpoint: any Requestable) async throws(DataTransferError) -> DataTransferStream

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

extension DataTransferService {
    /// Requests an endpoint with the completion form, and cancels the request when the task is cancelled.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func response<Target: ResponseRequestable>(
        for endpoint: Target
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response> {
        let bridge = CancellationBridge<DataTransferResponse<Target.Response>, DataTransferError>(
            cancellation: .networkFailure(.cancelled(TransportError(.cancelled, "the task was cancelled"))))
        return try await bridge.run { completion in self.response(for: endpoint, on: nil, completion: completion) }
    }

    /// Requests an endpoint with ``response(for:)``, and returns its body as one chunk from memory.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func stream(for endpoint: any Requestable) async throws(DataTransferError) -> DataTransferStream {
        try await bufferedStream(for: endpoint)
    }

    private func bufferedStream(for endpoint: some Requestable) async throws(DataTransferError) -> DataTransferStream {
        let response = try await response(for: AdjustedEndpoint(bytesOf: endpoint))
        let body = ResponseStream(response.value, trailers: response.trailers, timings: response.timings)
        return DataTransferStream(
            StreamedResponse(
                statusCode: response.statusCode, headers: response.headers, url: response.url, timings: response.timings,
                body: body))
    }

    /// Returns `failure` without logging it.
    public func report(_ failure: DataTransferError) -> DataTransferError { failure }

    /// Requests an endpoint, and returns the decoded value; for `Void`, nothing is decoded.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func request<Target: ResponseRequestable>(_ endpoint: Target) async throws(DataTransferError) -> Target.Response {
        try await response(for: endpoint).value
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
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        response(for: endpoint, on: queue) { completion($0.map(\.value)) }
    }
}

/// A decoded value with status, header fields and timings of its response.
public struct DataTransferResponse<Value: Sendable>: Sendable {
    /// The value decoded from the body.
    public var value: Value
    /// The status of the response, one that the endpoint accepts.
    public var statusCode: Int
    /// The header fields of the response.
    public var headers: HTTPHeaders
    /// The trailer fields, empty in most responses. `URLSession` does not provide them.
    public var trailers: HTTPHeaders
    /// The URL of the response, after redirects.
    public var url: URL
    /// The durations of the phases of the transfer.
    public var timings: TransferTimings

    /// Creates a response with these properties.
    public init(
        value: Value, statusCode: Int = 200, headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:], url: URL,
        timings: TransferTimings = .init()
    ) {
        self.value = value
        self.statusCode = statusCode
        self.headers = headers
        self.trailers = trailers
        self.url = url
        self.timings = timings
    }

    /// Creates a response from a value and a network response.
    ///
    /// Status, header fields, trailer fields, URL and timings are those of the network response.
    public init(value: Value, response: NetworkResponse) {
        self.init(
            value: value, statusCode: response.statusCode, headers: response.headers, trailers: response.trailers,
            url: response.url, timings: response.timings)
    }
}

extension DataTransferResponse: RedactedStringConvertible {
    /// A textual representation of status, type and header fields. It does not contain the value, which may be secret.
    public var description: String { "DataTransferResponse<\(Value.self)>(\(statusCode), \(headers))" }
}
