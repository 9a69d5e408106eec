import Endpoints
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct GateTests {
    /// Counts the exchanges that hold a slot, in total and for each host.
    private final class Meter: Sendable {
        private let state = Locked<(now: [String: Int], most: [String: Int])>(([:], [:]))

        func within<Value>(_ host: String, _ work: () async -> Value) async -> Value {
            state.withLock { state in
                for key in [host, "all"] {
                    state.now[key, default: 0] += 1
                    state.most[key] = max(state.most[key] ?? 0, state.now[key] ?? 0)
                }
            }
            defer { state.withLock { state in for key in [host, "all"] { state.now[key, default: 0] -= 1 } } }
            return await work()
        }

        func most(_ host: String = "all") -> Int { state.withLock { $0.most[host] ?? 0 } }
    }

    @Test func `neither concurrency limit is exceeded, and all exchanges complete`() async throws {
        let gate = ConcurrencyGate(maximumConcurrency: 7, maximumConcurrencyPerHost: 3)
        let meter = Meter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<600 {
                group.addTask {
                    let host = "h\(number % 5)"
                    let request = NetworkRequest(url: URL(string: "https://\(host).test/")!)
                    let outcome = await result { () throws(TransportError) in
                        try await gate.intercept(
                            request,
                            next: NetworkExchange { _ in
                                await meter.within(host) { for _ in 0..<(number % 7) { await Task.yield() } }
                                return .make()
                            })
                    }
                    #expect(outcome.status == 200)
                }
            }
        }
        #expect(meter.most() <= 7)
        for host in 0..<5 { #expect((1...3).contains(meter.most("h\(host)"))) }
        #expect(gate.count == 0 && gate.waitingCount == 0)
    }

    @Test func `cancelling an exchange in the queue or during its admission does not leak a slot`() async throws {
        let gate = ConcurrencyGate(maximumConcurrency: 2, maximumConcurrencyPerHost: 2)
        for round in 0..<30 {
            let tasks = (0..<20).map { number in
                Task {
                    await result { () throws(TransportError) in
                        try await gate.intercept(
                            .make(),
                            next: NetworkExchange { _ in
                                for _ in 0..<((number + round) % 4) { await Task.yield() }
                                return .make()
                            })
                    }
                }
            }
            for (number, task) in tasks.enumerated() where (number + round) % 3 == 0 { task.cancel() }
            for task in tasks {
                let outcome = await task.value
                #expect(outcome.status == 200 || outcome.code == .cancelled)
            }
            #expect(gate.count == 0 && gate.waitingCount == 0)
        }
    }

    @Test func `a stream holds its slot until it has ended`() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let gate = ConcurrencyGate(maximumConcurrency: 1, maximumConcurrencyPerHost: 1)
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [gate])
        let first = try await service.stream(for: Endpoint<Void>(path: "a"))
        #expect(gate.count == 1)
        let second = Task { try await service.response(for: Endpoint<Void>(path: "b")).statusCode }
        while gate.waitingCount == 0, !Task.isCancelled { await Task.yield() }
        #expect(try await first.body.collected() == Data("hello".utf8))
        #expect(try await second.value == 200)
        #expect(gate.count == 0)
    }

    /// Sends a request that takes a slot until the latch is opened.
    private func occupied(
        _ gate: ConcurrencyGate, until latch: AsyncGate
    ) -> Task<Result<NetworkResponse, TransportError>, Never> {
        Task {
            await result { () throws(TransportError) in
                try await gate.intercept(
                    .make(),
                    next: NetworkExchange { _ in
                        await latch.wait()
                        return .make()
                    })
            }
        }
    }

    @Test func `a deadline ends the wait in the queue`() async throws {
        let clock = ManualClock()
        let gate = ConcurrencyGate(maximumConcurrency: 1, maximumConcurrencyPerHost: 1, clock: clock)
        let latch = AsyncGate()
        let first = occupied(gate, until: latch)
        await latch.waitForArrival()
        var request = NetworkRequest.make()
        request.deadline = Deadline(after: .seconds(3), clock: clock)
        let second = Task { [request] in
            await result { () throws(TransportError) in try await gate.intercept(request, next: NetworkExchange { _ in .make() })
            }
        }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        let outcome = await second.value
        #expect(outcome.code == .timedOut)
        #expect(gate.waitingCount == 0 && gate.count == 1)
        latch.open()
        #expect(await first.value.status == 200)
    }

    @Test func `requests of a higher priority are admitted first`() async throws {
        let gate = ConcurrencyGate(maximumConcurrency: 1, maximumConcurrencyPerHost: 1)
        let latch = AsyncGate()
        let order = Locked<[RequestPriority]>([])
        let first = occupied(gate, until: latch)
        await latch.waitForArrival()
        var tasks: [Task<Result<NetworkResponse, TransportError>, Never>] = []
        for priority in [RequestPriority.low, .normal, .high, .low, .normal, .high] {
            var request = NetworkRequest.make()
            request.priority = priority
            tasks.append(
                Task { [request] in
                    await result { () throws(TransportError) in
                        try await gate.intercept(
                            request,
                            next: NetworkExchange { _ in
                                order.withLock { $0.append(request.priority) }
                                return .make()
                            })
                    }
                })
            while gate.waitingCount < tasks.count, !Task.isCancelled { await Task.yield() }
        }
        latch.open()
        for task in tasks + [first] { #expect(await task.value.status == 200) }
        #expect(order.withLock(\.self) == [.high, .high, .normal, .normal, .low, .low])
    }

    @Test func `a request fails immediately if the queue is full`() async throws {
        let gate = ConcurrencyGate(maximumConcurrency: 1, maximumConcurrencyPerHost: 1, maximumWaiting: 0)
        let outcome = await result { () throws(TransportError) in
            try await gate.intercept(
                .make(),
                next: NetworkExchange { _ in
                    let inner = await result { () throws(TransportError) in
                        try await gate.intercept(.make(), next: NetworkExchange { _ in .make() })
                    }
                    #expect(inner.code == .notAdmitted)
                    return .make()
                })
        }
        #expect(outcome.status == 200)
    }

    @Test(arguments: [
        (ConcurrencyGate(maximumConcurrency: 0), "maximumConcurrency"),
        (ConcurrencyGate(maximumConcurrencyPerHost: -1), "maximumConcurrencyPerHost"),
        (ConcurrencyGate(maximumWaiting: -1), "maximumWaiting"),
    ])
    func `an invalid concurrency limit is an error that names the field`(gate: ConcurrencyGate, field: String) async {
        let outcome = await result { () throws(TransportError) in
            try await gate.intercept(.make(), next: NetworkExchange { _ in .make() })
        }
        guard case .failure(let error) = outcome else {
            Issue.record("The request was admitted.")
            return
        }
        #expect(error.code == .invalidConfiguration && error.message.contains(field))
    }
}
