import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)))
struct CacheInterceptorTests {
    @Test(arguments: [false, true])
    func `a fresh response is returned without contacting the origin`(isStreamed: Bool) async throws {
        let harness = CacheHarness(isStreamed: isStreamed)
        harness.enqueue("one", "Cache-Control: max-age=60", "Content-Type: a/b")
        let first = try await harness.send()
        #expect(first.status == "NetworkCache; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        #expect(first.age == nil)
        harness.time.advance(10)
        let second = try await harness.send()
        #expect(second.body == "one" && second.status == "NetworkCache; hit; ttl=50")
        #expect(second.age == "10" && second.response.headers["Content-Type"] == "a/b")
        #expect(harness.requestCount == 1)
    }

    @Test(arguments: [false, true])
    func `a response that may not be stored is requested each time`(isStreamed: Bool) async throws {
        let harness = CacheHarness(isStreamed: isStreamed)
        for _ in 0..<2 {
            harness.enqueue("secret", "Cache-Control: no-store, max-age=60")
            let result = try await harness.send()
            #expect(result.status == "NetworkCache; fwd=uri-miss; fwd-status=200" && result.body == "secret")
        }
        #expect(harness.requestCount == 2)
    }

    @Test(arguments: [false, true])
    func `a stale response is validated, and a 304 makes it fresh again`(isStreamed: Bool) async throws {
        let harness = CacheHarness(isStreamed: isStreamed)
        let date = TestTime.text(-1000)
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#, "Last-Modified: \(date)", "X-A: old")
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: max-age=30", #"ETag: "1""#, "X-A: new", status: 304)
        let validated = try await harness.send()
        #expect(validated.body == "one" && validated.response.statusCode == 200 && validated.response.headers["X-A"] == "new")
        #expect(validated.status == "NetworkCache; fwd=stale; fwd-status=304; ttl=30; stored" && validated.age == "0")
        #expect(harness.origin.requests[1].headers == ["If-None-Match": #""1""#, "If-Modified-Since": date])
        harness.time.advance(29)
        #expect(try await harness.send().isHit)
        #expect(harness.requestCount == 2)
    }

    @Test
    func `a complete response to a validation replaces the stored one`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("two", "Cache-Control: max-age=60", #"ETag: "2""#)
        #expect(try await harness.send().body == "two")
        let third = try await harness.send()
        #expect(third.body == "two" && third.isHit)
    }

    @Test
    func `after a 304 for another response, the complete response is requested (§4.3.4)`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("", #"ETag: "2""#, status: 304)
        harness.enqueue("two", "Cache-Control: max-age=60", #"ETag: "2""#)
        #expect(try await harness.send().body == "two")
        #expect(!harness.origin.requests[2].headers.contains("If-None-Match"))
        #expect(try await harness.send().isHit)
    }

    @Test
    func `a 304 with no-store is used once, and the stored response is removed`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: no-store", status: 304)
        #expect(try await harness.send().body == "one")
        harness.enqueue("two", "Cache-Control: max-age=60")
        #expect(try await harness.send().status.contains("uri-miss"))
    }

