import Endpoints
import Foundation
import NetworkCore

/// Gives each POST and PATCH an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07), once per call: a server that heeds it does the work once,
/// however often the request comes, and so a retry may repeat it.
///
/// Stands before the retry. Only for servers that heed the field. A request that has a key already keeps it.
public struct IdempotencyKeyInterceptor: NetworkInterceptor {
    private let makeKey: @Sendable () -> String

    /// - Parameter makeKey: A random UUID unless given. At most 255 printable ASCII characters other than `"` and `\`.
    public init(makeKey: @escaping @Sendable () -> String = { UUID().uuidString }) {
        self.makeKey = makeKey
    }

    /// Adds the key, as a string of structured fields (RFC 9651 §3.3.3).
    public func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        guard request.method == .post || request.method == .patch, !request.headers.contains("Idempotency-Key") else {
            return try await next(request)
        }
        var request = request
        request.headers.set("\"\(makeKey())\"", for: "Idempotency-Key")
        return try await next(request)
    }
}

extension NetworkInterceptor where Self == IdempotencyKeyInterceptor {
    /// Gives each POST and PATCH an `Idempotency-Key`.
    public static var idempotencyKeys: IdempotencyKeyInterceptor { IdempotencyKeyInterceptor() }
}
