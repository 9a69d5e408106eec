import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// RFC 9111 §4.3.5.
@Suite(.timeLimit(.minutes(10)))
struct CacheHeadTests {
    @Test
    func `HEAD is served from a stored GET, without a body`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", "Content-Length: 3")
        _ = try await harness.send()
        let head = try await harness.send(method: .head)
        #expect(head.isHit && head.body == "" && head.response.headers["Content-Length"] == "3")
    }

    @Test
    func `a response to HEAD is not stored`() async throws {
        let harness = CacheHarness()
        for _ in 0..<2 {
            harness.enqueue("", "Cache-Control: max-age=60")
            #expect(try await !harness.send(method: .head).isHit)
        }
    }

    @Test
    func `a consistent response to HEAD renews the stored response`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: max-age=60", #"ETag: "1""#, "Content-Length: 3")
        #expect(try await harness.send(method: .head).status == "NetworkCache; fwd=stale; fwd-status=200")
        let get = try await harness.send()
        #expect(get.isHit && get.body == "one")
    }

    @Test(arguments: [#"ETag: "2""#, "Last-Modified: \(TestTime.text(0))", "Content-Length: 4"])
    func `an inconsistent response to HEAD removes the stored response`(line: String) async throws {
        let harness = CacheHarness()
        harness.enqueue(
            "one", "Cache-Control: max-age=60", #"ETag: "1""#, "Last-Modified: \(TestTime.text(-9))", "Content-Length: 3")
        _ = try await harness.send()
        harness.enqueue("", "Cache-Control: max-age=60", line)
        _ = try await harness.send("Cache-Control: no-cache", method: .head)
        harness.enqueue("two", "Cache-Control: max-age=60")
        #expect(try await harness.send().body == "two")
    }

    @Test
    func `a failed HEAD request does not change the stored response`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send()
        harness.enqueue("", #"ETag: "2""#, status: 500)
        _ = try await harness.send("Cache-Control: no-cache", method: .head)
        #expect(try await harness.send().isHit)
    }
}
