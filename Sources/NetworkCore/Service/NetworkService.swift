import Endpoints

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
}
