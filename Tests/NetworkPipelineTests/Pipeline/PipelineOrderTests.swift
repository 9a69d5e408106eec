import DataTransfer
import Foundation
import NetworkCore
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PipelineOrderTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static let api = APIConfiguration(baseURL: URL(string: "https://api.test")!)

    /// A placeholder for a cache, which forwards each request.
    private struct Cache: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            try await next(request)
        }
    }

    private static var full: RequestPipeline {
        RequestPipeline {
            $0.observation = .observation { _ in }
            $0.activity = NetworkActivity()
            $0.idempotencyKeys = .idempotencyKeys
            $0.headers = .headers(for: api) { _ in [:] }
            $0.authentication = .authentication(.bearer("t"), for: api)
            $0.cache = Cache()
            $0.coalescing = CoalescingInterceptor()
            $0.hedging = HedgingInterceptor()
            $0.rate = RateLimiter(nil)
            $0.trace = .trace
        }
    }

    @Test func `the interceptors of the preset are in the documented order`() {
        let order = Self.full.interceptors.map { "\(type(of: $0))" }
        #expect(
            order == [
                "ObservationInterceptor", "DeadlineInterceptor", "NetworkActivity", "IdempotencyKeyInterceptor",
                "RetryInterceptor", "BodyCompressionInterceptor", "HeaderInterceptor", "CredentialInterceptor", "Cache",
                "CoalescingInterceptor", "HedgingInterceptor", "CircuitBreaker", "RateLimiter", "ConcurrencyGate",
                "TraceInterceptor",
            ])
    }

    @Test(arguments: [
        "Sources/NetworkPipeline/NetworkPipeline.docc/Interceptors.md", "Docs/Pipeline.md",
        "Sources/NetworkPipeline/RequestPipeline.swift",
    ])
    func `each diagram in the documentation shows the order of the interceptors`(file: String) throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
        let lines = text.split(separator: "\n").drop { !$0.contains("observation ─▶ deadline") }.prefix { $0.contains("─▶") }
        let drawing = lines.joined().replacing("///", with: "").replacing(/once per [a-z]+:/, with: "─▶")
        let names = [
            "observation", "deadline", "activity", "idempotency key", "retry", "compression", "headers", "authentication",
            "cache",
            "coalescing", "hedging", "breaker", "rate", "gate", "trace",
        ]
        let drawn = drawing.split(separator: "─▶").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        #expect(drawn.filter { $0 != "service" && $0 != "session" } == names)
    }

    @Test func `interceptors that are nil are omitted`() {
        let least = RequestPipeline {
            $0.deadline = nil
            $0.retry = nil
            $0.compression = nil
            $0.breaker = nil
            $0.gate = nil
        }
        #expect(least.interceptors.isEmpty)
        #expect(RequestPipeline().interceptors.count == 5)
    }

    /// The forms of a call for the same endpoint.
    enum CallForm: CaseIterable {
        case serviceAsync, serviceCompletion, serviceStream, transferAsync, transferCompletion, transferStream

        func text(_ network: DefaultNetworkService) async throws -> String {
            let endpoint = Endpoint<String>(path: "a", responseDecoder: .text)
            let transfer = DefaultDataTransferService(networkService: network)
            switch self {
            case .serviceAsync: return String(decoding: try await network.response(for: endpoint).data, as: UTF8.self)
            case .serviceCompletion:
                let result = await withCheckedContinuation { continuation in
                    _ = network.response(for: endpoint) { continuation.resume(returning: $0) }
                }
                return String(decoding: try result.get().data, as: UTF8.self)
            case .serviceStream: return String(decoding: try await network.stream(for: endpoint).collected().data, as: UTF8.self)
            case .transferAsync: return try await transfer.request(endpoint)
            case .transferCompletion:
                return try await withCheckedContinuation { continuation in
                    _ = transfer.request(endpoint) { continuation.resume(returning: $0) }
                }.get()
            case .transferStream:
                var lines: [String] = []
                for try await line in try await transfer.stream(endpoint, as: .lines()) { lines.append(line) }
                return lines.joined()
            }
        }
    }

    /// The server returns 401, then 503, then a value. Each form of a call refreshes its credentials and retries.
    @Test(arguments: CallForm.allCases) func `all interceptors are applied in every form of a call`(form: CallForm) async throws {
        let clock = ManualClock()
        let session = StubSessionManager()
        session.enqueue(.status(401))
        session.enqueue(.status(503))
        session.enqueue(.text("value"))
        let events = Locked<[String]>([])
        let credentials = RefreshingCredentials(initial: .bearer("1")) { _ in .bearer("2") }
        var pipeline = Self.full
        pipeline.observation = .observation { event in
            let name = "\(event.kind)".prefix { $0 != "(" }
            events.withLock { $0.append(String(name)) }
        }
        pipeline.retry = RetryInterceptor(budget: nil, clock: clock, random: { 0.5 })
        pipeline.authentication = .authentication(credentials, for: Self.api)
        let service = DefaultNetworkService(configuration: Self.api, sessionManager: session, interceptors: pipeline.interceptors)
        let call = Task { try await form.text(service) }
        await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        #expect(try await call.value == "value")
        #expect(session.requests.map { $0.headers["Authorization"] } == ["Bearer 1", "Bearer 2", "Bearer 2"])
        #expect(Set(session.requests.map { $0.headers["traceparent"] }).count == 3)
        let reported = events.withLock { $0 }.filter { !["sent", "firstByte"].contains($0) }
        #expect(
            reported == ["queued", "adapted", "attempted", "adapted", "attempted", "retried", "adapted", "attempted", "done"],
            "\(form)")
    }
}
