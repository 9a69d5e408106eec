import Endpoints
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Checks invariants of second attempts with random latencies, failures and cancellations.
@Suite(.timeLimit(.minutes(10))) struct HedgingModelTests {
    /// A session with random latencies that records violations. It is also the interceptor before the hedging interceptor, to see
    /// where calls begin and end.
    private final class Server: NetworkSessionManager, NetworkInterceptor {
        private struct State {
            var sent: [String: Int] = [:]
            var running: [String: Int] = [:]
            /// `true` for a call that may have a second attempt, `false` for a second attempt.
            var log: [Bool] = []
            var violations: [String] = []
        }

        let clock: ManualClock
        let random: SharedGenerator
        private let state = Locked(State())

        init(clock: ManualClock, random: SharedGenerator) {
            self.clock = clock
            self.random = random
        }

        var violations: [String] { state.withLock(\.violations) }
        var log: [Bool] { state.withLock(\.log) }
        var running: Int { state.withLock { $0.running.values.reduce(0, +) } }

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            let call = request.headers["X-Call"] ?? ""
            if request.isIdempotent { state.withLock { $0.log.append(true) } }
            defer {
                state.withLock { state in
                    if state.running[call, default: 0] > 0 { state.violations.append("an attempt outlives call \(call)") }
                }
            }
            return try await next(request)
        }

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            let call = request.headers["X-Call"] ?? ""
            state.withLock { state in
                let number = state.sent[call, default: 0] + 1
                state.sent[call] = number
                state.running[call, default: 0] += 1
                if number > 1 { state.log.append(false) }
                if number > (request.isIdempotent ? 2 : 1) {
                    state.violations.append("\(request.method) of call \(call) was sent \(number) times")
                }
            }
            defer { state.withLock { $0.running[call, default: 0] -= 1 } }
            let isSlow = random.next(below: 10) == 0
            do {
                try await clock.sleep(for: .milliseconds((isSlow ? 500 : 20) + random.next(below: 40)))
            } catch {
                throw TransportError(.cancelled, "cancelled", request: request)
            }
            switch random.next(below: 10) {
            case 0: throw TransportError(.connectionLost, "reset", phase: .firstByte, request: request)
            case 1: return .make(503)
            default: return .make()
            }
        }
    }

    @Test(arguments: 0..<8) func `random exchanges violate no invariant of second attempts`(seed: UInt64) async throws {
        // Whether a second attempt is sent depends on the order of tasks as well.
        for attempt in 0..<20 {
            if try await sendsSecondAttempts(seed: seed + UInt64(attempt) * 8) { return }
        }
        Issue.record("no second attempt was sent")
    }

    /// Checks the invariants for one seed. Returns whether a second attempt was sent.
    private func sendsSecondAttempts(seed: UInt64) async throws -> Bool {
        let clock = ManualClock()
        let random = SharedGenerator(seed)
        let server = Server(clock: clock, random: random)
        let (share, reserve) = (0.1, 3.0)
        let hedging = HedgingInterceptor(
            options: HedgingOptions(percentile: 0.8, window: 32, minimumLatencies: 5, initialDelay: .milliseconds(80)),
            budget: RetryBudget(share: share, reserve: reserve), clock: clock)
        let service = DefaultNetworkService(
            configuration: try APIConfiguration("https://api.test"), sessionManager: server,
            interceptors: [server, hedging, ConcurrencyGate(maximumConcurrency: 10, clock: clock)])
        let time = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(count: 1)
                clock.advance(by: .milliseconds(10))
                for _ in 0..<20 { await Task.yield() }
            }
        }
        let concurrency = 20
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                if number >= concurrency { await group.next() }
                let method: RequestMethod = [.get, .get, .get, .put, .post][random.next(below: 5)]
                var headers: HeaderFields = ["X-Call": "\(number)"]
                if random.next(below: 4) == 0 { headers["Idempotency-Key"] = "\"\(number)\"" }
                let endpoint = Endpoint<Void>(path: "a", method: method, headerParameters: headers)
                let isCancelled = random.next(below: 8) == 0
                let yieldCount = random.next(below: 60)
                group.addTask {
                    let call = Task { try await service.response(for: endpoint).statusCode }
                    if isCancelled {
                        for _ in 0..<yieldCount { await Task.yield() }
                        call.cancel()
                    }
                    _ = try? await call.value
                }
            }
        }
        time.cancel()
        #expect(server.violations.isEmpty && server.running == 0)
        // In each window of the log, the budget holds. Calls that run concurrently may be logged before they pay.
        let log = server.log
        for start in log.indices {
            var (calls, seconds) = (0, 0)
            for isCall in log[start...] {
                if isCall { calls += 1 } else { seconds += 1 }
                let allowed = reserve + share * Double(calls + concurrency)
                if Double(seconds) > allowed { Issue.record("\(seconds) second attempts of \(calls) calls from \(start) on") }
            }
        }
        return log.contains(false)
    }
}
