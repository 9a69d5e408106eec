import DataTransfer
import Foundation

struct Repository: Decodable, Sendable { let name: String }

extension Endpoint where Response == [Repository] {
    static func repositories(of user: String) -> Self { Endpoint(path: "users/{user}/repos", pathParameters: ["user": user]) }
    static var trending: Endpoint<[Repository]> { Endpoint(path: "trending", keyPath: "items") }
}

func repositories(_ service: some DataTransferService) async throws -> [Repository] {
    service.request(.trending, on: DispatchQueue.main) { result in print(result) }
    return try await service.request(.repositories(of: "ada")) + service.request(.trending)
}

func catches(_ service: some DataTransferService, _ endpoint: Endpoint<Repository>) {
    Task {
        do {
            print(try await service.request(endpoint))
        } catch let error as DataTransferError {
            print(error.isTimeout)
        }
    }
}
