import Endpoints
import Foundation
import NetworkTesting
import Testing
import TestSupport

@testable import NetworkCache
@testable import NetworkCore

/// RFC 9111 §4.4.
@Suite(.timeLimit(.minutes(10)))
struct CacheInvalidationTests {
    @Test(arguments: [RequestMethod.post, .put, .patch, .delete, RequestMethod("PURGE")])
    func `a successful unsafe request invalidates its URL in all partitions`(method: RequestMethod) async throws {
        let harness = CacheHarness()
        for token in ["one", "two"] {
            harness.enqueue("old", "Cache-Control: max-age=60")
            _ = try await harness.send("Authorization: Bearer \(token)")
        }
        harness.enqueue("", status: 204)
        #expect(try await harness.send("Authorization: Bearer one", method: method).status == "NetworkCache; fwd=method")
        for token in ["one", "two"] {
            harness.enqueue("new", "Cache-Control: max-age=60")
            #expect(try await harness.send("Authorization: Bearer \(token)").body == "new")
        }
    }

    @Test
    func `the URLs in Location and Content-Location on the same origin are invalidated`() async throws {
        let harness = CacheHarness()
        let urls = ["https://api.example.com/made", "https://api.example.com/list", "https://other.example.com/item"]
        for url in urls {
            harness.enqueue("old", "Cache-Control: max-age=60")
            _ = try await harness.send(url: url)
        }
        harness.enqueue("", "Location: /made", "Content-Location: list", status: 201)
        _ = try await harness.send(method: .post)
        harness.enqueue("", "Location: https://other.example.com/item", status: 201)
        _ = try await harness.send(method: .post)
        harness.origin.route(StubResponse(body: Data("new".utf8)), for: "/made")
        harness.origin.route(StubResponse(body: Data("new".utf8)), for: "/list")
        var bodies: [String] = []
        for url in urls { bodies.append(try await harness.send(url: url).body) }
        #expect(bodies == ["new", "new", "old"])
    }

    @Test
    func `a failed or safe request invalidates nothing`() async throws {
        let harness = CacheHarness()
        harness.enqueue("old", "Cache-Control: max-age=60")
        _ = try await harness.send()
        harness.enqueue("", status: 409)
        _ = try await harness.send(method: .put)
        harness.enqueue("", status: 200)
        _ = try await harness.send(method: .options)
        harness.origin.enqueue(.failure(.connectionLost))
        await #expect(throws: TransportError.self) { try await harness.send(method: .put) }
        #expect(try await harness.send().isHit)
    }

    @Test(arguments: [false, true])
    func `a response that was requested before a change is not stored after it`(isCleared: Bool) async throws {
        let removals = Locked(0)
        let harness = CacheHarness(store: MemoryCacheStore { _, _ in removals.withLock { $0 += 1 } })
        let gate = AsyncGate()
        let cache = harness.cache
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        let late = Task {
            try await cache.intercept(request) { (request) async throws(TransportError) in
                request.attemptObserver?.attemptWillBegin(request)
                await gate.wait()
                return NetworkResponse(
                    statusCode: 200, headers: ["Cache-Control": "max-age=60"], body: .data(Data("old".utf8)), url: request.url)
            }
        }
        await gate.waitForArrival()
        if isCleared {
            try await cache.remove(.all)
        } else {
            harness.enqueue("", status: 204)
            _ = try await harness.send(method: .put)
        }
        gate.open()
        #expect(try await late.value.data == Data("old".utf8))
        #expect(try await harness.store.entries(for: cache.key(for: request)).isEmpty)
        #expect(removals.withLock { $0 } == 0)
    }

    /// A store that saves only after its gate is opened.
    private struct SlowStore: CacheStore {
        let memory = MemoryCacheStore()
        let gate: AsyncGate

        var maximumEntryBytes: Int { memory.maximumEntryBytes }

        func entries(for key: CacheKey) async throws(CacheStoreError) -> [CacheEntry] { memory.entries(for: key) }

        func save(_ entry: CacheEntry) async throws(CacheStoreError) {
            await gate.wait()
            memory.save(entry)
        }

        func remove(_ selection: CacheSelection, because reason: CacheRemoval) async throws(CacheStoreError) -> Int {
            memory.remove(selection, because: reason)
        }
    }

    @Test
    func `a response that is being saved while the cache is cleared is removed`() async throws {
        let store = SlowStore(gate: AsyncGate())
        let harness = CacheHarness(store: store)
        harness.enqueue("old", "Cache-Control: max-age=60")
        async let result = harness.send()
        await store.gate.waitForArrival()
        try await harness.cache.remove(.all)
        store.gate.open()
        #expect(try await result.body == "old")
        #expect(store.memory.count == 0)
    }
}
