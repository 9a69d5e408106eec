import DataTransfer
import Foundation
import NetworkTesting
import Testing
import TestSupport

/// Defects of NetworkStack that this package does not have.
@Suite("NetworkStack, defects") struct NetworkStackDefectTests {
    @Test func `a service that is released during a request still completes the request`() async throws {
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { _ async in
            for await _ in released { break }
            return .json("[]")
        }
        let result = await outcome { done in
            DefaultDataTransferService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager()
            ).request(Endpoint<[User]>(path: "users")) { done($0) }
            release.yield()
        }
        #expect(try result.get() == [])
    }

    private struct BundledUser: HostedEndpoint, MockedAPI {
        let endpoint = "/users/10"
        let mockFileName = "Fixtures/user"
    }

    @Test(.tags(.mocks)) func `mocks can be loaded from any bundle`() async throws {
        let service = StubDataTransferService(fixtures: StubFixtures(bundle: .module))
        #expect(try await service.request(BundledUser().as(User.self)).id == 10)
    }

    @Test(.tags(.severalHosts))
    func `one service sends requests to two hosts, and credentials of the first host are not sent to the second`()
        async throws
    {
        let session = StubSessionManager()
        session.route { _ in .status(204) }
        let configuration = APIConfiguration.test("https://jsonplaceholder.test", headers: ["Authorization": "Bearer token"])
        let service = DefaultDataTransferService.make(session, configuration: configuration)
        _ = try await service.request(UserEndpoint.all.as(NoContent.self))
        _ = try await service.request(OtherEndpoint().as(NoContent.self))
        #expect(session.requests.map(\.url.host) == ["jsonplaceholder.test", "other.test"])
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer token", nil])
    }

    @Test func `a request can have a body`() async throws {
        let session = StubSessionManager()
        session.route { _ in .status(204) }
        _ = try await DefaultDataTransferService.make(session).request(
            UserEndpoint.rename(userID: 1, to: "eve").as(NoContent.self))
        #expect(session.requests.map(\.text) == [#"{"username":"eve"}"#])
    }
}
