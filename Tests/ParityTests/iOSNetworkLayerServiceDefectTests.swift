import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import Testing
import TestSupport

/// Defects of the services of iOS-Network-Layer that this package does not have.
@Suite("iOS-Network-Layer, services, defects", .timeLimit(.minutes(10))) struct IOSNetworkLayerServiceDefectTests {
    private let session = StubSessionManager()

    @Test(.tags(.decoders)) func `a key path can select a scalar, and a key path without a value is an error`() async throws {
        session.route { _ in .json(#"{"page": {"count": 3, "isLast": true, "next": null}, "name": "ada"}"#) }
        let service = DefaultDataTransferService.make(session)
        #expect(try await service.request(Endpoint<Int>(path: "a", keyPath: "page.count")) == 3)
        #expect(try await service.request(Endpoint<Bool>(path: "a", keyPath: "page.isLast")))
        #expect(try await service.request(Endpoint<String>(path: "a", keyPath: "name")) == "ada")
        #expect(try await service.request(Endpoint<String?>(path: "a", keyPath: "page.next")) == nil)
        for keyPath in ["name.length", "page.missing", "@count"] as [JSONKeyPath] {
            guard case .parsing = await failure(of: service, Endpoint<Int>(path: "a", keyPath: keyPath)) else {
                Issue.record("\(keyPath)")
                continue
            }
        }
    }

    @Test(.tags(.customErrors)) func `a call completes with its error, even if no resolver converts that error`() async throws {
        session.route { _ in .status(500) }
        let service = DefaultDataTransferService.make(session, resolver: nil)
        let result: Result<Void, DataTransferError> = await outcome {
            service.request(Endpoint<Void>(path: "a"), completion: $0)
        }
        guard case .failure(.networkFailure(let error)) = result else {
            Issue.record("\(result)")
            return
        }
        #expect(error.statusCode == 500)
    }

    @Test(.tags(.retriesAndHeaders)) func `retries are counted separately for each call, also for calls with the same URL`()
        async throws
    {
        session.route { _ in .status(503) }
        let policy = RetryOptions(maximumAttempts: 3, backoff: Backoff(base: .microseconds(1)))
        let service = DefaultDataTransferService.make(session, interceptors: [.retry(policy, budget: nil)])
        for call in 1...3 {
            _ = await failure(of: service, Endpoint<Void>(path: "a"))
            #expect(session.requests.count == 3 * call)
        }
    }
}
