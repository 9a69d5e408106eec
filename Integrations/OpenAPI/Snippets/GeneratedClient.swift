import DataTransferOpenAPI
import Foundation
import HTTPTypes

/// Has the initializer of the client that the generator writes.
struct Client {
    let serverURL: URL
    let transport: any ClientTransport
    var middlewares: [any ClientMiddleware] = []
}

struct Tenant: NetworkInterceptor {
    func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        request.headers["X-Tenant"] = "north"
        return try await next(request)
    }
}

// snippet.client
let client = Client(
    serverURL: URL(string: "https://api.example.com/v1")!,
    transport: DataTransferTransport(
        session: DefaultSessionManager(
            configuration: SessionConfiguration {
                $0.totalTimeout = .seconds(60)
            }),
        interceptors: [Tenant()]),
    middlewares: [OperationMiddleware([Tenant()], for: ["listMovies"])])
// snippet.end