    @Test
    func `a new response that may not be stored removes the old one`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("two", "Cache-Control: no-store")
        _ = try await harness.send()
        harness.enqueue("three", "Cache-Control: no-store")
        #expect(try await harness.send("Cache-Control: max-stale").body == "three")
    }

    @Test
    func `only-if-cached without a stored response is 504, and the origin is not contacted (§5.2.1.7)`() async throws {
        let harness = CacheHarness()
        let result = try await harness.send("Cache-Control: only-if-cached")
        #expect(result.response.statusCode == 504 && result.status == "NetworkCache; detail=only-if-cached")
        let part = try await harness.send("Cache-Control: only-if-cached", "Range: bytes=0-1")
        #expect(part.response.statusCode == 504)
        #expect(harness.requestCount == 0)
    }

    @Test(arguments: [
        "Range: bytes=0-0,2-2", "Range: lines=0-1", "Range: bytes=2-1", "If-Match: *", "If-Unmodified-Since: x",
    ])
    func `a request with conditions or ranges for the origin is forwarded unchanged (§4.3.2)`(line: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60")
        _ = try await harness.send()
        harness.enqueue("part", "Cache-Control: max-age=60", status: 206)
        let result = try await harness.send(line)
        #expect(result.status == "NetworkCache; fwd=bypass" && result.body == "part")
        #expect(harness.origin.requests[1].headers == HeaderFields(lines: line))
        #expect(try await harness.send().body == "one")
    }

    @Test
    func `fields that no-cache lists are not part of a hit (§5.2.2.4)`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", #"Cache-Control: max-age=60, no-cache="x-a""#, "X-A: 1", "X-B: 1")
        #expect(try await harness.send().response.headers["X-A"] == "1")
        let hit = try await harness.send()
        #expect(hit.isHit && hit.response.headers["X-A"] == nil && hit.response.headers["X-B"] == "1")
    }

    @Test
    func `variants of a response are stored separately (§4.1)`() async throws {
        let harness = CacheHarness()
        for language in ["de", "en"] {
            harness.enqueue(language, "Cache-Control: max-age=60", "Vary: Accept-Language")
            _ = try await harness.send("Accept-Language: \(language)")
        }
        #expect(harness.requestCount == 2)
        for language in ["de", "en"] {
            let result = try await harness.send("accept-language:  \(language)")
            #expect(result.body == language && result.isHit)
        }
        harness.enqueue("none", "Cache-Control: max-age=60", "Vary: Accept-Language")
        #expect(try await harness.send().status.contains("fwd=vary-miss"))
    }

    @Test
    func `equivalent URLs share a stored response`() async throws {
        let harness = CacheHarness()
        for url in [CacheHarness.url, "HTTPS://API.example.com:443/%69tem#part"] {
            let request = NetworkRequest(url: try #require(URL(string: url)))
            #expect(harness.cache.key(for: request) == CacheKey(url: request.url))
        }
        harness.enqueue("one", "Cache-Control: max-age=60")
        _ = try await harness.send()
        #expect(try await harness.send(url: "HTTPS://API.example.com:443/%69tem#part").isHit)
    }

    @Test
    func `a cache name that is not a token is quoted in Cache-Status`() async throws {
        #expect(CacheStatus(name: "a b\"\\").hit(ttl: CacheStatus.whole(1.9)) == #""a b"; hit; ttl=1"#)
        #expect(CacheStatus(name: "1a").hit(ttl: CacheStatus.whole(-0.1)) == #""1a"; hit; ttl=-1"#)
    }

    @Test
    func `the Cache-Status of an upstream cache is kept before that of this cache`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", "Cache-Status: CDN; hit")
        _ = try await harness.send()
        #expect(try await harness.send().status == "CDN; hit, NetworkCache; hit; ttl=60")
    }

    @Test
    func `moving the clock back does not extend the freshness of a response`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(-86_400)
        harness.enqueue("", "Cache-Control: max-age=60", status: 304)
        #expect(try await harness.send().body == "one")
        #expect(try await harness.send().isHit)
        #expect(harness.requestCount == 2)
    }

    @Test
    func `a response that was received after a redirect is not stored`() async throws {
        let harness = CacheHarness(behind: [Redirected()])
        for _ in 0..<2 {
            harness.enqueue("one", "Cache-Control: max-age=60")
            #expect(try await !harness.send().isStored)
        }
    }

    private struct Redirected: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var response = try await next(request)
            response.timings.redirects = 1
            return response
        }
    }

    @Test
    func `a response whose length differs from Content-Length is not stored`() async throws {
        for isStreamed in [false, true] {
            let harness = CacheHarness(isStreamed: isStreamed)
            for _ in 0..<2 {
                harness.enqueue("one", "Cache-Control: max-age=60", "Content-Length: 4")
                #expect(try await harness.send().body == "one")
            }
            #expect(harness.requestCount == 2)
        }
    }

    @Test
    func `a response is requested again after it was removed`() async throws {
        let harness = CacheHarness()
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        for selection in [.key(harness.cache.key(for: request)), .host("api.example.com"), .all] as [CacheSelection] {
            harness.enqueue("one", "Cache-Control: max-age=60")
            #expect(try await !harness.send().isHit)
            #expect(try await harness.cache.remove(selection) == 1)
        }
        harness.enqueue("one", "Cache-Control: max-age=60")
        #expect(try await !harness.send().isHit)
        harness.time.advance(5)
        #expect(try await harness.cache.remove(.storedBefore(harness.time.now.addingTimeInterval(-5))) == 0)
        #expect(try await harness.cache.remove(.storedBefore(harness.time.now)) == 1)
    }
}
