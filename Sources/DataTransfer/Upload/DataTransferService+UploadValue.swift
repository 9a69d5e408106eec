import Endpoints
import Foundation
import NetworkCore

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
