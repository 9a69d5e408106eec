import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkEngine
@testable import NetworkTransport

/// Which stored response a 304 response updates (RFC 9111 §4.3.4).
@Suite(.timeLimit(.minutes(10)))
struct CacheUpdateTests {
    private static let modified = "Last-Modified: \(TestTime.text(-900))"

    /// A cache with a stale response with these validators.
    private func harness(_ validators: String...) async throws -> CacheHarness {
        let harness = CacheHarness()
        harness.origin.enqueue(
            StubResponse(headers: HeaderFields(lines: ["Cache-Control: max-age=60"] + validators), body: Data("one".utf8)))
        _ = try await harness.send()
        harness.time.advance(61)
        return harness
    }

    @Test(arguments: [
        (modified, #"ETag: "1""#), (#"ETag: W/"1""#, #"ETag: "1""#), (#"ETag: "1""#, #"ETag: "2""#),
        (modified, "Last-Modified: \(TestTime.text(-90))"), (#"ETag: "1""#, modified),
    ])
    func `after a 304 with other validators, the request is sent again without conditions`(stored: String, sent: String)
        async throws
    {
        let harness = try await harness(stored)
        harness.enqueue("", "Cache-Control: max-age=600", "X-A: new", sent, status: 304)
        harness.enqueue("two", "Cache-Control: max-age=60", sent)
        let result = try await harness.send()
        #expect(result.body == "two" && result.response.headers["X-A"] == nil)
        #expect(harness.requestCount == 3 && harness.origin.requests[2].headers.isEmpty)
        #expect(try await harness.send().body == "two")
    }

    @Test
    func `a 304 to the request without conditions is returned, and the stored response is removed`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        for _ in 0..<2 { harness.enqueue("", #"ETag: "2""#, status: 304) }
        #expect(try await harness.send().response.statusCode == 304)
        #expect(harness.requestCount == 3)
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale").response.statusCode == 504)
    }

    @Test
    func `a response that is known to be outdated is not returned when the origin fails then`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        harness.enqueue("", #"ETag: "2""#, status: 304)
        harness.enqueue("sorry", status: 503)
        #expect(try await harness.send("Cache-Control: stale-if-error=600").body == "sorry")
    }

    @Test
    func `a weak tag of the 304 confirms a strong tag, and without validators the 304 confirms the condition`() async throws {
        for line in [#"ETag: W/"1""#, "X-A: 1"] {
            let harness = try await harness(#"ETag: "1""#)
            harness.enqueue("", "Cache-Control: max-age=60", line, status: 304)
            #expect(try await harness.send().body == "one")
            #expect(try await harness.send().isHit)
            #expect(harness.requestCount == 2)
        }
    }

    @Test
    func `a 304 to a HEAD request of the caller updates the stored response it names (§4.3.5)`() async throws {
        for (tag, isUpdated) in [(#""1""#, true), (#""2""#, false)] {
            let harness = try await harness(#"ETag: "1""#)
            harness.enqueue("", "Cache-Control: max-age=60", "ETag: \(tag)", "X-A: new", status: 304)
            let head = try await harness.send("If-None-Match: \(tag)", method: .head)
            #expect(head.response.statusCode == 304 && head.status == "NetworkCache; fwd=stale; fwd-status=304")
            let stored = try await harness.send("Cache-Control: only-if-cached, max-stale")
            #expect(stored.body == "one" && stored.response.headers["X-A"] == (isUpdated ? "new" : nil))
            #expect(stored.status == "NetworkCache; hit; ttl=\(isUpdated ? 60 : -1)")
        }
    }

    @Test
    func `a 304 with no-store to a HEAD request removes the stored response it names`() async throws {
        let harness = try await harness(#"ETag: "1""#)
        harness.enqueue("", "Cache-Control: no-store", #"ETag: "1""#, status: 304)
        _ = try await harness.send(#"If-None-Match: "1""#, method: .head)
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale").response.statusCode == 504)
    }

    @Test
    func `a response to HEAD with a validator that the stored response lacks removes it (§4.3.5)`() async throws {
        let harness = try await harness(Self.modified)
        harness.enqueue("", "Cache-Control: max-age=60", #"ETag: "1""#, Self.modified)
        _ = try await harness.send(method: .head)
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale").response.statusCode == 504)
    }

    @Test
    func `a tag with a control character is not used as a condition (RFC 9110 §8.8.3)`() async throws {
        let harness = try await harness("ETag: \"a\u{1}\"")
        harness.enqueue("two", "Cache-Control: max-age=60")
        #expect(try await harness.send().body == "two")
        #expect(harness.origin.requests[1].headers.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a tag keeps its bytes in the request, also if they are not UTF-8 (RFC 9110 §8.8.3)`(isOnDisk: Bool) async throws {
        let tag = HeaderFields.Field(name: "ETag", received: [UInt8(ascii: "\""), 0xFC, UInt8(ascii: "\"")])
        #expect(tag.isLatin1 && tag.value == "\"ü\"")
        let conditions = Locked<[HeaderFields.Field]>([])
        let server = try LoopbackServer { request in
            let own = request.headers.filter { $0.name.lowercased() == "if-none-match" }
            conditions.withLock { $0 += own }
            let headers = HeaderFields([tag, HeaderFields.Field(name: "Cache-Control", value: "max-age=0")])
            return LoopbackResponse(status: own.isEmpty ? 200 : 304, headers: headers, body: Data("one".utf8))
        }
        defer { server.stop() }
        let directory = try CacheDirectory()
        let store: any CacheStore = isOnDisk ? try DiskCacheStore(directory: directory.place) : MemoryCacheStore()
        let session = InterceptedSession(interceptors: [CacheInterceptor(store: store)], session: SocketSessionManager())
        for _ in 0..<2 {
            #expect(try await session.response(for: NetworkRequest(url: server.url)).data == Data("one".utf8))
        }
        #expect(conditions.withLock { $0.map(\.bytes) } == [tag.bytes])
    }
}
