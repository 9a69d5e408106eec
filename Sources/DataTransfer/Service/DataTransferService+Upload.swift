import Endpoints
import Foundation
import NetworkCore

extension DataTransferService {
    /// Sends a request body to an endpoint, and returns the decoded response.
    ///
    /// ```swift
    /// let receipt = try await service.upload(
    ///     .file(movie, contentType: "video/mp4"), to: endpoint, progress: monitor)
    /// let receipt = try await service.upload(.json(movie), to: endpoint)
    /// let receipt = try await service.upload(.multipart(form), to: endpoint)
    /// let receipt = try await service.upload(.stream(chunks), to: endpoint)
    /// ```
    ///
    /// Files and sequences are read while they are sent, no faster than the server receives them. A
    /// replayable body is sent again for a redirect that keeps the method and for another attempt. With any other body, such a redirect
    /// fails with ``NetworkCore/TransportError/Code/bodyNotReplayable``, and the interceptors of this package return the first response
    /// or failure. A response that arrives before the body has been sent
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
        _ body: EndpointBody, to endpoint: Target, progress: (any TransferProgressObserver)? = nil
    ) async throws -> Target.Response {
        try await response(for: endpoint, uploading: body, progress: progress).value
    }

    /// Sends a request body to an endpoint, and returns the decoded value with status, headers and timings of the response.
    ///
    /// - Throws: ``DataTransferError``; at once when the task is cancelled.
    public func response<Target: ResponseRequestable>(
        for endpoint: Target, uploading body: EndpointBody, progress: (any TransferProgressObserver)? = nil
    ) async throws -> DataTransferResponse<Target.Response> {
        try await response(for: Endpoint(endpoint, uploading: body, progress: progress))
    }
}

extension Endpoint {
    /// Creates an endpoint that sends a body to another endpoint.
    fileprivate init<Base: ResponseRequestable>(
        _ base: Base, uploading body: EndpointBody, progress: (any TransferProgressObserver)?
    ) where Base.Response == Response {
        self.init(base)
        request.body = body
        if request.method == .get {
            request.method = .post
            request.idempotency = nil
        }
        if body.contentType?.hasPrefix("multipart/") == true { request.headerParameters.remove("Content-Type") }
        if let progress { request.progress = progress }
    }
}
