import DataTransfer
import Foundation
import NetworkCore
import NetworkTesting

struct User: Codable, Hashable, Sendable {
    var id: Int
    var username: String
    var email: String?

    static func make(id: Int = 1, username: String = "ada", email: String? = "ada@example.com") -> User {
        User(id: id, username: username, email: email)
    }
}

extension APIConfiguration {
    static func make(
        _ baseURL: String = "https://api.test/v1", headers: HTTPHeaders = [:], query: Parameters = [:]
    ) -> APIConfiguration {
        APIConfiguration(baseURL: URL(string: baseURL)!, headers: headers, queryParameters: query)
    }
}

extension DefaultDataTransferService {
    static func make(
        _ session: any NetworkSessionManager, configuration: any NetworkConfigurable = APIConfiguration.make(),
        interceptors: [any NetworkInterceptor] = [], networkLogger: (any NetworkErrorLogger)? = nil,
        resolver: any DataTransferErrorResolver = .unresolved, errorLogger: (any DataTransferErrorLogger)? = nil
    ) -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: configuration, sessionManager: session, interceptors: interceptors, networkLogger: networkLogger,
            errorResolver: resolver, errorLogger: errorLogger)
    }
}

/// Returns the argument with which a completion is called.
func outcome<Value: Sendable>(_ start: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}

/// The error of a request that is expected to fail.
func failure<Target: ResponseRequestable>(
    of service: some DataTransferService, _ endpoint: Target
) async -> DataTransferError? {
    do throws(DataTransferError) {
        _ = try await service.request(endpoint)
        return nil
    } catch {
        return error
    }
}

extension Requestable {
    /// The request that is built from this endpoint.
    func built(with configuration: APIConfiguration = .make()) throws -> NetworkRequest {
        try networkRequest(with: configuration)
    }
}

extension NetworkRequest {
    var text: String { String(decoding: body?.data ?? Data(), as: UTF8.self) }
}

/// Runs work immediately, and counts the calls.
final class CountingQueue: DataTransferDispatchQueue {
    private let counted = Locked(0)
    var count: Int { counted.withLock { $0 } }

    func asyncExecute(work: @escaping @Sendable () -> Void) {
        counted.withLock { $0 += 1 }
        work()
    }
}
