import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HeaderInterceptorTests {
    private struct NoSession: Error {}

    private let session = StubSessionManager()
    private let api = APIConfiguration(
        baseURL: URL(string: "https://api.test/v1")!, headers: ["X-Session": "old", "X-Kept": "1"])

    private func service(_ interceptors: [any NetworkInterceptor]) -> DefaultNetworkService {
        DefaultNetworkService(configuration: api, sessionManager: session, interceptors: interceptors)
    }

    @Test func `the closure that provides headers is called before each attempt`() async throws {
        let count = Locked(0)
        let clock = ManualClock()
        let retry = RetryInterceptor(budget: nil, clock: clock, random: { 0.5 })
        let service = service([
            retry,
            .headers(for: api) { request in
                #expect(request.headers["X-Kept"] == "1")
                return ["x-session": "\(count.withLock { $0 += 1; return $0 })"]
            },
        ])
        session.enqueue(.status(503))
        session.enqueue(.status(200))
        let task = Task { try await service.response(for: Endpoint<Void>(path: "a")) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        _ = try await task.value
        #expect(session.requests.map { $0.headers.values(for: "X-Session") } == [["1"], ["2"]])
        #expect(session.requests.map { $0.headers["X-Kept"] } == ["1", "1"])
    }

    @Test func `a cross-origin request carries no headers from the closure`() async throws {
        session.enqueue(.status(200))
        let service = service([.headers(for: api) { _ in ["X-Session": "secret"] }])
        _ = try await service.response(for: Endpoint<Void>(path: "https://other.test/", isFullPath: true))
        #expect(session.requests.map { $0.headers["X-Session"] } == [nil])
    }

    @Test func `an error of the closure is the underlying error, and no request is sent`() async throws {
        let service = service([.headers(for: api) { _ in throw NoSession() }])
        let error = await #expect(throws: NetworkError.self) { try await service.response(for: Endpoint<Void>(path: "a")) }
        guard case .transport(let failure) = error else { throw NoSession() }
        #expect(failure.code == .interceptorFailed && failure.underlying is NoSession)
        #expect(session.requests.isEmpty)
    }
}
