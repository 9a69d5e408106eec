import NetworkCore
import TransferTestSupport

/// Delays requests until a gate is open.
struct HeldUp: NetworkInterceptor {
    var gate: AsyncGate

    func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        await gate.wait()
        return try await next(request)
    }
}
