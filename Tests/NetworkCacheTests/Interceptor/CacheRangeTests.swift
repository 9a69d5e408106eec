import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Ranges of bytes from a complete stored response (RFC 9110 §14, RFC 9111 §3.3, §3.4).
@Suite(.timeLimit(.minutes(10)))
struct CacheRangeTests {
    private static let modified = "Last-Modified: \(TestTime.text(-900))"

    /// A cache with a response of ten bytes that is fresh for a minute.
    private func harness(_ lines: String..., status: Int = 200, isStreamed: Bool = false) async throws -> CacheHarness {
        let harness = CacheHarness(isStreamed: isStreamed)
        let headers = HeaderFields(lines: ["Cache-Control: max-age=60", "Content-Type: a/b"] + lines)
        harness.origin.enqueue(StubResponse(status: status, headers: headers, body: Data("0123456789".utf8)))
        _ = try await harness.send()
        return harness
    }

    @Test(
        arguments: [
            ("bytes=0-0", "0", "bytes 0-0/10"), ("bytes=3-", "3456789", "bytes 3-9/10"), ("bytes=-2", "89", "bytes 8-9/10"),
            ("bytes=2-99", "23456789", "bytes 2-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
        ], [false, true])
    func `a range of a stored response is returned with 206`(
        row: (range: String, body: String, content: String), isStreamed: Bool
    ) async throws {
        let harness = try await harness(#"ETag: "1""#, isStreamed: isStreamed)
        harness.time.advance(10)
        let part = try await harness.send("Range: \(row.range)")
        #expect(part.response.statusCode == 206 && part.body == row.body && part.isHit && part.age == "10")
        #expect(part.response.headers["Content-Range"] == row.content)
        #expect(part.response.headers["Content-Length"] == "\(row.body.utf8.count)")
        #expect(part.response.headers["ETag"] == #""1""# && part.response.headers["Content-Type"] == "a/b")
        #expect(harness.requestCount == 1)
        #expect(try await harness.send().body == "0123456789")
    }

    @Test(arguments: ["bytes=10-", "bytes=-0"])
    func `a range beyond the content is 416 with the length (RFC 9110 §15.5.17)`(range: String) async throws {
        let harness = try await harness()
        let result = try await harness.send("Range: \(range)")
        #expect(result.response.statusCode == 416 && result.body == "" && result.isHit)
        #expect(result.response.headers["Content-Range"] == "bytes */10" && result.response.headers["Content-Type"] == nil)
    }

    @Test(
        arguments: [
            (#""1""#, true), (#"W/"1""#, false), (#""2""#, false), (TestTime.text(-900), true), (TestTime.text(-901), false),
            ("x", false),
        ])
    func `If-Range selects the part only if it names the stored response (RFC 9110 §13.1.5)`(validator: String, isPart: Bool)
        async throws
    {
        let harness = try await harness(#"ETag: "1""#, Self.modified)
        let result = try await harness.send("Range: bytes=1-2", "If-Range: \(validator)")
        #expect(result.isHit && result.response.statusCode == (isPart ? 206 : 200))
        #expect(result.body == (isPart ? "12" : "0123456789"))
    }

    @Test(arguments: [
        [#"ETag: W/"1""#, #"If-Range: W/"1""#],
        ["Last-Modified: \(TestTime.text(-59))", "If-Range: \(TestTime.text(-59))"],
    ])
    func `If-Range with a weak validator selects the whole response (§13.1.5)`(lines: [String]) async throws {
        let harness = try await harness(lines[0])
        #expect(try await harness.send("Range: bytes=1-2", lines[1]).body == "0123456789")
        #expect(try await harness.send(lines[1]).body == "0123456789")
    }

    @Test
    func `conditions are evaluated before the range (RFC 9110 §13.2.2)`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        let same = try await harness.send("Range: bytes=1-2", #"If-None-Match: "1""#)
        #expect(same.response.statusCode == 304)
        let other = try await harness.send("Range: bytes=1-2", #"If-None-Match: "2""#)
        #expect(other.response.statusCode == 206 && other.body == "12")
    }

    @Test
    func `a range does not apply to HEAD and to stored errors (RFC 9110 §14.2)`() async throws {
        let head = try await harness().send("Range: bytes=1-2", method: .head)
        #expect(head.isHit && head.response.statusCode == 200 && head.response.headers["Content-Range"] == nil)
        let error = try await harness(status: 404).send("Range: bytes=1-2")
        #expect(error.isHit && error.response.statusCode == 404 && error.body == "0123456789")
    }

    @Test
    func `the last bytes of empty content are the empty content (RFC 9110 §14.1.2)`() async throws {
        let harness = CacheHarness()
        harness.enqueue("", "Cache-Control: max-age=60")
        _ = try await harness.send()
        #expect(try await harness.send("Range: bytes=-5").response.statusCode == 200)
        #expect(try await harness.send("Range: bytes=0-").response.statusCode == 416)
    }

    @Test
    func `a range of a response in a content coding is forwarded, because the stored body is decoded`() async throws {
        let harness = try await harness("Content-Encoding: gzip")
        harness.enqueue("part", "Cache-Control: max-age=60", "Content-Range: bytes 1-4/9", status: 206)
        let part = try await harness.send("Range: bytes=1-4")
        #expect(part.body == "part" && part.status == "NetworkCache; fwd=bypass")
        #expect(try await harness.send("Range: bytes=1-4", "Cache-Control: only-if-cached").response.statusCode == 504)
    }

    @Test
    func `without a stored response, a range is forwarded, and only a complete response is stored (RFC 9111 §3.3)`() async throws
    {
        let harness = CacheHarness()
        harness.enqueue("12", "Cache-Control: max-age=60", "Content-Range: bytes 1-2/10", status: 206)
        let part = try await harness.send("Range: bytes=1-2")
        #expect(part.status == "NetworkCache; fwd=uri-miss; fwd-status=206" && part.body == "12")
        #expect(harness.origin.requests[0].headers == ["Range": "bytes=1-2"])
        harness.enqueue("", "Cache-Control: max-age=60", "Content-Range: bytes */10", status: 416)
        #expect(try await harness.send("Range: bytes=10-").response.statusCode == 416)
        harness.enqueue("0123456789", "Cache-Control: max-age=60")
        #expect(try await harness.send("Range: bytes=1-2").isStored)
        #expect(try await harness.send("Range: bytes=1-2").body == "12")
        #expect(harness.requestCount == 3)
    }

    @Test
    func `a range of a stale response is forwarded, and the part renews the stored response (§3.4)`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        harness.time.advance(61)
        harness.enqueue("12", "Content-Range: bytes 1-2/10", #"ETag: "1""#, status: 206)
        let part = try await harness.send("Range: bytes=1-2")
        #expect(part.status == "NetworkCache; fwd=stale; fwd-status=206; ttl=0; stored" && part.body == "12")
        #expect(harness.origin.requests[1].headers == ["Range": "bytes=1-2"])
        let renewed = try await harness.send()
        #expect(renewed.body == "0123456789" && renewed.isHit && renewed.response.statusCode == 200)
    }
}
