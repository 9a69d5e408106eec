import DataTransfer
import Foundation
import NetworkPipeline
import NetworkTesting
import Testing
import TestSupport

/// The parts of the services of iOS-Network-Layer: configuration, session, logger, adapters, and errors.
@Suite("iOS-Network-Layer, services", .timeLimit(.minutes(10))) struct IOSNetworkLayerServiceTests {
    private let session = StubSessionManager()

    @Test(.tags(.sharedValues)) func `the configuration is merged into every request, and an endpoint can override it`()
        async throws
    {
        session.route { _ in .status(204) }
        let service = DefaultDataTransferService.make(
            session, configuration: APIConfiguration.test(headers: ["X-Token": "shared"], query: ["language": "en"]))
        try await service.request(Endpoint<Void>(path: "a"))
        try await service.request(
            Endpoint<Void>(path: "a", headerParameters: ["x-token": "own"], queryParameters: ["language": "de"]))
        #expect(session.requests.map { $0.headers["X-Token"] } == ["shared", "own"])
        #expect(session.requests.map { $0.url.query() } == ["language=en", "language=de"])
    }

    @Test(.tags(.computedConfiguration)) func `a closure can create the configuration for each request`() async throws {
        session.route { _ in .status(204) }
        let version = Locked(0)
        let configuration = ComputedConfiguration {
            APIConfiguration.test("https://api.test/v\(version.withLock { $0 += 1; return $0 })")
        }
        let service = DefaultDataTransferService.make(session, configuration: configuration)
        for _ in 0..<2 { try await service.request(Endpoint<Void>(path: "a")) }
        #expect(session.requests.map(\.url.path) == ["/v1/a", "/v2/a"])
    }

    @Test func `an error is a parsing error, a network failure, a resolved network failure, or a missing response`() async throws
    {
        struct OwnError: Error {}
        struct Resolver: DataTransferErrorResolver {
            func resolve(error: NetworkError) -> any Error & Sendable { OwnError() }
        }
        session.enqueue(.text("no JSON"))
        session.enqueue(.text(""))
        session.enqueue(.status(500))
        session.enqueue(.status(500))
        let endpoint = Endpoint<User>(path: "a")
        let service = DefaultDataTransferService.make(session)
        guard case .parsing = await failure(of: service, endpoint), case .noResponse = await failure(of: service, endpoint),
            case .networkFailure(.status(let response)) = await failure(of: service, endpoint),
            case .resolvedNetworkFailure(let own, _) = await failure(
                of: DefaultDataTransferService.make(session, resolver: Resolver()), endpoint)
        else {
            Issue.record("unexpected error")
            return
        }
        #expect(response.statusCode == 500 && own is OwnError)
    }

    @Test(.tags(.loggers)) func `the logger can be injected, for example one for debugging or a silent one`() async throws {
        session.route { _ in .json(#"{"id":1,"username":"ada","email":null}"#) }
        let lines = Locked<[String]>([])
        let debug = ConsoleLogger(level: .debug) { text in lines.withLock { $0.append(text) } }
        _ = try await DefaultDataTransferService.make(session, networkLogger: debug).request(Endpoint<User>(path: "a"))
        let text = lines.withLock { $0 }.joined(separator: "\n")
        #expect(text.contains("GET https://api.test/v1/a") && text.contains("200"))
        #expect(text.contains("\"username\" : \"ada\"") || text.contains("\"username\": \"ada\""), "not indented: \(text)")
        #expect(text.contains(" ms") || text.contains(" s"), "the duration is missing: \(text)")
        lines.withLock { $0 = [] }
        _ = try await DefaultDataTransferService.make(session, networkLogger: .silent).request(Endpoint<User>(path: "a"))
        let off = ConsoleLogger(level: .off) { text in lines.withLock { $0.append(text) } }
        _ = try await DefaultDataTransferService.make(session, networkLogger: off).request(Endpoint<User>(path: "a"))
        #expect(lines.withLock(\.isEmpty))
    }

    @Test(.tags(.retriesAndHeaders)) func `an interceptor adds headers, and a resolver converts errors`() async throws {
        struct Expired: Error {}
        struct Adapter: DataTransferErrorResolver {
            func resolve(error: NetworkError) -> any Error & Sendable { error.statusCode == 401 ? Expired() : error }
        }
        let api = APIConfiguration.test()
        session.enqueue(.status(401))
        let service = DefaultDataTransferService.make(
            session, interceptors: [.headers(for: api) { _ in ["X-Session": "7"] }], resolver: Adapter())
        let error = await failure(of: service, Endpoint<Void>(path: "a"))
        #expect(error?.resolved(as: Expired.self) != nil)
        #expect(session.requests.map { $0.headers["X-Session"] } == ["7"])
    }

    @Test(.tags(.retriesAndHeaders)) func `the number of attempts of a request is limited`() async throws {
        session.route { _ in .status(503) }
        let policy = RetryOptions(maximumAttempts: 4, backoff: Backoff(base: .microseconds(1)))
        let error = await failure(
            of: DefaultDataTransferService.make(session, interceptors: [.retry(policy, budget: nil)]), Endpoint<Void>(path: "a"))
        #expect(error?.statusCode == 503 && session.requests.count == 4)
    }

    @Test(.tags(.emptyResponses)) func `an empty response is accepted for Void, NoContent and optionals`() async throws {
        session.route { _ in .status(204) }
        let service = DefaultDataTransferService.make(session)
        try await service.request(Endpoint<Void>(path: "a"))
        _ = try await service.request(Endpoint<NoContent>(path: "a"))
        #expect(try await service.request(Endpoint<User?>(path: "a")) == nil)
    }

    @Test(.tags(.retriesAndHeaders)) func `reachability is checked before a request is sent`() async throws {
        session.route { _ in .status(204) }
        for isReachable in [true, false] {
            let service = DefaultDataTransferService.make(
                session, interceptors: [ReachabilityInterceptor { _ in isReachable }])
            let error = await failure(of: service, Endpoint<Void>(path: "a"))
            if isReachable {
                #expect(error == nil)
            } else if case .notConnected = error?.networkError {
                #expect(session.requests.count == 1)
            } else {
                Issue.record("\(String(describing: error))")
            }
        }
    }
}
