import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkTesting
import TransferTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct DeadlineInterceptorTests {
    private let clock = ManualClock()
    private let session = StubSessionManager()
    private let get = Endpoint<String>(path: "a", responseDecoder: .text)

    private func service(_ interceptors: [any NetworkInterceptor]) throws -> DefaultDataTransferService {
        DefaultDataTransferService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: session, interceptors: interceptors)
    }

    @Test func `the total timeout of each attempt is the remaining time of the deadline`() async throws {
        session.enqueue(.status(503))
        session.enqueue(.text("ok"))
        let retry = RetryInterceptor(clock: clock, random: { 0.5 })
        let service = try service([DeadlineInterceptor(.seconds(10), clock: clock), retry])
        let task = Task { try await service.request(get) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(4))
        #expect(try await task.value == "ok")
        #expect(session.requests.map(\.timeouts.total) == [.seconds(10), .seconds(6)])
    }

    @Test func `a total timeout of the endpoint that is shorter than the deadline is kept`() async throws {
        session.enqueue(.text("ok"))
        var endpoint = get
        endpoint.timeouts.total = .seconds(1)
        _ = try await service([DeadlineInterceptor(.seconds(10), clock: clock)]).request(endpoint)
        #expect(session.requests.map(\.timeouts.total) == [.seconds(1)])
    }

    @Test func `no attempt is started after the deadline`() async throws {
        session.route { _ in .status(503) }
        let policy = RetryOptions(maximumAttempts: 10, backoff: Backoff(base: .seconds(4), factor: 1))
        let retry = RetryInterceptor(options: policy, budget: nil, clock: clock, random: { 0.5 })
        let service = try service([DeadlineInterceptor(.seconds(5), clock: clock), retry])
        let task = Task { try await service.request(get) }
        for _ in 0..<2 {
            await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(2))
        }
        let error = await #expect(throws: DataTransferError.self) { try await task.value }
        #expect(error?.statusCode == 503)
        #expect(session.requests.count == 3)
    }

    @Test func `the error of a deadline that expires during an attempt has the phase and the limit`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 1)) }
        // On a busy machine, a short deadline may expire before the first byte is received.
        let found = try await withTimeouts(from: .milliseconds(150)) { deadline -> TransportError? in
            let service = DefaultDataTransferService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
                interceptors: [.deadline(deadline)])
            let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
            let transport = try #require(error?.networkError?.transportError)
            guard transport.phase == .receive else { return nil }
            #expect(transport.message.contains("deadline of \(deadline)"), "\(transport)")
            return transport
        }
        #expect(found?.code == .timedOut)
    }

    @Test func `a phase timeout that expires before the deadline is not reported as a deadline`() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse.text("hello").fault(.stallBody(after: 1)) }
        var endpoint = get
        endpoint.timeouts.idle = .milliseconds(50)
        let service = DefaultDataTransferService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [.deadline(.seconds(60))])
        let timed = endpoint
        let error = await #expect(throws: DataTransferError.self) { try await service.request(timed) }
        #expect(error?.isTimeout == true)
        #expect(error?.description.contains("deadline") == false)
    }

    @Test func `a request without remaining time is not sent`() async throws {
        struct Slow: NetworkInterceptor {
            let clock: ManualClock
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                clock.advance(by: .seconds(5))
                return try await next(request)
            }
        }
        let service = try service([DeadlineInterceptor(.seconds(5), clock: clock), Slow(clock: clock)])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
        #expect(error?.isTimeout == true && error?.networkError?.transportError?.phase == .queued)
        #expect(session.requests.isEmpty)
    }

    @Test func `the earlier of two deadlines applies`() async throws {
        session.enqueue(.text("ok"))
        session.enqueue(.text("ok"))
        for limits in [[3, 10], [10, 3]] {
            let interceptors = limits.map { DeadlineInterceptor(.seconds($0), clock: clock) }
            _ = try await service(interceptors).request(get)
        }
        #expect(session.requests.map(\.timeouts.total) == [.seconds(3), .seconds(3)])
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(2_000_000)])
    func `an invalid deadline is a configuration error`(limit: Duration) async throws {
        let service = try service([DeadlineInterceptor(limit, clock: clock)])
        let error = await #expect(throws: DataTransferError.self) { try await service.request(get) }
        #expect(error?.networkError?.transportError?.code == .invalidConfiguration)
    }
}
