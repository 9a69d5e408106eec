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
struct CachePartitionTests {
    @Test(arguments: ["Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"])
    func `a response is never returned to a request with another credential`(name: String) async throws {
        let harness = CacheHarness()
        for value in ["one", "two", nil] {
            harness.enqueue(value ?? "nobody", "Cache-Control: public, max-age=60")
            let lines = value.map { ["\(name): \($0)"] } ?? []
            let url = try #require(URL(string: CacheHarness.url))
            #expect(
                try await harness.send(NetworkRequest(url: url, headers: HeaderFields(lines: lines))).body == value ?? "nobody")
        }
        #expect(try await harness.send("\(name): one").body == "one")
        #expect(try await harness.send("\(name): two").body == "two")
        #expect(try await harness.send().body == "nobody")
        #expect(harness.requestCount == 3)
    }

    @Test(arguments: [false, true])
    func `before authentication, responses are not stored, because the cache cannot see the credential`(isStreamed: Bool)
        async throws
    {
        let credential = Locked("one")
        let harness = CacheHarness(isStreamed: isStreamed, behind: [authentication { credential.withLock { $0 } }])
        harness.enqueue("for one", "Cache-Control: max-age=60", #"ETag: "1""#)
        #expect(try await harness.send().body == "for one")
        credential.withLock { $0 = "two" }
        harness.enqueue("for two", "Cache-Control: max-age=60", #"ETag: "1""#)
        let second = try await harness.send()
        #expect(second.body == "for two" && second.status == "NetworkCache; fwd=uri-miss; fwd-status=200")
    }

    @Test
    func `a 304 to a request that was authenticated behind the cache does not renew a response stored without credentials`()
        async throws
    {
        let plain = CacheHarness()
        plain.enqueue("for nobody", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await plain.send()
        let harness = CacheHarness(store: plain.store, behind: [authentication { "one" }])
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: max-age=60", status: 304)
        harness.enqueue("for one", "Cache-Control: max-age=60")
        let result = try await harness.send()
        #expect(result.body == "for one" && !result.isStored)
        #expect(!harness.origin.requests[1].headers.contains("If-None-Match"))
    }

    @Test
    func `before authentication, named partitions separate users and stay valid when a token changes`() async throws {
        let user = Locked((name: "one", token: "a"))
        let harness = CacheHarness(
            partition: { _ in CachePartition(named: user.withLock { $0.name }) },
            behind: [authentication { user.withLock { $0.token } }])
        harness.enqueue("for one", "Cache-Control: max-age=60", "Vary: Authorization")
        _ = try await harness.send()
        user.withLock { $0.token = "b" }
        #expect(try await harness.send().body == "for one")
        user.withLock { $0 = ("two", "c") }
        harness.enqueue("for two", "Cache-Control: max-age=60")
        #expect(try await harness.send().body == "for two")
        #expect(try await harness.cache.remove(.partition(CachePartition(named: "one"))) == 1)
        #expect(try await harness.send().isHit)
    }

    @Test
    func `behind authentication, each credential has a separate partition`() async throws {
        let credential = Locked("one")
        let cache = CacheInterceptor()
        let origin = StubSessionManager()
        origin.route { request in
            StubResponse(headers: ["Cache-Control": "max-age=60"], body: Data((request.headers["Authorization"] ?? "").utf8))
        }
        let chain = InterceptedSession(
            interceptors: [authentication { credential.withLock { $0 } }, cache], session: origin)
        let request = NetworkRequest(url: try #require(URL(string: CacheHarness.url)))
        for (token, requestCount) in [("one", 1), ("two", 2), ("one", 2), ("two", 2)] {
            credential.withLock { $0 = token }
            #expect(try await chain.response(for: request).data == Data("Bearer \(token)".utf8))
            #expect(origin.requests.count == requestCount)
        }
    }

    @Test
    func `a response from an interceptor that sent no request is not stored`() async throws {
        let harness = CacheHarness(behind: [Canned()])
        #expect(try await !harness.send().isStored)
        #expect(try await !harness.send().isHit)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `a response to another URL than the requested one is not stored`(isSent: Bool, changesResponse: Bool) async throws {
        let harness = CacheHarness(behind: [Elsewhere(isSent: isSent, changesResponse: changesResponse)])
        harness.enqueue("one", "Cache-Control: max-age=60")
        #expect(try await !harness.send().isStored)
    }

    @Test
    func `a response is not stored if a field that Vary names was added behind the cache`() async throws {
        let harness = CacheHarness(behind: [Language()])
        harness.enqueue("one", "Cache-Control: max-age=60", "Vary: Accept-Language")
        #expect(try await !harness.send().isStored)
        harness.enqueue("two", "Cache-Control: max-age=60", "Vary: Accept")
        #expect(try await harness.send().isStored)
    }

    @Test
    func `a hit does not reach the interceptors behind the cache`() async throws {
        let events = Locked(0)
        let pipeline = RequestPipeline { $0.observation = .observation { _ in events.withLock { $0 += 1 } } }
        let harness = CacheHarness(behind: pipeline.interceptors)
        harness.enqueue("one", "Cache-Control: max-age=60")
        #expect(try await harness.send().isStored)
        let count = events.withLock { $0 }
        #expect(try await harness.send().isHit)
        #expect(count > 0 && events.withLock { $0 } == count)
    }

    private func authentication(_ token: @escaping @Sendable () -> String) -> CredentialInterceptor {
        CredentialInterceptor(origins: [URL(string: "https://api.example.com")].compactMap { $0 }) { _ in .bearer(token()) }
    }

    private struct Canned: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            NetworkResponse(statusCode: 200, headers: ["Cache-Control": "max-age=60"], url: request.url)
        }
    }

    private struct Elsewhere: NetworkInterceptor {
        var isSent: Bool
        var changesResponse: Bool

        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var other = request
            other.url.append(path: "else")
            var response = try await next(isSent ? other : request)
            response.url = changesResponse ? other.url : request.url
            return response
        }
    }

    private struct Language: NetworkInterceptor {
        func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
            var request = request
            request.headers["Accept-Language"] = "de"
            return try await next(request)
        }
    }
}
