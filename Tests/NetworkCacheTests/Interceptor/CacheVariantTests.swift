import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// What a private cache may do, and what it must not do then: variants of other requests (RFC 9111 §4.3.1), the response to POST (RFC 9110
/// §9.3.3), redirects (§15.4), and requests with `no-store` or `Pragma`.
@Suite(.timeLimit(.minutes(10)))
struct CacheVariantTests {
    private let fresh = "Cache-Control: max-age=60"
    private let vary = "Vary: Accept-Language"

    private func stored() async throws -> CacheHarness {
        let harness = CacheHarness()
        for (language, tag) in [("de", "\"1\""), ("en", "\"2\""), ("fr", "W/\"3\""), ("it", nil as String?)] {
            harness.origin.enqueue(
                StubResponse(
                    headers: HeaderFields(lines: [fresh, vary] + (tag.map { ["ETag: \($0)"] } ?? [])), body: Data(language.utf8)))
            _ = try await harness.send("Accept-Language: \(language)")
        }
        return harness
    }

    @Test func `a 304 that names a variant of another request makes it the response, and a variant of this request`() async throws
    {
        let harness = try await stored()
        harness.enqueue("", "ETag: \"2\"", fresh, vary, status: 304)
        let result = try await harness.send("Accept-Language: es")
        #expect(
            result.body == "en" && result.response.statusCode == 200 && result.status.contains("fwd=vary-miss; fwd-status=304"))
        let tags = harness.origin.requests.last?.headers["If-None-Match"] ?? ""
        #expect(Set(EntityTag.list(tags).map(String.init)) == ["\"1\"", "\"2\"", "W/\"3\""])
        #expect(harness.origin.requests.last?.headers.contains("If-Modified-Since") == false)
        for (language, body) in [("es", "en"), ("en", "en"), ("de", "de"), ("fr", "fr")] {
            let hit = try await harness.send("Accept-Language: \(language)")
            #expect(hit.isHit && hit.body == body)
        }
    }

    @Test(arguments: ["ETag: \"9\"", "ETag: W/\"9\"", "X: no tag", "ETag: \"3\""])
    func `a 304 that names none of the variants is not used`(line: String) async throws {
        let harness = try await stored()
        harness.enqueue("", line, status: 304)
        harness.enqueue("es", fresh, vary)
        #expect(try await harness.send("Accept-Language: es").body == "es")
        #expect(harness.origin.requests.last?.headers.contains("If-None-Match") == false)
        #expect(try await harness.send("Accept-Language: es").isHit)
    }

    @Test func `variants are neither asked for nor used by other users, by HEAD, with conditions or with no-store`() async throws
    {
        let harness = try await stored()
        for (method, line) in [
            (RequestMethod.get, "Authorization: x"), (.head, "X-None: 1"), (.get, "If-None-Match: \"7\""),
            (.get, "Range: bytes=0-1"),
            (.get, "Cache-Control: no-store"), (.get, "If-Match: \"1\""),
        ] {
            harness.enqueue("es", vary)
            _ = try await harness.send("Accept-Language: es", line, method: method)
            let condition = harness.origin.requests.last?.headers["If-None-Match"]
            #expect(condition == (line.hasPrefix("If-None") ? "\"7\"" : nil), "\(line)")
        }
        #expect(try await harness.send("Accept-Language: es", "Cache-Control: only-if-cached").response.statusCode == 504)
    }

    @Test(arguments: [
        ("Accept-Language", "en, de", "de,EN", true), ("Accept-Encoding", "gzip, br", " br ,gzip", true),
        ("X-List", "1,2", " 1 , 2 ", true),
        ("X-List", "1, 2", "2, 1", false), ("X-List", "a", "A", false), ("X-List", #""1, 2""#, #""1,2""#, false),
        ("X-List", "1 2", "12", false),
        ("Accept-Language", "en;q=0.5, de", "de, en", false),
    ])
    func `lists that mean the same select the same variant (§4.1)`(name: String, one: String, two: String, isSame: Bool)
        async throws
    {
        let harness = CacheHarness(partition: CacheHarness.all)
        harness.enqueue("one", fresh, "Vary: \(name)")
        _ = try await harness.send("\(name): \(one)")
        harness.enqueue("two", fresh, "Vary: \(name)")
        #expect(try await harness.send("\(name):\(two)").isHit == isSame)
    }

    // MARK: POST

    @Test func `the response to a POST with its own Content-Location and a lifetime is that to a later GET`() async throws {
        let harness = CacheHarness()
        harness.enqueue("old", fresh)
        _ = try await harness.send()
        harness.enqueue("new", fresh, "Content-Location: item")
        let posted = try await harness.send("Content-Type: text/plain", method: .post)
        #expect(posted.body == "new" && posted.isStored && posted.status.contains("fwd=method"))
        let hit = try await harness.send()
        #expect(hit.isHit && hit.body == "new")
        #expect(try await !harness.send("Authorization: x", "Cache-Control: only-if-cached").isHit)
        harness.enqueue("again")
        #expect(try await harness.send(method: .post).body == "again")
        harness.enqueue("newest")
        #expect(try await harness.send().body == "newest")
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], 200, []), (["Content-Location: /item"], 200, []),
            (["Content-Location: /item", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"], 200, []),
            (["Cache-Control: max-age=60", "Content-Location: /other"], 200, []),
            (["Cache-Control: max-age=60", "Content-Location: https://evil.test/item"], 200, []),
            (["Cache-Control: max-age=60", "Content-Location: /item?a"], 200, []),
            (["Cache-Control: max-age=60", "Content-Location: /item", "Content-Location: /item"], 200, []),
            (["Cache-Control: max-age=0", "Content-Location: /item"], 200, []),
            (["Cache-Control: max-age=60, no-store", "Content-Location: /item"], 200, []),
            (["Cache-Control: max-age=60", "Content-Location: /item"], 201, []),
            (["Cache-Control: max-age=60", "Content-Location: /item"], 404, []),
            (["Cache-Control: max-age=60", "Content-Location: /item"], 200, ["Cache-Control: no-store"]),
            (["Cache-Control: max-age=60", "Content-Location: /item"], 200, ["X-HTTP-Method-Override: DELETE"]),
            (["Cache-Control: max-age=60", "Content-Location: /item", "Vary: *"], 200, []),
        ] as [([String], Int, [String])])
    func `any other response to a POST is not stored`(lines: [String], status: Int, request: [String]) async throws {
        let harness = CacheHarness()
        harness.origin.enqueue(StubResponse(status: status, headers: HeaderFields(lines: lines), body: Data("new".utf8)))
        let url = try #require(URL(string: CacheHarness.url))
        let posted = try await harness.send(NetworkRequest(method: .post, url: url, headers: HeaderFields(lines: request)))
        #expect(!posted.isStored)
        #expect(try await harness.send("Cache-Control: only-if-cached").response.statusCode == 504)
    }

    // MARK: Redirects

    private let policies: [(name: String, policy: RedirectPolicy)] = [
        ("follow", .follow), ("doNotFollow", .doNotFollow), ("keepMethod", .keepMethod), ("decide", .decide { _ in .follow }),
    ]

    private func request(_ policy: RedirectPolicy, _ method: RequestMethod = .get) throws -> NetworkRequest {
        var request = NetworkRequest(method: method, url: try #require(URL(string: CacheHarness.url)))
        request.redirects = policy
        return request
    }

    @Test(arguments: [200, 201, 204, 300, 301, 302, 303, 307, 308, 404], ["Location: /b", "X: no place"])
    func `a redirect is stored and used for requests that return redirects, other responses for all`(
        status: Int, line: String
    ) async throws {
        let isRedirect = (300..<400).contains(status) && line.hasPrefix("Location")
        for (name, first) in policies {
            for (other, second) in policies {
                let harness = CacheHarness()
                harness.enqueue("", fresh, line, status: status)
                let isStored = try await harness.send(request(first)).isStored
                #expect(isStored == (!isRedirect || name == "doNotFollow"), "\(name)")
                for method in [RequestMethod.get, .head] {
                    harness.enqueue("", "Cache-Control: no-store")
                    let result = try await harness.send(request(second, method))
                    let isUsed = isStored && (!isRedirect || other == "doNotFollow")
                    #expect(result.isHit == isUsed && result.response.statusCode == (isUsed ? status : 200), "\(name), \(other)")
                }
            }
        }
    }

    @Test func `a response replaces a stored redirect, and a redirect a stored response`() async throws {
        let harness = CacheHarness()
        harness.enqueue("moved", fresh, "Location: /b", status: 301)
        #expect(try await harness.send(request(.doNotFollow)).isStored)
        harness.enqueue("one", fresh, "ETag: \"1\"")
        #expect(try await harness.send().status.contains("fwd=uri-miss"))
        #expect(try await harness.send(request(.doNotFollow)).body == "one")
        harness.time.advance(61)
        harness.enqueue("moved", fresh, "Location: /b", status: 301)
        #expect(try await harness.send(request(.doNotFollow)).response.statusCode == 301)
        #expect(harness.origin.requests.last?.headers["If-None-Match"] == "\"1\"")
        harness.enqueue("two")
        #expect(try await harness.send().body == "two")
    }

    @Test func `a revalidation in the background does not call the caller's closure for redirects`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=1, stale-while-revalidate=60")
        _ = try await harness.send()
        harness.time.advance(2)
        harness.enqueue("two", fresh)
        #expect(try await harness.send(request(.decide { _ in .follow })).body == "one")
        while harness.requestCount < 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(harness.origin.requests.last?.redirects.followsNone == true)
    }

    // MARK: Requests

    @Test(arguments: [
        "Cache-Control: no-store", "Pragma: no-cache", "Pragma: x, no-cache", "Cache-Control: max-age =5",
        "Cache-Control: min-fresh = 1",
    ])
    func `a request that refuses stored responses receives none, and leaves the stored one`(line: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", fresh)
        _ = try await harness.send()
        harness.enqueue("two", "Cache-Control: no-store")
        #expect(try await harness.send(line).body == "two")
        #expect(harness.requestCount == 2)
        if line.contains("no-store") { #expect(try await harness.send().body == "one") }
    }

    @Test(arguments: ["Pragma: x", "Pragma: no-cache\nCache-Control: max-age=60", "Cache-Control: max-stale = 5"])
    func `other requests receive the stored response`(lines: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", fresh)
        _ = try await harness.send()
        #expect(try await harness.send(lines.split(separator: "\n").map(String.init)).isHit)
    }

    @Test(arguments: ["max-age =60", "max-age= 60", "max-age\t=\t60", "max-age = \"60\"", "no-cache = \"X-A\", max-age=60"])
    func `white space around the equals sign of a directive makes it as restrictive as possible`(control: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: \(control)", "ETag: \"1\"")
        _ = try await harness.send()
        harness.enqueue("two")
        #expect(try await harness.send().body == "two")
    }
}
