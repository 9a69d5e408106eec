import Endpoints
import Foundation
import HTTPTypes
import NetworkCore
import NetworkLogging
import OpenAPIRuntime

/// Adds interceptors, such as retries, credentials, deadlines and caches, to operations of a generated client.
///
/// ```swift
/// let client = Client(
///     serverURL: url, transport: DataTransferTransport(),
///     middlewares: [
///         OperationMiddleware([.retry()]),
///         OperationMiddleware([cache], for: ["listMovies"]),
///     ])
/// ```
///
/// The interceptors of the first middleware are outermost, and all are outside of those of the transport. They are run by the
/// ``DataTransferTransport`` that was created with a session manager, after all middlewares: another transport ignores them.
public struct OperationMiddleware: ClientMiddleware {
    /// The interceptors that apply to the request of this task.
    @TaskLocal static var interceptors: [any NetworkInterceptor] = []

    private let interceptors: [any NetworkInterceptor]
    private let operations: Set<String>?

    /// Creates a middleware.
    ///
    /// - Parameters:
    ///   - interceptors: Run in the order of the list, the first one outermost.
    ///   - operations: The IDs of the operations to which they apply. Default: `nil`, which is all of them.
    public init(_ interceptors: [any NetworkInterceptor], for operations: Set<String>? = nil) {
        self.interceptors = interceptors
        self.operations = operations
    }

    /// Passes the request on unchanged, with the interceptors for the transport if the ID is one of those of the middleware.
    public func intercept(
        _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
        next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
    ) async throws -> (HTTPResponse, HTTPBody?) {
        guard operations?.contains(operationID) ?? true else { return try await next(request, body, baseURL) }
        return try await Self.$interceptors.withValue(Self.interceptors + interceptors) {
            try await next(request, body, baseURL)
        }
    }
}

extension OperationMiddleware: RedactedStringConvertible {
    /// The IDs of the operations, and the number of interceptors, whose contents are not shown.
    public var description: String {
        let names = operations.map { $0.sorted().joined(separator: ", ") } ?? "all operations"
        return "OperationMiddleware(\(names); interceptors: \(interceptors.count))"
    }
}

/// Runs the interceptors of the task's middlewares.
struct OperationStep: NetworkInterceptor {
    func intercept(_ request: consuming NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
        let interceptors = OperationMiddleware.interceptors
        let exchange = interceptors.reversed().reduce(next) { inner, interceptor in
            NetworkExchange { request throws(TransportError) in try await interceptor.intercept(request, next: inner) }
        }
        return try await exchange(request)
    }
}
