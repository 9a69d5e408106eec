import DataTransfer
import Foundation

/// Answers every request at once, and keeps nothing.
struct ImmediateSession: NetworkSessionManager {
    let body: Data

    func request(
        _ request: NetworkRequest, completion: @escaping @Sendable (Result<NetworkResponse, TransportError>) -> Void
    ) -> any NetworkCancellable {
        completion(.success(answer(to: request)))
        return NothingToCancel()
    }

    func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
        answer(to: request)
    }

    private func answer(to request: NetworkRequest) -> NetworkResponse {
        NetworkResponse(statusCode: 200, headers: ["Content-Type": "application/json"], body: body, url: request.url)
    }
}

struct NothingToCancel: NetworkCancellable {
    func cancel() {}
}
