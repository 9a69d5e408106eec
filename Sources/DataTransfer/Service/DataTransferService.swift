import Endpoints
import Foundation
import NetworkCore

/// From an endpoint to its value.
///
/// ```swift
/// let movies = try await service.request(popular)                       // [Movie]
/// let response = try await service.response(for: popular)               // value, status, headers, timings
/// let handle = service.request(popular, on: DispatchQueue.main) { result in … }      // handle.cancel()
/// ```
///
/// A test double implements one method; all others follow from it. A service that wraps another one forwards all four, so that streams and
/// the errors of pages and files are those of the wrapped one.
public protocol DataTransferService: Sendable {
    /// Requests an endpoint.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; with `nil`, on ``NetworkCore/BackgroundThreads/completions``, which no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the request off; its completion then runs with an error whose `isCancelled` is true.
    @discardableResult
    func response<Target: ResponseRequestable>(
        for endpoint: Target, on queue: (any DataTransferDispatchQueue)?,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable

    /// Requests an endpoint. Derived from the completion form unless a service has a shorter way.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    func response<Target: ResponseRequestable>(
        for endpoint: Target
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response>

    /// Requests an endpoint, and returns when the head of its response has come. Derived from ``response(for:)``, and so with the whole
    /// body in memory, unless a service can do better.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled. What fails later is thrown by the stream.
    func stream(for endpoint: any Requestable) async throws(DataTransferError) -> DataTransferStream

    /// Logs a failure that this service has not seen itself, such as a list without a proper end or a file that cannot be written, and may
    /// make another one of it. Called once per failure, on the task of the caller, by what is built on a service: pages and downloads.
    ///
    /// A service that wraps another one hands it on to that. Returns `failure` by default, for services without a logger.
    ///
    /// - Returns: What the caller gets.
    func report(_ failure: DataTransferError) -> DataTransferError
}

extension DataTransferService {
    /// Requests an endpoint with the completion form, and calls it off when the task is cancelled.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func response<Target: ResponseRequestable>(
        for endpoint: Target
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response> {
        let bridge = CancellationBridge<DataTransferResponse<Target.Response>, DataTransferError>(
            cancellation: .networkFailure(.cancelled(TransportError(.cancelled, "the task was cancelled"))))
        return try await bridge.run { completion in self.response(for: endpoint, on: nil, completion: completion) }
    }

    /// Requests an endpoint with ``response(for:)``: its body comes as one chunk, from memory.
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

    /// `failure`, logged nowhere.
    public func report(_ failure: DataTransferError) -> DataTransferError { failure }

    /// The value of an endpoint: a decoded one, or nothing for `Void`.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func request<Target: ResponseRequestable>(_ endpoint: Target) async throws(DataTransferError) -> Target.Response {
        try await response(for: endpoint).value
    }

    /// The value of an endpoint: a decoded one, or nothing for `Void`.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on. Not on the main queue
    ///     unless you say so: a tool without a main loop would never hear of it.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the request off.
    @discardableResult
    public func request<Target: ResponseRequestable>(
        _ endpoint: Target, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        response(for: endpoint, on: queue) { completion($0.map(\.value)) }
    }
}

/// A value, and what came with it.
public struct DataTransferResponse<Value: Sendable>: Sendable {
    /// The decoded value.
    public var value: Value
    /// The response's status, one that the endpoint accepts.
    public var statusCode: Int
    /// The response's header fields.
    public var headers: HTTPHeaders
    /// Trailer fields, empty in most responses; `URLSession` gives none.
    public var trailers: HTTPHeaders
    /// The URL that answered, after redirects.
    public var url: URL
    /// Where the time went.
    public var timings: TransferTimings

    /// A response of these parts.
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

    /// A value, with status, headers, URL and timings of the response it came in.
    public init(value: Value, response: NetworkResponse) {
        self.init(
            value: value, statusCode: response.statusCode, headers: response.headers, trailers: response.trailers,
            url: response.url, timings: response.timings)
    }
}

extension DataTransferResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status and the type: a value may hold secrets.
    public var description: String { "DataTransferResponse<\(Value.self)>(\(statusCode), \(headers))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
