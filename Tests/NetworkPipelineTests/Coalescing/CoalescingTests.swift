import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct CoalescingTests {
    private let coalescing = CoalescingInterceptor()
    private let sent = Locked(0)

    private func send(
        _ request: NetworkRequest, through door: AsyncGate, status: Int = 200
    ) -> Task<Result<NetworkResponse, TransportError>, Never> {
        Task {
            await result { () throws(TransportError) in
                try await coalescing.intercept(request) { (_) async throws(TransportError) in
                    sent.withLock { $0 += 1 }
                    await door.wait()
                    if Task.isCancelled { throw TransportError(.cancelled, "cancelled") }
                    return .make(status, [:], "shared")
                }
            }
        }
    }

    private func joined(_ count: Int) async {
        while coalescing.sharedCount < count, !Task.isCancelled { await Task.yield() }
    }

    @Test func `a hundred identical requests are one exchange`() async throws {
        let door = AsyncGate()
        let tasks = (0..<100).map { _ in send(.make(), through: door) }
        await joined(99)
        door.open()
        for task in tasks { #expect(try await task.value.get().body == Data("shared".utf8)) }
        #expect(sent.withLock { $0 } == 1)
        #expect(await send(.make(), through: door).value.status == 200)
        #expect(sent.withLock { $0 } == 2)
    }

    @Test(arguments: ["Authorization", "Accept", "Cookie", "Accept-Language", "Range"])
    func `requests that could get different responses are not shared`(field: String) async {
        let door = AsyncGate()
        let tasks = ["a", "b"].map { (value: String) in
            var request = NetworkRequest.make()
            request.headers[field] = value
            return send(request, through: door)
        }
        while sent.withLock({ $0 }) < 2, !Task.isCancelled { await Task.yield() }
        door.open()
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(coalescing.sharedCount == 0)
    }

    private struct PinnedAPI: TrustingAPI {
        let host = "api.test"
        let endpoint = "a"
        var trust = TrustPolicy(minimumTLSVersion: .v1_3)
    }

    @Test func `requests with different trust policies are not shared`() async throws {
        let door = AsyncGate()
        let pinned = try PinnedAPI().networkRequest(with: .composed)
        let tasks = [NetworkRequest(url: pinned.url), pinned, try PinnedAPI(trust: .init()).networkRequest(with: .composed)]
            .map { send($0, through: door) }
        while sent.withLock({ $0 }) < 3, !Task.isCancelled { await Task.yield() }
        let same = send(pinned, through: door)
        await joined(1)
        door.open()
        for task in tasks + [same] { #expect(await task.value.status == 200) }
        #expect(coalescing.sharedCount == 1 && sent.withLock { $0 } == 3)
    }

    @Test func `fields that only identify a request are not compared`() async {
        let door = AsyncGate()
        let tasks = ["a", "b"].map { value in
            var request = NetworkRequest.make()
            request.headers["traceparent"] = value
            request.headers["X-Request-ID"] = value
            return send(request, through: door)
        }
        await joined(1)
        door.open()
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(sent.withLock { $0 } == 1)
    }

    @Test func `a POST is never shared`() async {
        let door = AsyncGate()
        door.open()
        let tasks = (0..<5).map { _ in send(.make(.post), through: door) }
        for task in tasks { #expect(await task.value.status == 200) }
        #expect(sent.withLock { $0 } == 5)
    }

    @Test(arguments: [0, 1]) func `each request can be cancelled alone, even the first`(cancelled: Int) async {
        let door = AsyncGate()
        var tasks = [send(.make(), through: door)]
        await door.waitForArrival()
        tasks.append(send(.make(), through: door))
        await joined(1)
        tasks[cancelled].cancel()
        #expect(await tasks[cancelled].value.code == .cancelled)
        door.open()
        #expect(await tasks[1 - cancelled].value.status == 200)
        #expect(sent.withLock { $0 } == 1)
    }

    @Test func `when all requests are cancelled, so is the exchange`() async {
        let door = AsyncGate()
        let wasCancelled = Locked(false)
        let task = Task {
            await result { () throws(TransportError) in
                try await coalescing.intercept(.make()) { (_) async throws(TransportError) in
                    await withTaskCancellationHandler {
                        await door.wait()
                    } onCancel: {
                        wasCancelled.withLock { $0 = true }
                        door.open()
                    }
                    throw TransportError(.cancelled, "cancelled")
                }
            }
        }
        await door.waitForArrival()
        task.cancel()
        #expect(await task.value.code == .cancelled)
        while !wasCancelled.withLock({ $0 }), !Task.isCancelled { await Task.yield() }
        #expect(wasCancelled.withLock { $0 })
    }

    @Test func `a request with more time than the first is sent alone when the time of the first expires`() async {
        let door = AsyncGate()
        let timingOut: NetworkExchange = { (_) async throws(TransportError) in
            sent.withLock { $0 += 1 }
            if sent.withLock({ $0 }) > 1 { return .make() }
            await door.wait()
            throw TransportError(.timedOut, "too slow")
        }
        let first = Task {
            await result { () throws(TransportError) in try await coalescing.intercept(.make(), next: timingOut) }
        }
        await door.waitForArrival()
        let second = Task {
            await result { () throws(TransportError) in try await coalescing.intercept(.make(), next: timingOut) }
        }
        await joined(1)
        door.open()
        #expect(await first.value.code == .timedOut)
        #expect(await second.value.status == 200)
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
}
