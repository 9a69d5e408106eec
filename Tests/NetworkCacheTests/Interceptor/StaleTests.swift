import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// RFC 5861.
@Suite(.timeLimit(.minutes(10)))
struct StaleTests {
    @Test(arguments: [500, 502, 503, 504])
    func `if the origin fails, a stale response is returned for as long as stale-if-error allows`(status: Int) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60, stale-if-error=30", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(90)
        harness.enqueue("sorry", status: status)
        let result = try await harness.send()
        #expect(result.body == "one" && result.response.statusCode == 200 && result.age == "90")
        #expect(result.status == "NetworkCache; fwd=stale; fwd-status=\(status); ttl=-30")
        harness.time.advance(1)
        harness.enqueue("sorry", status: status)
        #expect(try await harness.send().response.statusCode == status)
        // The stored response is still present.
        harness.enqueue("", "Cache-Control: max-age=60", status: 304)
        #expect(try await harness.send().body == "one")
    }

    @Test
    func `if the origin is unreachable, a stale response is returned, with and without a validator`() async throws {
        for validator in ["Accept-Language: en", #"ETag: "1""#] {
            let harness = CacheHarness()
            harness.enqueue("one", "Cache-Control: max-age=60, stale-if-error=30", validator)
            _ = try await harness.send()
            harness.time.advance(61)
            harness.origin.enqueue(.failure(.cannotConnect))
            let result = try await harness.send()
            #expect(result.body == "one" && result.status == "NetworkCache; fwd=stale; ttl=-1; detail=cannotConnect")
        }
    }

    @Test
    func `a request or a options can allow a stale response on failure`() async throws {
        var options = CacheOptions()
        options.staleIfError = .seconds(30)
        for (options, line) in [(options, "Accept-Language: en"), (CacheOptions(), "Cache-Control: stale-if-error=30")] {
            let harness = CacheHarness(options: options)
            harness.enqueue("one", "Cache-Control: max-age=60")
            _ = try await harness.send()
            harness.time.advance(89)
            harness.origin.enqueue(.failure(.timedOut))
            #expect(try await harness.send(line).body == "one")
        }
    }

    @Test(arguments: [
        ("max-age=60, stale-if-error=30, must-revalidate", "Accept-Language: en"),
        ("max-age=60, stale-if-error=30", "Cache-Control: no-cache"),
        ("no-cache, stale-if-error=30", "Accept-Language: en"), ("max-age=60", "Accept-Language: en"),
    ])
    func `a stale response is not returned on failure if a directive forbids it`(response: String, request: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: \(response)", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(61)
        harness.origin.enqueue(.failure(.cannotConnect))
        await #expect(throws: TransportError.self) { try await harness.send(request) }
    }

    @Test
    func `a cancelled request does not receive a stale response`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60, stale-if-error=30")
        _ = try await harness.send()
        harness.time.advance(61)
        harness.origin.enqueue(.failure(.cancelled))
        let error = await #expect(throws: TransportError.self) { try await harness.send() }
        #expect(error?.code == .cancelled)
    }

    @Test(arguments: [false, true])
    func `with stale-while-revalidate, a stale response is returned while a single request revalidates it`(isStreamed: Bool)
        async throws
    {
        let gate = AsyncGate()
        let harness = CacheHarness(isStreamed: isStreamed, behind: [HeldUp(gate: gate)])
        gate.open()
        harness.enqueue("one", "Cache-Control: max-age=60, stale-while-revalidate=60", #"ETag: "1""#)
        _ = try await harness.send()
        let closed = AsyncGate()
        let stale = CacheHarness(isStreamed: isStreamed, store: harness.store, behind: [HeldUp(gate: closed)])
        stale.time.advance(90)
        for _ in 0..<5 {
            let result = try await stale.send()
            #expect(result.body == "one" && result.status == "NetworkCache; hit; ttl=-30")
        }
        await closed.waitForArrival()
        #expect(closed.arrived == 1)
        stale.enqueue("two", "Cache-Control: max-age=60, stale-while-revalidate=60", #"ETag: "2""#)
        closed.open()
        try await waitForBody("two", stale)
        #expect(stale.requestCount == 1 && stale.origin.requests[0].headers["If-None-Match"] == #""1""#)
    }

    @Test
    func `a revalidation that fails is logged, and the next request starts another one`() async throws {
        let logger = InMemoryLogger()
        let harness = CacheHarness(logger: logger)
        harness.enqueue("one", "Cache-Control: max-age=60, stale-while-revalidate=60")
        _ = try await harness.send()
        harness.time.advance(61)
        for count in 1...2 {
            harness.origin.enqueue(.failure(.cannotConnect))
            // The previous revalidation may not have ended yet.
            while logger.networkErrors.count < count {
                #expect(try await harness.send().body == "one")
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    @Test
    func `the number of concurrent revalidations is limited`() async throws {
        var options = CacheOptions()
        options.maximumRevalidations = 1
        let gate = AsyncGate()
        let harness = CacheHarness(options: options)
        for path in ["a", "b"] {
            harness.enqueue("one", "Cache-Control: max-age=1, stale-while-revalidate=60")
            _ = try await harness.send(url: "https://api.example.com/\(path)")
        }
        let stale = CacheHarness(store: harness.store, options: options, behind: [HeldUp(gate: gate)])
        stale.time.advance(2)
        for path in ["a", "b", "a", "b"] { #expect(try await stale.send(url: "https://api.example.com/\(path)").isHit) }
        await gate.waitForArrival()
        #expect(gate.arrived == 1)
        gate.open()
    }

    @Test
    func `a revalidation has a separate deadline, not that of the caller`() async throws {
        let seen = Locked<[NetworkRequest]>([])
        let harness = CacheHarness(behind: [Seeing(seen: seen)])
        harness.enqueue("one", "Cache-Control: max-age=1, stale-while-revalidate=60")
        _ = try await harness.send()
        harness.time.advance(2)
        harness.enqueue("two", "Cache-Control: max-age=9")
        var request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        request.deadline = Deadline(after: .zero, clock: ManualClock())
        #expect(try await harness.send(request).body == "one")
        try await waitForBody("two", harness)
        let deadline = try #require(seen.withLock { $0.last }?.deadline)
        #expect(deadline.limit == .seconds(600))
    }

    /// Waits until the stored response has this body.
    private func waitForBody(_ body: String, _ harness: CacheHarness) async throws {
        while try await harness.send("Cache-Control: only-if-cached").body != body {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private struct Seeing: NetworkInterceptor {
        var seen: Locked<[NetworkRequest]>

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            seen.withLock { $0.append(request) }
            return try await next(request)
        }
    }
}
