import Endpoints
import Foundation
import NetworkCore
import NetworkObservation
@testable import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@Suite(.timeLimit(.minutes(10))) struct HedgingTests {
    /// A session whose attempts end when the test says so, or when they are cancelled.
    private final class Lab: NetworkSessionManager {
        private struct State {
            var attempts: [Promise<Result<NetworkResponse, TransportError>>] = []
            var requests: [NetworkRequest] = []
            var cancelled: [Int] = []
            var running = 0
        }

        private let state = Locked(State())

        var requests: [NetworkRequest] { state.withLock(\.requests) }
        var cancelled: [Int] { state.withLock(\.cancelled) }
        var running: Int { state.withLock(\.running) }

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            let end = Promise<Result<NetworkResponse, TransportError>>()
            let number = state.withLock { state in
                state.requests.append(request)
                state.attempts.append(end)
                state.running += 1
                return state.attempts.count
            }
            defer { state.withLock { $0.running -= 1 } }
            let result = await end.value(cancellation: { [state] in
                state.withLock { $0.cancelled.append(number) }
                return .failure(TransportError(.cancelled, "cancelled", request: request))
            })
            return try result.get()
        }

        func waitForAttempt(_ number: Int) async {
            while requests.count < number, !Task.isCancelled { await Task.yield() }
        }

        /// Ends an attempt, counted from 1.
        func end(_ number: Int, _ result: Result<NetworkResponse, TransportError> = .success(.make())) {
            _ = state.withLock { $0.attempts[number - 1] }.resolve(result)
        }
    }

    private let clock = ManualClock()
    private let lab = Lab()
    private let delay = Duration.milliseconds(100)
    private let lost = Result<NetworkResponse, TransportError>.failure(TransportError(.connectionLost, "lost"))

    private func service(
        _ options: HedgingOptions? = nil, budget: RetryBudget? = nil, _ others: [any NetworkInterceptor] = [],
        outer: [any NetworkInterceptor] = []
    ) -> DefaultNetworkService {
        let hedging = HedgingInterceptor(
            options: options ?? HedgingOptions(initialDelay: delay, minimumDelay: .zero), budget: budget, clock: clock)
        return DefaultNetworkService(
            configuration: APIConfiguration(baseURL: URL(string: "https://api.test")!), sessionManager: lab,
            interceptors: outer + [hedging] + others)
    }

    private let get = Endpoint<Void>(path: "a")

    private func send(
        _ endpoint: Endpoint<Void>? = nil, through service: DefaultNetworkService, serially: Bool = false
    ) -> Task<Result<Int, NetworkError>, Never> {
        let endpoint = endpoint ?? get
        let call: @Sendable () async -> Result<Int, NetworkError> = {
            do throws(NetworkError) {
                return .success(try await service.response(for: endpoint).statusCode)
            } catch {
                return .failure(error)
            }
        }
        guard serially, #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return Task(operation: call) }
        return Task(executorPreference: SerialExecutor(), operation: call)
    }

    /// Sends a request, and waits until it has a second attempt.
    private func hedged(
        _ endpoint: Endpoint<Void>? = nil, through service: DefaultNetworkService, serially: Bool = false
    ) async -> Task<Result<Int, NetworkError>, Never> {
        // Before the call, which may send its first attempt at once.
        let number = lab.requests.count
        let call = send(endpoint, through: service, serially: serially)
        await lab.waitForAttempt(number + 1)
        await clock.waitForSleepers(count: 1)
        clock.advance(by: delay)
        await lab.waitForAttempt(number + 2)
        return call
    }

    @Test func `a request that is fast enough is sent once`() async throws {
        let call = send(through: service())
        await clock.waitForSleepers(count: 1)
        clock.advance(by: delay - .nanoseconds(1))
        #expect(clock.sleeperCount == 1)
        lab.end(1)
        #expect(try await call.value.get() == 200)
        #expect(lab.requests.count == 1 && clock.sleeperCount == 0)
    }

    @Test(arguments: [1, 2]) func `the first response of two attempts is the result, and the other attempt has ended`(
        winner: Int
    ) async throws {
        let call = await hedged(through: service())
        lab.end(winner, .success(.make(winner == 1 ? 201 : 202)))
        #expect(try await call.value.get() == 200 + winner)
        #expect(lab.cancelled == [3 - winner] && lab.running == 0 && lab.requests.count == 2)
    }

    @Test(arguments: [1, 2], [false, true])
    func `after a failure or a temporary response of one attempt, the other is the result`(
        first: Int, isResponse: Bool
    ) async throws {
        let call = await hedged(through: service())
        lab.end(first, isResponse ? .success(.make(503)) : lost)
        while lab.running > 1, !Task.isCancelled { await Task.yield() }
        lab.end(3 - first, .success(.make(204)))
        #expect(try await call.value.get() == 204)
        #expect(lab.cancelled.isEmpty && lab.running == 0)
    }

    /// Runs all jobs of a call one after another, so that an attempt has ended completely before the next job of the call runs.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class SerialExecutor: TaskExecutor {
        private let queue = DispatchQueue(label: "calls")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    @Test(arguments: [1, 2]) func `if both attempts fail, the later failure is the result`(first: Int) async throws {
        let call = await hedged(through: service(), serially: true)
        lab.end(first, lost)
        while lab.running > 1, !Task.isCancelled { await Task.yield() }
        lab.end(3 - first, .failure(TransportError(.tlsFailed, "expired")))
        #expect(await call.value.failure?.transportError?.code == .tlsFailed)
    }

    @Test func `a request that fails before the delay is not sent again`() async throws {
        let call = send(through: service())
        await clock.waitForSleepers(count: 1)
        lab.end(1, lost)
        #expect(await call.value.failure?.transportError?.code == .connectionLost)
        #expect(lab.requests.count == 1 && clock.sleeperCount == 0)
    }

    @Test func `only idempotent requests whose body can be sent again have a second attempt`() async throws {
        let once = AsyncStream<Data> { $0.finish() }
        var declared = Endpoint<Void>(path: "a", method: .post)
        declared.isIdempotent = true
        let keyed = Endpoint<Void>(path: "a", method: .post, headerParameters: ["Idempotency-Key": "\"1\""])
        let cases: [(Endpoint<Void>, Bool)] = [
            (Endpoint(path: "a", method: .post), false), (Endpoint(path: "a", method: .patch), false),
            (Endpoint(path: "a", method: .put, body: .stream(once)), false),
            (get, true), (Endpoint(path: "a", method: .delete), true), (declared, true), (keyed, true),
        ]
        let service = service()
        for (endpoint, isHedged) in cases {
            let call = send(endpoint, through: service)
            let number = lab.requests.count + 1
            await lab.waitForAttempt(number)
            if isHedged { await clock.waitForSleepers(count: 1) } else { #expect(clock.sleeperCount == 0) }
            lab.end(number)
            #expect(try await call.value.get() == 200)
        }
    }

    @Test func `the delay is the percentile of the latest latencies, once there are enough`() async throws {
        let options = HedgingOptions(percentile: 0.9, window: 20, minimumLatencies: 10, minimumDelay: .milliseconds(1))
        let service = service(options)
        // Latencies of 1...10 ms: without an initial delay, nothing waits for the clock.
        for number in 1...10 {
            let call = send(through: service)
            await lab.waitForAttempt(number)
            #expect(clock.sleeperCount == 0)
            clock.advance(by: .milliseconds(number))
            lab.end(number)
            #expect(try await call.value.get() == 200)
        }
        let call = send(through: service)
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .milliseconds(9) - .nanoseconds(1000))
        #expect(clock.sleeperCount == 1 && lab.requests.count == 11)
        clock.advance(by: .nanoseconds(2000))
        await lab.waitForAttempt(12)
        lab.end(12)
        #expect(try await call.value.get() == 200)
        // Another origin has no latencies yet.
        let other = send(Endpoint(path: "https://other.test/", isFullPath: true), through: service)
        await lab.waitForAttempt(13)
        #expect(clock.sleeperCount == 0)
        lab.end(13)
        #expect(try await other.value.get() == 200)
    }

    @Test func `a request that waits for a slot has no second attempt, and both attempts release their slots`() async throws {
        let gate = ConcurrencyGate(maximumConcurrency: 2, maximumConcurrencyPerHost: 2, clock: clock)
        let service = service(nil, [gate])
        let first = await hedged(through: service)
        #expect(gate.count == 2)
        let waiting = send(through: service)
        while gate.waitingCount == 0, !Task.isCancelled { await Task.yield() }
        clock.advance(by: .seconds(10))
        #expect(clock.sleeperCount == 0 && lab.requests.count == 2)
        lab.end(2)
        #expect(try await first.value.get() == 200)
        await lab.waitForAttempt(3)
        lab.end(3)
        #expect(try await waiting.value.get() == 200)
        #expect(gate.count == 0 && gate.waitingCount == 0)
    }

    @Test func `cancelling the call cancels both attempts`() async throws {
        let call = await hedged(through: service())
        call.cancel()
        #expect(await call.value.failure?.isCancelled == true)
        #expect(lab.cancelled.sorted() == [1, 2] && lab.running == 0)
    }

    @Test func `a delay that ends after the deadline starts no second attempt`() async throws {
        let service = service(outer: [DeadlineInterceptor(delay, clock: clock)])
        let call = send(through: service)
        await lab.waitForAttempt(1)
        #expect(clock.sleeperCount == 0)
        lab.end(1)
        #expect(try await call.value.get() == 200)
    }

    @Test func `an empty budget allows no second attempt`() async throws {
        let service = service(budget: RetryBudget(share: 0.5, reserve: 1))
        let call = await hedged(through: service)
        lab.end(2)
        #expect(try await call.value.get() == 200)
        let other = send(through: service)
        await clock.waitForSleepers(count: 1)
        clock.advance(by: delay)
        while clock.sleeperCount > 0, !Task.isCancelled { await Task.yield() }
        await lab.waitForAttempt(3)
        lab.end(3)
        #expect(try await other.value.get() == 200)
        #expect(lab.requests.count == 3)
    }

    private struct Watcher: ExchangeObserver {
        let onEvent: @Sendable (ExchangeEvent) -> Void

        func exchangeDidProgress(_ event: ExchangeEvent) { onEvent(event) }
    }

    @Test(arguments: [1, 2]) func `observers see one attempt after the other, and the second one only if it takes the place`(
        winner: Int
    ) async throws {
        let events = Locked<[String]>([])
        let observer = Watcher { event in
            let text: String? =
                switch event.kind {
                case .adapted(let attempt, _): "begin \(attempt) at \(event.time)"
                case .attempted(let attempt, let outcome, _): "end \(attempt) \(outcome)"
                case .noted: "note"
                case .done(_, let attempts): "done \(attempts)"
                default: nil
                }
            if let text { events.withLock { $0.append(text) } }
        }
        let observed = ObservationInterceptor(observer, clock: clock)
        let call = await hedged(through: service(outer: [observed]))
        clock.advance(by: delay)
        lab.end(winner)
        #expect(try await call.value.get() == 200)
        let expected =
            winner == 1
            ? ["end 1 status(200)", "done 1"]
            : ["end 1 \(ExchangeEvent.Outcome.failure(.cancelled))", "begin 2 at \(delay)", "end 2 status(200)", "done 2"]
        #expect(events.withLock(\.self) == ["begin 1 at \(Duration.zero)", "note"] + expected)
    }

    @Test(arguments: [1, 2]) func `the progress of one attempt is reported`(winner: Int) async throws {
        let monitor = ProgressMonitor()
        var endpoint = get
        endpoint.progress = monitor
        let call = await hedged(endpoint, through: service())
        for number in [1, 2] {
            lab.requests[number - 1].progress?.transferDidProgress(TransferProgress(bytesReceived: Int64(number)))
            #expect(monitor.current?.bytesReceived == 1)
        }
        lab.end(winner)
        #expect(try await call.value.get() == 200)
        let loser = lab.requests[2 - winner].progress
        loser?.transferDidProgress(TransferProgress(bytesReceived: 7, isFinished: true))
        #expect(monitor.current?.bytesReceived == Int64(winner) && monitor.current?.isFinished == true)
    }

    @Test(arguments: [1, 2])
    func `the informational responses of the second attempt are reported if it takes the place of the first`(
        winner: Int
    ) async throws {
        let received = Locked<[Int]>([])
        var endpoint = get
        endpoint.onInformationalResponse = { response in received.withLock { $0.append(response.statusCode) } }
        let call = await hedged(endpoint, through: service())
        for number in [2, 1, 2] {
            lab.requests[number - 1].onInformationalResponse?(InformationalResponse(statusCode: 102 + number))
        }
        #expect(received.withLock(\.self) == [103])
        lab.end(winner)
        #expect(try await call.value.get() == 200)
        #expect(received.withLock(\.self) == (winner == 1 ? [103] : [103, 104, 104]))
    }

    @Test(arguments: [
        (HedgingOptions(percentile: 0.4), "percentile"), (HedgingOptions(percentile: .nan), "percentile"),
        (HedgingOptions(window: 0), "window"), (HedgingOptions(window: 10), "minimumLatencies"),
        (HedgingOptions(initialDelay: .seconds(-1)), "initialDelay"),
        (HedgingOptions(minimumDelay: .seconds(-1)), "minimumDelay"),
    ])
    func `an invalid hedging option is an error that names the field`(options: HedgingOptions, field: String) async {
        let failure = await send(through: service(options)).value.failure?.transportError
        #expect(failure?.code == .invalidConfiguration && failure?.message.contains(field) == true)
        #expect(lab.requests.isEmpty)
    }

    @Test func `a stream whose second head is first is read from the second attempt, over sockets`() async throws {
        let arrived = Locked(0)
        let server = try LoopbackServer { _ in
            let number = arrived.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? .text("first").fault(.stall) : .text("second")
        }
        let hedging = HedgingInterceptor(options: HedgingOptions(initialDelay: delay), budget: nil, clock: clock)
        let gate = ConcurrencyGate()
        let service = DefaultNetworkService(
            configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
            interceptors: [hedging, gate])
        let call = Task { try await service.stream(for: get) }
        await clock.waitForSleepers(count: 1)
        while arrived.withLock({ $0 }) == 0, !Task.isCancelled { await Task.yield() }
        clock.advance(by: delay)
        let response = try await call.value
        #expect(gate.count <= 1)
        #expect(try await response.body.collected() == Data("second".utf8))
        #expect(gate.count == 0 && arrived.withLock { $0 } == 2)
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
