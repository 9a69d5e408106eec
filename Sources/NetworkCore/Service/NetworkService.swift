import NetworkTransport
import Endpoints
import Foundation

/// Sends requests to endpoints and returns their response data: builds the request, sends it, and reports each status that the
/// endpoint does not accept as an error.
///
/// A service implements one method; the completion form and the streamed forms have default implementations.
public protocol NetworkService: Sendable {
    /// Sends a request to an endpoint and returns its response.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled.
    func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse

    /// Sends a request to an endpoint and returns when the head of the response was received. The default implementation uses
    /// ``response(for:)``, and so has the whole body in memory.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled. A status that the endpoint does not accept is an error
    ///   with the first MiB of its body. Later failures are thrown by the body, as ``TransportError``.
    func stream(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse

    /// Sends a request to an endpoint and calls a completion. The default implementation uses ``response(for:)`` in a task.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, which describes the request.
    ///   - completion: Called exactly once, even if no request could be built: by default on a thread that no transfer depends on.
    ///     ``DefaultNetworkService`` calls it where ``SessionConfiguration/completions`` says.
    /// - Returns: A handle that cancels the request; the completion is then called with ``NetworkError/cancelled(_:)``.
    @discardableResult
    func response(
        for endpoint: any Requestable,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> any NetworkCancellable
}

extension NetworkService {
    /// Sends a request to an endpoint with ``response(for:)``. The whole body is in memory.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled.
    public func stream(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        try await response(for: endpoint)
    }

    /// Sends a request to an endpoint with ``response(for:)`` in a separate task, and calls a completion.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, which describes the request.
    ///   - completion: Called exactly once, on ``BackgroundThreads/completions``, where it may do work that blocks.
    /// - Returns: A handle that cancels the task.
    @discardableResult
    public func response(
        for endpoint: any Requestable,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable { () async throws(NetworkError) in
            if Task.isCancelled { throw .cancelled(.taskCancelled()) }
            return try await self.response(for: endpoint)
        } completion: {
            completion($0)
        }
    }

    /// Sends a request to an endpoint and passes its response to a closure in parts.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint, which describes the request.
    ///   - onChunk: Called for each part of the body, with the head: status, headers and URL. Runs on threads that no transfer
    ///     depends on, one call at a time: the next part waits until it returns, and beyond about 256 KiB the server waits too.
    ///   - completion: Called exactly once, after the last `onChunk` has returned, with the head, trailers and timings, and
    ///     without a body.
    /// - Returns: A handle that cancels the request; the completion is then called with ``NetworkError/cancelled(_:)``.
    @discardableResult
    public func stream(
        for endpoint: any Requestable,
        onChunk: @escaping @Sendable (_ head: NetworkResponse, _ chunk: Data) -> Void,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> any NetworkCancellable {
        TaskCancellable { () async throws(NetworkError) in
            let response = try await self.stream(for: endpoint)
            do throws(TransportError) {
                return try await response.delivered(to: onChunk)
            } catch {
                throw NetworkError(error)
            }
        } completion: {
            completion($0)
        }
    }
}
