import Endpoints
import Foundation
import NetworkCore

// A body of the caller's choice goes to an endpoint, and the endpoint's answer comes back.
extension DataTransferService {
    /// Sends a body to an endpoint, and decodes the answer.
    ///
    /// ```swift
    /// let receipt = try await service.upload(.file(movie, contentType: "video/mp4"), to: endpoint, progress: monitor)
    /// let receipt = try await service.upload(.multipart(form), to: endpoint)
    /// let receipt = try await service.upload(.stream(chunks), to: endpoint)
    /// ```
    ///
    /// Files and sequences are read while they are sent, no faster than the server takes them. A body that can be read again is sent again
    /// where a redirect keeps the method or an interceptor makes another attempt; one that cannot fails then with
    /// ``NetworkCore/TransportError/Code/bodyNotReplayable``. An answer that comes before all has been sent counts: a 413 is that status,
    /// not a broken connection.
    ///
    /// - Parameters:
    ///   - body: Takes the place of the endpoint's own. Its media type is sent unless the endpoint has a `Content-Type`; that of a form
    ///     always is, as nobody can read it without its boundary.
    ///   - endpoint: Its method is used, and POST where it says GET, which has no body.
    ///   - progress: Takes the place of the endpoint's own observer; a ``NetworkCore/ProgressMonitor`` is one.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func upload<Target: ResponseRequestable>(
        _ body: RequestBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await response(for: endpoint, uploading: body, progress: progress).value
    }

    /// Sends a body to an endpoint as the async ``upload(_:to:progress:)`` does.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the upload off.
    @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ body: RequestBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        response(for: endpoint, uploading: body, progress: progress, on: queue) { completion($0.map(\.value)) }
    }

    /// Sends a body to an endpoint: the answer's value with status, headers and timings.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, uploading body: RequestBody, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response> {
        try await response(for: AdjustedEndpoint(endpoint, uploading: body, progress: progress))
    }

    /// Sends a body to an endpoint: the answer's value with status, headers and timings.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the upload off.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, uploading body: RequestBody, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        response(for: AdjustedEndpoint(endpoint, uploading: body, progress: progress), on: queue, completion: completion)
    }
}

// Bodies that need no name: a value is JSON, `Data` is itself.
extension DataTransferService {
    /// Sends a value as JSON to an endpoint, and decodes the answer; else as ``upload(_:to:progress:)`` with a body does.
    ///
    /// - Parameters:
    ///   - value: Objects, top-level arrays and scalars alike. A URL stands for the file there; `.json(url)` sends its text.
    ///   - encoder: Sorted keys, slashes as they are, else Foundation's defaults, unless given.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    @_disfavoredOverload
    public func upload<Target: ResponseRequestable>(
        _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json,
        progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await upload(.json(value, encoder: encoder), to: endpoint, progress: progress)
    }

    /// Sends a value as JSON to an endpoint, and decodes the answer.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the upload off.
    @_disfavoredOverload @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json,
        progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        upload(.json(value, encoder: encoder), to: endpoint, progress: progress, on: queue, completion: completion)
    }

    /// Sends bytes as they are, as `application/octet-stream` unless the endpoint has a `Content-Type`, and decodes the answer.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func upload<Target: ResponseRequestable>(
        _ data: Data, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await upload(.data(data), to: endpoint, progress: progress)
    }

    /// Sends bytes as they are, as `application/octet-stream` unless the endpoint has a `Content-Type`, and decodes the answer.
    ///
    /// - Parameters:
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the upload off.
    @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ data: Data, to endpoint: Target, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        upload(.data(data), to: endpoint, progress: progress, on: queue, completion: completion)
    }

    /// Sends a file as it is, as `application/octet-stream` unless the endpoint has a `Content-Type`, and decodes the answer.
    /// `.file(url, contentType: …)` says what it is.
    ///
    /// - Parameter file: A file URL. Any other fails with ``NetworkCore/NetworkError/requestGeneration(_:)``, and nothing is sent.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func upload<Target: ResponseRequestable>(
        _ file: URL, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await upload(.file(file), to: endpoint, progress: progress)
    }

    /// Sends a file as it is, as `application/octet-stream` unless the endpoint has a `Content-Type`, and decodes the answer.
    ///
    /// - Parameters:
    ///   - file: A file URL. Any other fails with ``NetworkCore/NetworkError/requestGeneration(_:)``, and nothing is sent.
    ///   - queue: Where the completion runs; by default on a background thread that no transfer depends on.
    ///   - completion: Runs exactly once.
    /// - Returns: A handle that calls the upload off.
    @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ file: URL, to endpoint: Target, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        upload(.file(file), to: endpoint, progress: progress, on: queue, completion: completion)
    }
}

extension AdjustedEndpoint where Base: ResponseRequestable, Response == Base.Response {
    fileprivate init(_ base: Base, uploading body: RequestBody, progress: (any TransferProgressObserver)?) {
        self.init(base)
        self.body = body
        if method == .get { method = .post }
        if body.contentType?.hasPrefix("multipart/") == true { headerParameters.remove("Content-Type") }
        if let progress { self.progress = progress }
    }
}
