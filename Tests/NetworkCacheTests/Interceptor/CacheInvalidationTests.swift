import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkEngine
@testable import NetworkTransport

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

    /// A server on which a path redirects to another one with a status, and whose other paths are fresh for a minute.
    private func redirecting(_ rules: [String: (status: Int, location: String)]) throws -> LoopbackServer {
        let counts = Locked<[String: Int]>([:])
        return try LoopbackServer { request in
            if !request.method.isSafe, let rule = rules[request.path] {
                return .status(rule.status, headers: ["Location": rule.location])
            }
            if request.path.hasSuffix("missing") { return .status(404) }
            let count = counts.withLock { counts in
                counts[request.path, default: 0] += 1
                return counts[request.path] ?? 0
            }
            return .text("\(count)").header("max-age=60", for: "Cache-Control")
        }
    }

    @Test(arguments: [
        (303, "/after", ["/form": true, "/after": false]), (303, "/missing", ["/form": true]),
        (302, "/after", ["/form": true, "/after": false]), (307, "/after", ["/form": true, "/after": true]),
        (308, "/after", ["/form": true, "/after": true]), (307, "/missing", ["/form": true]),
        (307, "/second", ["/form": true, "/second": true, "/third": false]),
    ])
    func `a redirect invalidates the URLs that unsafe requests were sent to, not that of the GET that follows`(
        status: Int, location: String, isInvalidated: [String: Bool]
    ) async throws {
        let server = try redirecting(["/form": (status, location), "/second": (303, "/third")])
        defer { server.stop() }
        let session = InterceptedSession(interceptors: [CacheInterceptor()], session: SocketSessionManager())
        func get(_ path: String) async throws -> NetworkResponse {
            try await session.response(for: NetworkRequest(url: server.url(path)))
        }
        for path in isInvalidated.keys { _ = try await get(path) }
        _ = try await session.response(for: NetworkRequest(method: .post, url: server.url("/form")))
        for (path, isInvalidated) in isInvalidated {
            let isHit = try await get(path).headers["Cache-Status"]?.contains("; hit") ?? false
            #expect(isHit == !isInvalidated, "\(path)")
        }
    }

    @Test
    func `a redirect invalidates its URL, even if the request that follows it fails`() async throws {
        let server = try redirecting(["/form": (303, "http://127.0.0.1:1/")])
        defer { server.stop() }
        let session = InterceptedSession(interceptors: [CacheInterceptor()], session: SocketSessionManager())
        let request = NetworkRequest(url: server.url("/form"))
        #expect(try await session.response(for: request).data == Data("1".utf8))
        await #expect(throws: TransportError.self) {
            try await session.response(for: NetworkRequest(method: .post, url: request.url))
        }
        #expect(try await session.response(for: request).data == Data("2".utf8))
    }

    @Test
    func `a redirect that is not followed invalidates its URL and its Location on the same origin`() throws {
        let url = try #require(URL(string: "https://a.example/form"))
        for (location, urls) in [("/after", ["https://a.example/after"]), ("https://b.example/after", [])] {
            let response = NetworkResponse(statusCode: 303, headers: ["Location": location], url: url)
            let found = ValidationRules.invalidated(by: NetworkRequest(method: .post, url: url), response)
            #expect(found == Set([url.absoluteString] + urls))
        }
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
            try await cache.intercept(
                request,
                next: NetworkExchange { (request) async throws(TransportError) in
                    request.report(.sent(request, ago: .zero))
                    await gate.wait()
                    return NetworkResponse(
                        statusCode: 200, headers: ["Cache-Control": "max-age=60"], body: .data(Data("old".utf8)), url: request.url
                    )
                })
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
