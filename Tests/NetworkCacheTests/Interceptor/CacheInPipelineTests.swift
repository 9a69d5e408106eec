import Endpoints
import Foundation
import NetworkObservation
import NetworkPipeline
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)))
struct CacheInPipelineTests {
    /// Sends four concurrent requests, which share one exchange behind the cache.
    private func together(_ harness: CacheHarness, _ coalescing: CoalescingInterceptor, _ gate: AsyncGate) async throws
        -> [CacheResult]
    {
        try await withThrowingTaskGroup(of: CacheResult.self) { group in
            for _ in 0..<4 { group.addTask { try await harness.send() } }
            while coalescing.sharedCount < 3 {
                try Task.checkCancellation()
                await Task.yield()
            }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test
    func `a response that several requests share is stored only once`() async throws {
        let (coalescing, gate) = (CoalescingInterceptor(), AsyncGate())
        let removals = Locked(0)
        let store = MemoryCacheStore { _, _ in removals.withLock { $0 += 1 } }
        let harness = CacheHarness(store: store, behind: [coalescing, HeldUp(gate: gate)])
        harness.enqueue("one", "Cache-Control: max-age=60")
        let results = try await together(harness, coalescing, gate)
        #expect(results.map(\.body) == Array(repeating: "one", count: 4))
        #expect(results.filter(\.isStored).count == 1)
        #expect(results.filter { $0.status.contains("; collapsed") }.count == 3)
        #expect(store.count == 1 && removals.withLock { $0 } == 0)
        #expect(try await harness.send().isHit)
    }

    @Test
    func `a shared validation is sent once, and serves all requests`() async throws {
        let store = MemoryCacheStore()
        let first = CacheHarness(store: store)
        first.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await first.send()
        let (coalescing, gate) = (CoalescingInterceptor(), AsyncGate())
        let harness = CacheHarness(store: store, behind: [coalescing, HeldUp(gate: gate)])
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: max-age=60", status: 304)
        let results = try await together(harness, coalescing, gate)
        #expect(results.map(\.body) == Array(repeating: "one", count: 4))
        #expect(harness.requestCount == 1)
        #expect(results.filter { $0.status.contains("; collapsed") }.count == 3)
        #expect(try await harness.send().isHit)
    }

    @Test
    func `a response to a request with credentials is not stored for requests that share it without them`() async throws {
        let (coalescing, gate) = (CoalescingInterceptor(), AsyncGate())
        let api = try APIConfiguration("https://api.example.com")
        let harness = CacheHarness(
            behind: [.authentication(.bearer("one"), for: api), coalescing, HeldUp(gate: gate)])
        harness.enqueue("one", "Cache-Control: max-age=60")
        let results = try await together(harness, coalescing, gate)
        #expect(results.filter { $0.isStored || $0.isHit }.isEmpty)
        #expect(try await harness.store.entries(for: CacheKey(url: try #require(URL(string: CacheHarness.url)))).isEmpty)
    }

    @Test
    func `in the pipeline preset, the cache is placed behind authentication`() async throws {
        let token = Locked("one")
        let api = try APIConfiguration("https://api.example.com")
        let credential = CredentialInterceptor(origins: [api.baseURL]) { _ in .bearer(token.withLock { $0 }) }
        let pipeline = RequestPipeline {
            $0.authentication = credential
            $0.cache = CacheInterceptor()
            $0.coalescing = .coalescing()
        }
        let origin = StubSessionManager()
        origin.route { request in
            StubResponse(headers: ["Cache-Control": "max-age=60"], body: Data((request.headers["Authorization"] ?? "").utf8))
        }
        let chain = InterceptedSession(interceptors: pipeline.interceptors, session: origin)
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        for (name, requestCount) in [("one", 1), ("two", 2), ("one", 2)] {
            token.withLock { $0 = name }
            #expect(try await chain.response(for: request).data == Data("Bearer \(name)".utf8))
            #expect(origin.requests.count == requestCount)
        }
    }

    @Test
    func `an observer before the cache does not receive attempts of a revalidation after its call`() async throws {
        let events = Locked<[ExchangeEvent]>([])
        let gate = AsyncGate()
        let cache = CacheHarness()
        cache.enqueue("one", "Cache-Control: max-age=1, stale-while-revalidate=60")
        _ = try await cache.send()
        cache.time.advance(2)
        cache.enqueue("two", "Cache-Control: max-age=60")
        let chain = InterceptedSession(
            interceptors: [
                .observation { event in events.withLock { $0.append(event) } }, cache.cache, HeldUp(gate: gate), .retry(),
            ],
            session: cache.origin)
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        #expect(try await chain.response(for: request).data == Data("one".utf8))
        gate.open()
        while try await cache.send("Cache-Control: only-if-cached").body != "two" {
            try Task.checkCancellation()
            await Task.yield()
        }
        guard case .done(_, attempts: 0) = events.withLock({ $0.last?.kind }) else {
            Issue.record("the observer received more than its call")
            return
        }
    }

    @Test
    func `each of two observers receives each attempt`() async throws {
        let counts = Locked((0, 0))
        @Sendable func count(_ event: ExchangeEvent) -> Int { if case .attempted = event.kind { 1 } else { 0 } }
        let origin = StubSessionManager()
        origin.enqueue(.text("one"))
        let chain = InterceptedSession(
            interceptors: [
                .observation { event in counts.withLock { $0.0 += count(event) } },
                .observation { event in counts.withLock { $0.1 += count(event) } },
            ], session: origin)
        _ = try await chain.response(for: NetworkRequest(url: try #require(URL(string: CacheHarness.url))))
        #expect(counts.withLock { $0 } == (1, 1))
    }
}
