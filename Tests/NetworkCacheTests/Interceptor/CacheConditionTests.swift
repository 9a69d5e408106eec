import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Conditions of the caller (RFC 9111 §4.3.2, RFC 9110 §13).
@Suite(.timeLimit(.minutes(10)))
struct CacheConditionTests {
    private static let modified = "Last-Modified: \(TestTime.text(-900))"

    /// A cache with a response that is fresh for a minute.
    private func harness(_ lines: String..., status: Int = 200, isStreamed: Bool = false) async throws -> CacheHarness {
        let harness = CacheHarness(isStreamed: isStreamed)
        let headers = HeaderFields(lines: ["Cache-Control: max-age=60", "Content-Type: a/b", "Content-Length: 3"] + lines)
        harness.origin.enqueue(StubResponse(status: status, headers: headers, body: Data("one".utf8)))
        _ = try await harness.send()
        harness.time.advance(10)
        return harness
    }

    @Test(
        arguments: [
            ([#"If-None-Match: "1""#], true), ([#"If-None-Match: W/"1""#], true), ([#"If-None-Match: "0,", "1""#], true),
            ([#"If-None-Match: "0""#, #"If-None-Match: "1""#], true), (["If-None-Match: *"], true),
            ([#"If-None-Match: "2""#], false),
            (["If-None-Match: "], false), (["If-Modified-Since: \(TestTime.text(-900))"], true),
            (["If-Modified-Since: \(TestTime.text(-899))"], true), (["If-Modified-Since: \(TestTime.text(-901))"], false),
            (["If-Modified-Since: then"], false),
            // `If-None-Match` takes precedence (RFC 9110 §13.1.3).
            ([#"If-None-Match: "2""#, "If-Modified-Since: \(TestTime.text(0))"], false),
            ([#"If-None-Match: "1""#, "If-Modified-Since: \(TestTime.text(-901))"], true),
        ] as [([String], Bool)], [RequestMethod.get, .head])
    func `a condition is evaluated against a stored response that is fresh (§4.3.2)`(
        row: (lines: [String], isSame: Bool), method: RequestMethod
    ) async throws {
        for isStreamed in [false, true] {
            let harness = try await harness(#"ETag: "1""#, Self.modified, isStreamed: isStreamed)
            let url = try #require(URL(string: CacheHarness.url))
            let result = try await harness.send(
                NetworkRequest(method: method, url: url, headers: HeaderFields(lines: row.lines)))
            #expect(result.isHit && result.age == "10" && harness.requestCount == 1)
            #expect(result.response.statusCode == (row.isSame ? 304 : 200))
            #expect(result.body == (row.isSame || method == .head ? "" : "one"))
            #expect(result.response.headers["ETag"] == #""1""#)
            #expect(result.response.headers.contains("Content-Type") == !row.isSame)
        }
    }

    @Test
    func `without Last-Modified, the date of the stored response is compared`() async throws {
        let harness = try await harness()
        for (seconds, status) in [(-1, 200), (0, 304), (1, 304)] {
            let result = try await harness.send("If-Modified-Since: \(TestTime.text(seconds))")
            #expect(result.response.statusCode == status && result.isHit)
        }
    }

    @Test
    func `a condition does not apply to a stored error (RFC 9110 §13.2.1)`() async throws {
        let harness = try await harness(#"ETag: "1""#, status: 404)
        #expect(try await harness.send("If-None-Match: *").response.statusCode == 404)
    }

    @Test
    func `without a fresh response, conditions are forwarded unchanged, and a complete response is stored`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        let first = try await harness.send(#"If-None-Match: "0""#)
        #expect(first.body == "one" && first.status == "NetworkCache; fwd=uri-miss; fwd-status=200; ttl=60; stored")
        #expect(harness.origin.requests[0].headers == ["If-None-Match": #""0""#])
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: max-age=60", #"ETag: "0""#, status: 304)
        let second = try await harness.send(#"If-None-Match: "0""#)
        #expect(second.response.statusCode == 304 && second.status == "NetworkCache; fwd=stale; fwd-status=304")
        #expect(harness.origin.requests[1].headers == ["If-None-Match": #""0""#])
        // It named another response than the stored one, which is validated.
        harness.enqueue("", "Cache-Control: max-age=60", #"ETag: "1""#, status: 304)
        #expect(try await harness.send().body == "one")
        #expect(harness.origin.requests[2].headers == ["If-None-Match": #""1""#])
    }

    @Test
    func `a 304 to a condition of the caller updates the stored response that it names (§4.3.4)`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        harness.time.advance(51)
        harness.enqueue("", "Cache-Control: max-age=60", #"ETag: "1""#, status: 304)
        #expect(try await harness.send(#"If-None-Match: "1""#).response.statusCode == 304)
        let stored = try await harness.send()
        #expect(stored.isHit && stored.body == "one")
    }

    @Test
    func `an error response to a condition is not stored, and the stored response remains`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        harness.time.advance(51)
        harness.enqueue("gone", "Cache-Control: max-age=60", status: 412)
        #expect(try await harness.send(#"If-None-Match: "1""#).body == "gone")
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale").body == "one")
    }

    @Test
    func `if the origin fails, a condition is evaluated against the stale response (RFC 5861 §4)`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        harness.time.advance(51)
        harness.origin.enqueue(.failure(.cannotConnect))
        let result = try await harness.send(#"If-None-Match: "1""#, "Cache-Control: stale-if-error=60")
        #expect(result.response.statusCode == 304 && result.status == "NetworkCache; fwd=stale; ttl=-1; detail=cannotConnect")
    }

    @Test
    func `a revalidation in the background does not contain the conditions and the range of the caller`() async throws {
        for line in [#"If-None-Match: "0""#, "Range: bytes=0-1"] {
            let harness = CacheHarness()
            harness.enqueue("one", "Cache-Control: max-age=60, stale-while-revalidate=60", #"ETag: "1""#)
            _ = try await harness.send()
            harness.time.advance(61)
            harness.enqueue("two", "Cache-Control: max-age=60", #"ETag: "2""#)
            #expect(try await harness.send(line).body.hasPrefix("on"))
            while try await harness.send("Cache-Control: only-if-cached").body != "two" {
                try Task.checkCancellation()
                await Task.yield()
            }
            #expect(harness.origin.requests[1].headers == ["If-None-Match": #""1""#])
        }
    }
}
