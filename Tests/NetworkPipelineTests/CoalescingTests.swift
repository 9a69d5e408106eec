import DataTransfer
import EndpointAPIs
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct CoalescingTests {
    private let coalescing = CoalescingInterceptor()
    private let sent = Locked(0)

    private func send(
        _ request: NetworkRequest, through latch: AsyncGate, status: Int = 200
    ) -> Task<Result<NetworkResponse, TransportError>, Never> {
        Task {
            await result { () throws(TransportError) in
                try await coalescing.intercept(
                    request,
                    next: NetworkExchange { (_) async throws(TransportError) in
                        sent.withLock { $0 += 1 }
                        await latch.wait()
                        if Task.isCancelled { throw TransportError(.cancelled, "cancelled") }
                        return .make(status, [:], "shared")
                    })
            }
        }
    }

    private func waitForShared(_ count: Int) async {
        while coalescing.sharedCount < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func `a hundred identical concurrent requests share one exchange`() async throws {
        let latch = AsyncGate()
        let tasks = (0..<100).map { _ in send(.make(), through: latch) }
        await waitForShared(99)
        latch.open()
        for task in tasks { #expect(try await task.value.get().data == Data("shared".utf8)) }
        #expect(sent.withLock { $0 } == 1)
        #expect(await send(.make(), through: latch).value.status == 200)
        #expect(sent.withLock { $0 } == 2)
    }

    @Test(arguments: ["Authorization", "Accept", "Cookie", "Accept-Language", "Range"])
    func `requests with different values of a header that selects the response are not shared`(field: String) async {
        let latch = AsyncGate()
        let tasks = ["a", "b"].map { (value: String) in
            var request = NetworkRequest.make()
            request.headers[field] = value
            return send(request, through: latch)
        }
        while sent.withLock({ $0 }) < 2, !Task.isCancelled { await Task.yield() }
        latch.open()
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(coalescing.sharedCount == 0)
    }

    @Test func `requests that do not follow redirects are not shared`() async {
        let latch = AsyncGate()
        let tasks = [RedirectPolicy.follow, .doNotFollow, .keepMethod].map { (policy: RedirectPolicy) in
            var request = NetworkRequest.make()
            request.redirects = policy
            return send(request, through: latch)
        }
        while sent.withLock({ $0 }) < 3, !Task.isCancelled { await Task.yield() }
        latch.open()
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(coalescing.sharedCount == 0)
    }

    @Test func `an upgraded connection is not shared`() async throws {
        let latch = AsyncGate()
        let stub = StubSessionManager()
        for _ in 0..<2 { stub.enqueueWebSocket { _ in } }
        var request = NetworkRequest.make()
        request.isStreamed = true
        request.headers = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Key": "AQIDBAUGBwgJCgsMDQ4PEA==",
            "Sec-WebSocket-Version": "13",
        ]
        let tasks = (0..<2).map { [request, coalescing] _ in
            Task {
                let next = NetworkExchange { (request) async throws(TransportError) in
                    await latch.wait()
                    return try await stub.stream(for: request)
                }
                return try await coalescing.intercept(request, next: next)
            }
        }
        await waitForShared(1)
        latch.open()
        let first = try #require(try await tasks[0].value.upgradedConnection)
        let second = try #require(try await tasks[1].value.upgradedConnection)
        #expect(first !== second)
    }

    private struct PinnedAPI: TrustingAPI {
        let host = "api.test"
        let endpoint = "a"
        var trust = TrustPolicy(minimumTLSVersion: .v1_3)
    }

    @Test func `requests with different trust policies do not share an exchange`() async throws {
        let latch = AsyncGate()
        let pinned = try PinnedAPI().networkRequest(with: .composed)
        let tasks = [NetworkRequest(url: pinned.url), pinned, try PinnedAPI(trust: .init()).networkRequest(with: .composed)]
            .map { send($0, through: latch) }
        while sent.withLock({ $0 }) < 3, !Task.isCancelled { await Task.yield() }
        let same = send(pinned, through: latch)
        await waitForShared(1)
        latch.open()
        for task in tasks + [same] { #expect(await task.value.status == 200) }
        #expect(coalescing.sharedCount == 1 && sent.withLock { $0 } == 3)
    }

    @Test func `headers that only identify a request are not compared`() async {
        let latch = AsyncGate()
        let tasks = ["a", "b"].map { value in
            var request = NetworkRequest.make()
            request.headers["traceparent"] = value
            request.headers["X-Request-ID"] = value
            return send(request, through: latch)
        }
        await waitForShared(1)
        latch.open()
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(sent.withLock { $0 } == 1)
    }

    @Test func `POST requests are never shared`() async {
        let latch = AsyncGate()
        latch.open()
        let tasks = (0..<5).map { _ in send(.make(.post), through: latch) }
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(sent.withLock { $0 } == 5)
    }

    @Test(arguments: [0, 1]) func `cancelling one of the requests does not cancel the others, even if it is the first`(
        cancelled: Int
    ) async {
        let latch = AsyncGate()
        var tasks = [send(.make(), through: latch)]
        await latch.waitForArrival()
        tasks.append(send(.make(), through: latch))
        await waitForShared(1)
        tasks[cancelled].cancel()
        #expect(await tasks[cancelled].value.code == .cancelled)
        latch.open()
        #expect(await tasks[1 - cancelled].value.status == 200)
        #expect(sent.withLock { $0 } == 1)
    }

    @Test func `the shared exchange is cancelled when all its requests are cancelled`() async {
        let latch = AsyncGate()
        let wasCancelled = Locked(false)
        let task = Task {
            await result { () throws(TransportError) in
                try await coalescing.intercept(
                    .make(),
                    next: NetworkExchange { (_) async throws(TransportError) in
                        await withTaskCancellationHandler {
                            await latch.wait()
                        } onCancel: {
                            wasCancelled.withLock { $0 = true }
                            latch.open()
                        }
                        throw TransportError(.cancelled, "cancelled")
                    })
            }
        }
        await latch.waitForArrival()
        task.cancel()
        #expect(await task.value.code == .cancelled)
        while !wasCancelled.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test func `a request with more time than the first is sent separately when the first times out`() async {
        let latch = AsyncGate()
        let timingOut = NetworkExchange { (_) async throws(TransportError) in
            sent.withLock { $0 += 1 }
            if sent.withLock({ $0 }) > 1 { return .make() }
            await latch.wait()
            throw TransportError(.timedOut, "too slow")
        }
        let first = Task {
            await result { () throws(TransportError) in try await coalescing.intercept(.make(), next: timingOut) }
        }
        await latch.waitForArrival()
        let second = Task {
            await result { () throws(TransportError) in try await coalescing.intercept(.make(), next: timingOut) }
        }
        await waitForShared(1)
        latch.open()
        #expect(await first.value.code == .timedOut)
        #expect(await second.value.status == 200)
    }

    @Test func `the error of the first request names the phase in which its exchange timed out`() async {
        let latch = AsyncGate()
        let clock = ManualClock()
        let coalescing = CoalescingInterceptor.coalescing(clock: clock)
        var request = NetworkRequest.make()
        request.deadline = Deadline(after: .seconds(10), clock: clock)
        let first = Task { [request] in
            await result { () throws(TransportError) in
                try await coalescing.intercept(
                    request,
                    next: NetworkExchange { (_) async throws(TransportError) in
                        await latch.wait()
                        throw TransportError(.timedOut, "too slow", phase: .firstByte)
                    })
            }
        }
        await latch.waitForArrival()
        clock.advance(by: .seconds(10))
        latch.open()
        guard case .failure(let error) = await first.value else { Issue.record("no error"); return }
        #expect(error.phase == .firstByte, "\(error)")
    }

    @Test func `streams are not shared`() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [coalescing])
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<20 {
                group.addTask { try await service.stream(for: Endpoint<Void>(path: "a")).body.collected() }
            }
            for try await body in group { #expect(body == Data("hello".utf8)) }
        }
    }

    @Test func `requests whose values have different bytes are not shared, even if they are equal as text`() async {
        let latch = AsyncGate()
        let tasks = ["e\u{301}", "\u{E9}"].map { (value: String) in
            var request = NetworkRequest.make()
            request.headers["Accept"] = value
            return send(request, through: latch)
        }
        while sent.withLock({ $0 }) < 2, !Task.isCancelled { await Task.yield() }
        latch.open()
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(coalescing.sharedCount == 0)
    }
}
