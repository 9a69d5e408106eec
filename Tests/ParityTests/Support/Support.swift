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
    static func test(
        _ baseURL: String = "https://api.test/v1", headers: HeaderFields = [:], query: ParameterList = [:]
    ) -> APIConfiguration {
        APIConfiguration(baseURL: URL(string: baseURL)!, headers: headers, queryParameters: query)
    }
}

extension DefaultDataTransferService {
    static func make(
        _ session: any NetworkSessionManager, configuration: any NetworkConfigurable = APIConfiguration.test(),
        interceptors: [any NetworkInterceptor] = [], networkLogger: (any NetworkErrorLogger)? = nil,
        resolver: (any DataTransferErrorResolver)? = nil, errorLogger: (any DataTransferErrorLogger)? = nil
    ) -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: configuration, sessionManager: session, interceptors: interceptors, networkLogger: networkLogger,
            errorResolver: resolver, errorLogger: errorLogger)
    }
}

/// The error of a request that is expected to fail.
func failure<Target: ResponseRequestable>(
    of service: some DataTransferService, _ endpoint: Target
) async -> DataTransferError? {
    if case .failure(let error) = await service.result(for: endpoint) { error } else { nil }
}

extension Requestable {
    /// The request that is built from this endpoint.
    func built(with configuration: APIConfiguration = .test()) throws -> NetworkRequest {
        try networkRequest(with: configuration)
    }
}

extension NetworkRequest {
    var text: String { String(decoding: body?.data ?? Data(), as: UTF8.self) }
}
