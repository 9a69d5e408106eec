import Endpoints

/// Sends one request and hands back what came: the layer that moves bytes.
///
/// A test double implements one method; the async form follows from it.
public protocol NetworkSessionManager: Sendable {
    /// Sends a request.
    ///
    /// Any status is a success here, a 404 as well as a 200. Redirects have been followed.
    ///
    /// - Parameter completion: Runs exactly once, on a thread that no transfer depends on, so that it may block.
    /// - Returns: A handle that calls the transfer off; its completion then runs with ``TransportError/Code/cancelled``.
    @discardableResult
    func request(
        _ request: NetworkRequest,
        completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable

    /// Sends a request. Derived from ``request(_:completion:)`` unless a session manager has a shorter way.
    ///
    /// Returns as soon as the task is cancelled; the transfer is then torn down behind it.
    ///
    /// - Throws: ``TransportError``.
    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse
}

extension NetworkSessionManager {
    /// Sends a request with ``request(_:completion:)``, and calls it off when the task is cancelled.
    ///
    /// - Throws: ``TransportError``; at once when the task is cancelled.
    public func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        let bridge = CancellationBridge<NetworkResponse, TransportError>(
            cancellation: TransportError(.cancelled, "the task was cancelled", request: request))
        return try await bridge.run { completion in self.request(request, completion: completion) }
    }
}
