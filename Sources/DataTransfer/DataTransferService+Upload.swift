import Endpoints
import Foundation
import NetworkCore

// Uploads with an explicit request body.
extension DataTransferService {
    /// Sends a request body to an endpoint, and returns the decoded response.
    ///
    /// ```swift
    /// let receipt = try await service.upload(.file(movie, contentType: "video/mp4"), to: endpoint, progress: monitor)
    /// let receipt = try await service.upload(.multipart(form), to: endpoint)
    /// let receipt = try await service.upload(.stream(chunks), to: endpoint)
    /// ```
    ///
    /// Files and sequences are read while they are sent, no faster than the server receives them. If a redirect keeps the
    /// method or an interceptor makes another attempt, a replayable body is sent again; otherwise, the request fails with
    /// ``NetworkCore/TransportError/Code/bodyNotReplayable``. A response that arrives before the body has been sent
    /// completely is returned: a status 413 is reported as such, not as a lost connection.
    ///
    /// - Parameters:
    ///   - body: The body, which replaces that of the endpoint. Its media type is sent unless the endpoint has a
    ///     `Content-Type`. The media type of a multipart form is always sent, because it contains the boundary.
    ///   - endpoint: The endpoint. Its method is used, except that GET is replaced by POST, because a GET request has no
    ///     body.
    ///   - progress: The progress observer, such as a ``NetworkCore/ProgressMonitor``; it replaces that of the endpoint.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func upload<Target: ResponseRequestable>(
        _ body: RequestBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await response(for: endpoint, uploading: body, progress: progress).value
    }

    /// Sends a request body to an endpoint: the completion form of the async ``upload(_:to:progress:)``.
    ///
    /// - Parameters:
    ///   - body: The body, which replaces that of the endpoint.
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the upload.
    @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ body: RequestBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        response(for: endpoint, uploading: body, progress: progress, on: queue) { completion($0.map(\.value)) }
    }

    /// Sends a request body to an endpoint, and returns the decoded value with status, headers and timings of the response.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, uploading body: RequestBody, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> DataTransferResponse<Target.Response> {
        try await response(for: AdjustedEndpoint(endpoint, uploading: body, progress: progress))
    }

    /// Sends a request body to an endpoint: the completion form, with status, headers and timings of the response.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - body: The body, which replaces that of the endpoint.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the upload.
    @discardableResult
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, uploading body: RequestBody, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<DataTransferResponse<Target.Response>, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        response(for: AdjustedEndpoint(endpoint, uploading: body, progress: progress), on: queue, completion: completion)
    }
}

// Uploads of values, data and files, without an explicit request body.
extension DataTransferService {
    /// Sends a value as JSON to an endpoint, and returns the decoded response.
    ///
    /// Otherwise like ``upload(_:to:progress:)`` with a body.
    ///
    /// - Parameters:
    ///   - value: The value: an object, an array or a scalar. If it is a `URL`, the file at that URL is sent instead;
    ///     `.json(url)` sends the text of the URL.
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - encoder: The encoder. By default, it sorts keys and does not escape slashes, and otherwise has Foundation's
    ///     defaults.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    @_disfavoredOverload
    public func upload<Target: ResponseRequestable>(
        _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json,
        progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await upload(.json(value, encoder: encoder), to: endpoint, progress: progress)
    }

    /// Sends a value as JSON to an endpoint: the completion form.
    ///
    /// - Parameters:
    ///   - value: The value: an object, an array or a scalar.
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - encoder: The encoder. By default, it sorts keys and does not escape slashes, and otherwise has Foundation's
    ///     defaults.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the upload.
    @_disfavoredOverload @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ value: some Encodable & Sendable, to endpoint: Target, encoder: any DataEncoder = .json,
        progress: (any TransferProgressObserver)? = nil, on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        upload(.json(value, encoder: encoder), to: endpoint, progress: progress, on: queue, completion: completion)
    }

    /// Sends data to an endpoint, and returns the decoded response.
    ///
    /// The media type is `application/octet-stream` unless the endpoint has a `Content-Type`.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func upload<Target: ResponseRequestable>(
        _ data: Data, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await upload(.data(data), to: endpoint, progress: progress)
    }

    /// Sends data to an endpoint: the completion form.
    ///
    /// The media type is `application/octet-stream` unless the endpoint has a `Content-Type`.
    ///
    /// - Parameters:
    ///   - data: The bytes to send.
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the upload.
    @discardableResult
    public func upload<Target: ResponseRequestable>(
        _ data: Data, to endpoint: Target, progress: (any TransferProgressObserver)? = nil,
        on queue: (any DataTransferDispatchQueue)? = nil,
        completion: @escaping @Sendable (Result<Target.Response, DataTransferError>) -> Void
    ) -> any NetworkCancellable {
        upload(.data(data), to: endpoint, progress: progress, on: queue, completion: completion)
    }

    /// Sends a file to an endpoint, and returns the decoded response.
    ///
    /// The media type is `application/octet-stream` unless the endpoint has a `Content-Type`; use
    /// `.file(url, contentType: …)` to set another one.
    ///
    /// - Parameters:
    ///   - file: A file URL. Any other URL fails with ``NetworkCore/NetworkError/requestGeneration(_:)``, and nothing is
    ///     sent.
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func upload<Target: ResponseRequestable>(
        _ file: URL, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws(DataTransferError) -> Target.Response {
        try await upload(.file(file), to: endpoint, progress: progress)
    }

    /// Sends a file to an endpoint: the completion form.
    ///
    /// The media type is `application/octet-stream` unless the endpoint has a `Content-Type`.
    ///
    /// - Parameters:
    ///   - file: A file URL. Any other URL fails with ``NetworkCore/NetworkError/requestGeneration(_:)``, and nothing is
    ///     sent.
    ///   - endpoint: The endpoint. GET is replaced by POST.
    ///   - progress: The progress observer; it replaces that of the endpoint.
    ///   - queue: The queue on which the completion runs; by default, a background thread on which no transfer depends.
    ///   - completion: Called exactly once.
    /// - Returns: A handle that cancels the upload.
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
