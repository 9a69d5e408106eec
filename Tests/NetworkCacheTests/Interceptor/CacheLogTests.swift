import Endpoints
import Foundation
import NetworkCache
import NetworkCore
import NetworkTesting
import Testing

/// What a network logger receives when a cache is used.
@Suite(.timeLimit(.minutes(10))) struct CacheLogTests {
    @Test func `a cached response is logged with no attempts, and a validated one with one attempt`() async throws {
        let session = StubSessionManager()
        let logger = InMemoryLogger()
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session,
            interceptors: [CacheInterceptor(store: MemoryCacheStore())], logger: logger)
        session.enqueue(.text("one", headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        session.enqueue(.status(304, headers: ["ETag": "\"1\""]))
        let endpoint = Endpoint<Void>(path: "a")
        _ = try await service.response(for: endpoint)
        _ = try await service.response(for: endpoint)
        _ = try await service.response(for: Endpoint<Void>(path: "a", headerParameters: ["Cache-Control": "no-cache"]))
        #expect(logger.outcomes.map(\.source) == [.attempt, .cache, .cache])
        #expect(logger.outcomes.map(\.attempts) == [1, 0, 1] && logger.outcomes.map(\.statusCode) == [200, 200, 200])
        // Requests are logged in the form in which they were sent.
        #expect(logger.requests.count == 2 && logger.requests[1].header("If-None-Match") == "\"1\"")
        #expect(logger.responses.map(\.statusCode) == [200, 304] && logger.networkErrors.isEmpty)
        #expect("\(logger.outcomes[1])".hasPrefix("200, from cache, 0 attempts in "))
    }
}
