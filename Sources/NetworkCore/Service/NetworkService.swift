import Endpoints
import Foundation

/// Turns an endpoint into response data: builds the request, sends it, and makes every status the endpoint does not accept
/// an error.
public protocol NetworkService: Sendable {
    /// Requests an endpoint.
    ///
    /// - Parameter completion: Runs exactly once, on a thread that no transfer depends on, also when no request could be built.
    /// - Returns: A handle that calls the request off; its completion then runs with ``NetworkError/cancelled(_:)``.
    @discardableResult
    func request(
        _ endpoint: any Requestable,
        completion: @escaping @Sendable (Result<NetworkResponse, NetworkError>) -> Void
    ) -> any NetworkCancellable

    /// Requests an endpoint. Derived from ``request(_:completion:)`` unless a service has a shorter way.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled.
    func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse

    /// Requests an endpoint, and returns when the head of its response has come. Derived from ``response(for:)``, and so with the whole
    /// body in memory, unless a service can do better.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled. A status that the endpoint does not accept is an error with the
    ///   first MiB of its body. What fails later is thrown by the body, as ``TransportError``.
    func stream(for endpoint: any Requestable) async throws(NetworkError) -> StreamedResponse
}

extension NetworkService {
    /// Requests an endpoint with ``request(_:completion:)``, and calls it off when the task is cancelled.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled.
    public func response(for endpoint: any Requestable) async throws(NetworkError) -> NetworkResponse {
        let bridge = CancellationBridge<NetworkResponse, NetworkError>(
            cancellation: .cancelled(TransportError(.cancelled, "the task was cancelled")))
        return try await bridge.run { completion in self.request(endpoint, completion: completion) }
    }

    /// Requests an endpoint with ``response(for:)``: its body comes as one chunk, from memory.
    ///
    /// - Throws: ``NetworkError``; at once when the task is cancelled.
    public func stream(for endpoint: any Requestable) async throws(NetworkError) -> StreamedResponse {
        StreamedResponse(try await response(for: endpoint))
    }

    /// Requests an endpoint, and hands its response over in parts.
    ///
    /// - Parameters:
    ///   - onChunk: Runs for each part of the body, with the head: status, headers and URL. Never twice at once, on threads that no
    ///     transfer depends on: the next part waits until it returns, and with it, past some 256 KiB, the server.
    ///   - completion: Runs exactly once, after the last `onChunk` has returned, with head, trailers and timings, and without a body.
    /// - Returns: A handle that calls the request off; its completion then runs with ``NetworkError/cancelled(_:)``.
    @discardableResult
    public func stream(
        _ endpoint: any Requestable,
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
