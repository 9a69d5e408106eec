import DataTransfer
import Foundation
import NetworkCore
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Checks invariants of the pipeline over sockets, with random sequences of successes, errors and cancellations.
@Suite(.timeLimit(.minutes(10))) struct PipelineStormTests {
    /// Returns random responses, and records a violation for each request that the server must not receive.
    private final class Oracle: Sendable {
        private struct State {
            var validToken = 0
            var arrivals: [String: [String]] = [:]
            var violations: [String] = []
        }

        private let random: SharedGenerator
        private let state = Locked(State())

        init(_ random: SharedGenerator) {
            self.random = random
        }

        var violations: [String] { state.withLock(\.violations) }
        var arrivals: Int { state.withLock { $0.arrivals.values.reduce(0) { $0 + $1.count } } }

        func issueToken() -> String {
            state.withLock { state in
                state.validToken += 1
                return "\(state.validToken)"
            }
        }

        func respond(_ request: LoopbackRequest) -> LoopbackResponse {
            let call = request.headers["X-Call"] ?? ""
            return state.withLock { state in
                let before = state.arrivals[call] ?? []
                if request.method == .post, before.contains(where: { $0 != "401" }) {
                    state.violations.append("POST of call \(call) came again after \(before)")
                }
                // A call has at most three attempts, each of which is sent once more with newer credentials. The engine repeats
                // each of these once if a reused connection was closed.
                if before.count >= 3 * 2 * 2 { state.violations.append("call \(call) came \(before.count + 1) times") }
                let isAuthorized = request.headers["Authorization"] == "Bearer \(state.validToken)"
                if random.next(below: 30) == 0 { state.validToken += 1 }
                let (name, response): (String, LoopbackResponse)
                switch random.next(below: 12) {
                case _ where !isAuthorized: (name, response) = ("401", .status(401))
                case 0: (name, response) = ("503", .status(503))
                case 1: (name, response) = ("503", .status(503, headers: ["Retry-After": "0"]))
                case 2: (name, response) = ("reset", .text("value").fault(.reset))
                case 3: (name, response) = ("cut", .text("value").fault(.truncateBody(after: 2)))
                case 4: (name, response) = ("closed", .text("value").fault(.closeAfter))
                default: (name, response) = ("200", .text("value"))
                }
                state.arrivals[call, default: []].append(name)
                return response
            }
        }
    }

    @Test(arguments: 0..<4) func `random exchanges over sockets violate no invariant of the pipeline`(seed: UInt64) async throws {
        let random = SharedGenerator(seed)
        let oracle = Oracle(random)
        let server = try LoopbackServer { request in oracle.respond(request) }
        let refreshing = Locked((now: 0, most: 0))
        let credentials = RefreshingCredentials { _ in
            refreshing.withLock { refreshing in
                refreshing.now += 1
                refreshing.most = max(refreshing.most, refreshing.now)
            }
            defer { refreshing.withLock { $0.now -= 1 } }
            await Task.yield()
            return .bearer(oracle.issueToken())
        }
        let api = APIConfiguration(baseURL: server.url)
        let gate = ConcurrencyGate(maximumConcurrency: 8, maximumConcurrencyPerHost: 8)
        let pipeline = RequestPipeline {
            $0.retry = .retry(RetryOptions(backoff: Backoff(base: .microseconds(100))), budget: nil)
            $0.authentication = .authentication(credentials, for: api)
            $0.coalescing = CoalescingInterceptor()
            $0.breaker = nil
            $0.gate = gate
        }
        let service = DefaultNetworkService(
            configuration: api, sessionManager: DefaultSessionManager(), interceptors: pipeline.interceptors)
        let results = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                let method: RequestMethod = [.get, .get, .put, .post, .delete][random.next(below: 5)]
                let endpoint = Endpoint<Void>(
                    path: "\(random.next(below: 4))", method: method, headerParameters: ["X-Call": "\(number)"])
                let (isStreamed, isCancelled) = (random.next(below: 3) == 0, random.next(below: 6) == 0)
                let yieldCount = random.next(below: 40)
                group.addTask {
                    let call = Task {
                        isStreamed
                            ? try await service.stream(for: endpoint).collected().statusCode
                            : try await service.response(for: endpoint).statusCode
                    }
                    if isCancelled {
                        for _ in 0..<yieldCount { await Task.yield() }
                        call.cancel()
                    }
                    return (try? await call.value) != nil
                }
            }
            return await group.reduce(into: (all: 0, good: 0)) { result, isGood in
                result.all += 1
                result.good += isGood ? 1 : 0
            }
        }
        #expect(oracle.violations.isEmpty)
        #expect(results.all == 100 && results.good > 0 && oracle.arrivals >= results.good / 4)
        #expect(refreshing.withLock(\.most) <= 1)
        #expect(gate.waitingCount == 0)
    }
}
