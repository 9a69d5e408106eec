import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import TransferTestSupport
import Testing

/// Tests of the interceptors over sockets, against a server with injected faults.
@Suite(.timeLimit(.minutes(10))) struct PipelineSocketTests {
    private let quick = RetryOptions(backoff: Backoff(base: .milliseconds(1)))

    private func service(
        _ server: LoopbackServer, _ interceptors: [any NetworkInterceptor],
        configuration: SessionConfiguration = SessionConfiguration()
    ) -> DefaultNetworkService {
        DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url),
            sessionManager: DefaultSessionManager(configuration: configuration), interceptors: interceptors)
    }

    private func error(_ call: () async throws -> Void) async -> TransportError? {
        do {
            try await call()
            return nil
        } catch let error as NetworkError {
            return error.transportError
        } catch {
            return error as? TransportError
        }
    }

    @Test(arguments: [
        LoopbackFault.reset, .truncateHead(after: 9), .truncateBody(after: 1), .resetBody(after: 1), .resetHead(after: 20),
    ])
    func `interrupted requests are retried unless the method is not idempotent`(fault: LoopbackFault) async throws {
        let count = Locked(0)
        let server = try LoopbackServer { _ in
            count.withLock {
                $0 += 1; return $0
            } <= 2 ? .text("value").fault(fault) : .text("value")
        }
        let service = service(server, [.retry(quick, budget: nil)])
        #expect(try await service.response(for: Endpoint<Void>(path: "a")).data == Data("value".utf8))
        #expect(server.requestCount == 3)
        count.withLock { $0 = 0 }
        server.forgetRequests()
        let failure = await error { _ = try await service.response(for: Endpoint<Void>(path: "a", method: .post)) }
        #expect(failure != nil)
        #expect(server.requestCount == 1)
    }

    @Test func `a stream that fails before its body begins is retried`() async throws {
        let count = Locked(0)
        let server = try LoopbackServer { _ in
            switch count.withLock({
                $0 += 1; return $0
            }) {
            case 1: .text("value").fault(.reset)
            case 2: .status(503)
            default: .text("value")
            }
        }
        let response = try await service(server, [.retry(quick, budget: nil)]).stream(for: Endpoint<Void>(path: "a"))
        #expect(try await response.collected().data == Data("value".utf8))
    }

    @Test func `a hundred concurrent 401 responses over sockets cause one refresh`() async throws {
        let server = try LoopbackServer { request in
            request.headers["Authorization"] == "Bearer new" ? .text("value") : .status(401)
        }
        let api = APIConfiguration(baseURL: server.url)
        let credentials = RefreshingCredentials(initial: .bearer("old")) { _ in .bearer("new") }
        let service = service(server, [.authentication(credentials, for: api)])
        let good = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { (try? await service.response(for: Endpoint<Void>(path: "a")))?.statusCode == 200 }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 100 && credentials.refreshCount == 1)
        #expect(server.requests.filter { $0.headers["Authorization"] == "Bearer new" }.count == 100)
    }

    @Test func `a deadline ends a stalled request with an error that names the deadline`() async throws {
        // On a busy machine, a short deadline may expire before the request is sent.
        let failure = try await withTimeouts(from: .milliseconds(300)) { deadline -> TransportError? in
            let server = try LoopbackServer { _ in .text("value").fault(.stall) }
            let service = service(server, [.deadline(deadline), .retry(quick, budget: nil)])
            let failure = await error { _ = try await service.response(for: Endpoint<Void>(path: "a")) }
            guard failure?.phase == .firstByte else { return nil }
            #expect(failure?.message.contains("the deadline of \(deadline) for the whole call ran out") == true)
            await server.waitForRequests(count: 1)
            #expect(server.requestCount == 1)
            return failure
        }
        #expect(failure?.code == .timedOut)
    }

    @Test func `a circuit breaker rejects requests to a host that refuses connections`() async throws {
        let breaker = CircuitBreaker(options: CircuitBreakerOptions(window: 4, minimumOutcomes: 3, openDuration: .seconds(3600)))
        // No server listens on port 1, and the system never assigns it to a test server.
        let api = try APIConfiguration("http://127.0.0.1:1")
        let service = DefaultNetworkService(
            configuration: api, sessionManager: DefaultSessionManager(), interceptors: [breaker])
        var codes: [TransportError.Code?] = []
        for _ in 0..<5 { codes.append(await error { _ = try await service.response(for: Endpoint<Void>(path: "a")) }?.code) }
        #expect(codes == [.cannotConnect, .cannotConnect, .cannotConnect, .notAdmitted, .notAdmitted])
        #expect(breaker.openHosts == ["http://127.0.0.1:1"])
    }

    @Test func `a concurrency gate limits concurrent requests and streams`() async throws {
        let inside = Locked((now: 0, most: 0))
        let server = try LoopbackServer { (_: LoopbackRequest) async in
            inside.withLock { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
            }
            for _ in 0..<10 { await Task.yield() }
            inside.withLock { $0.now -= 1 }
            return .text("value")
        }
        let gate = ConcurrencyGate(maximumConcurrency: 3, maximumConcurrencyPerHost: 3)
        let service = service(server, [gate])
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    if number % 2 == 0 {
                        _ = try? await service.response(for: Endpoint<Void>(path: "a"))
                    } else {
                        _ = try? await service.stream(for: Endpoint<Void>(path: "a")).collected()
                    }
                }
            }
        }
        #expect(server.requestCount == 60)
        #expect(inside.withLock(\.most) <= 3 && gate.count == 0 && gate.waitingCount == 0)
    }
}
