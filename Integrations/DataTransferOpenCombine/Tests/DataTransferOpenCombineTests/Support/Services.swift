import DataTransferOpenCombine
import Foundation
import NetworkTesting

struct Film: Codable, Sendable, Equatable {
    var id: Int
}

extension DefaultDataTransferService {
    static func make(_ session: StubSessionManager) -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: URL(string: "https://api.test")!), sessionManager: session)
    }

    static func make(_ url: URL) -> DefaultDataTransferService {
        DefaultDataTransferService(configuration: APIConfiguration(baseURL: url))
    }
}
