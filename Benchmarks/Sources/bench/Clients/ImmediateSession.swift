import DataTransfer
import Foundation

/// Responds to every request at once, and keeps nothing.
struct ImmediateSession: NetworkSessionManager {
    let body: Data
    var identity: SessionIdentity { .standard }

    // Without a task, so that the completion form is measured alone.
    func response(
        for request: NetworkRequest, completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        completion(.success(response(to: request)))
        return NothingToCancel()
    }

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        response(to: request)
    }

    private func response(to request: NetworkRequest) -> NetworkResponse {
        NetworkResponse(statusCode: 200, headers: ["Content-Type": "application/json"], body: .data(body), url: request.url)
    }
}

struct NothingToCancel: NetworkCancellable {
    func cancel() {}
}
