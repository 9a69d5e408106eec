import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Stored parts of the content, and their combination (RFC 9111 §3.3, §3.4).
@Suite(.timeLimit(.minutes(10)))
struct CachePartTests {
    private static let tag = #"ETag: "1""#

    /// A cache that has received a part of the content `0123456789`.
    private func harness(
        _ range: Range<Int>, _ lines: String..., of length: Int = 10, isStreamed: Bool = false
    ) async throws -> CacheHarness {
        let harness = CacheHarness(isStreamed: isStreamed)
        enqueuePart(range, lines.isEmpty ? [Self.tag] : lines, of: length, harness)
        _ = try await harness.send("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        return harness
    }

    private func enqueuePart(_ range: Range<Int>, _ lines: [String], of length: Int = 10, _ harness: CacheHarness) {
        let own = [
            "Cache-Control: max-age=60", "Content-Range: \(ContentSpan(range, of: length).field)",
            "Content-Length: \(range.count)",
        ]
        let body = Data(range.map { UInt8(0x30 + $0 % 10) })
        harness.origin.enqueue(StubResponse(status: 206, headers: HeaderFields(lines: own + lines), body: body))
    }

    @Test(arguments: [false, true])
    func `a range within a stored part is returned, and the part that adjoins it is added`(isStreamed: Bool) async throws {
        let harness = try await harness(2..<6, isStreamed: isStreamed)
        let inner = try await harness.send("Range: bytes=3-4")
        #expect(inner.isHit && inner.body == "34" && inner.response.statusCode == 206)
        #expect(inner.response.headers["Content-Range"] == "bytes 3-4/10" && inner.response.headers["Content-Length"] == "2")
        enqueuePart(6..<8, [Self.tag], harness)
        let outer = try await harness.send("Range: bytes=6-7")
        #expect(outer.body == "67" && outer.status == "NetworkCache; fwd=partial; fwd-status=206; ttl=60; stored")
        #expect(try await harness.send("Range: bytes=2-7").body == "234567")
        #expect(harness.requestCount == 2)
    }

    @Test
    func `parts that make up the whole content are a complete response`() async throws {
        let harness = try await harness(3..<10)
        enqueuePart(0..<5, [Self.tag, "X-A: new"], harness)
        _ = try await harness.send("Range: bytes=0-4")
        let whole = try await harness.send()
        #expect(whole.isHit && whole.response.statusCode == 200 && whole.body == "0123456789")
        #expect(whole.response.headers["Content-Range"] == nil && whole.response.headers["Content-Length"] == "10")
        #expect(whole.response.headers["X-A"] == "new")
        #expect(try await harness.send(method: .head).isHit)
    }

    @Test
    func `a request for all bytes, or for others, is forwarded`() async throws {
        let harness = try await harness(2..<6)
        for lines in [["Accept: */*"], ["Range: bytes=1-2"], ["Range: bytes=5-6"], ["Range: bytes=4-"], ["Range: bytes=-1"]] {
            let url = try #require(URL(string: CacheHarness.url))
            let only = lines + ["Cache-Control: only-if-cached"]
            let missing = try await harness.send(NetworkRequest(url: url, headers: HeaderFields(lines: only)))
            #expect(missing.response.statusCode == 504)
        }
        let beyond = try await harness.send("Range: bytes=10-")
        #expect(beyond.response.statusCode == 416 && beyond.response.headers["Content-Range"] == "bytes */10")
        #expect(try await harness.send(#"If-None-Match: "1""#).response.statusCode == 304)
        harness.enqueue("whole", "Cache-Control: max-age=60")
        #expect(try await harness.send().status == "NetworkCache; fwd=partial; fwd-status=200; ttl=60; stored")
        #expect(try await harness.send().body == "whole")
    }

    @Test
    func `If-Range with another validator needs the whole response`() async throws {
        let harness = try await harness(2..<6)
        #expect(try await harness.send("Range: bytes=2-3", #"If-Range: "1""#).body == "23")
        harness.enqueue("whole", "Cache-Control: max-age=60")
        #expect(try await harness.send("Range: bytes=2-3", #"If-Range: "0""#).body == "whole")
    }

    @Test(arguments: [
        (["ETag: W/\"1\""], 10), (["X-A: 1"], 10), ([tag, "Content-Encoding: gzip"], 10), ([tag], 5),
        ([tag, "Cache-Control: no-store"], 10),
    ])
    func `a part that cannot be combined is not stored`(lines: [String], length: Int) async throws {
        let harness = CacheHarness()
        enqueuePart(2..<6, lines, of: length, harness)
        #expect(try await harness.send("Range: bytes=2-5").body == "2345")
        #expect(try await harness.send("Range: bytes=2-5", "Cache-Control: only-if-cached").response.statusCode == 504)
    }

    @Test
    func `a part whose length is not that of its range is not stored`() async throws {
        let harness = CacheHarness()
        harness.enqueue("234", "Cache-Control: max-age=60", "Content-Range: bytes 2-5/10", Self.tag, status: 206)
        _ = try await harness.send("Range: bytes=2-5")
        #expect(try await harness.send("Range: bytes=2-5", "Cache-Control: only-if-cached").response.statusCode == 504)
    }

    @Test(arguments: [(7..<9, tag, 10), (6..<8, #"ETag: "2""#, 10), (6..<8, tag, 11)])
    func `a part after a gap, or of other content, replaces the stored one`(range: Range<Int>, line: String, length: Int)
        async throws
    {
        let harness = try await harness(2..<6)
        enqueuePart(range, [line], of: length, harness)
        _ = try await harness.send("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
        let new = "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"
        #expect(try await harness.send(new, "Cache-Control: only-if-cached").response.statusCode == 206)
        #expect(try await harness.send("Range: bytes=2-3", "Cache-Control: only-if-cached").response.statusCode == 504)
    }

    @Test
    func `a stale part is requested again, and renewed by the response`() async throws {
        let harness = try await harness(2..<6)
        harness.time.advance(61)
        enqueuePart(2..<4, [Self.tag], harness)
        #expect(try await harness.send("Range: bytes=2-3").status.hasPrefix("NetworkCache; fwd=stale; fwd-status=206"))
        #expect(try await harness.send("Range: bytes=2-5").isHit)
    }

    @Test
    func `a response to HEAD with another tag or length removes a part (§4.3.5)`() async throws {
        for (lines, isKept) in [
            ([Self.tag, "Content-Length: 10"], true), ([#"ETag: "2""#], false), ([Self.tag, "Content-Length: 11"], false),
        ] {
            let harness = try await harness(2..<6)
            harness.origin.enqueue(StubResponse(headers: HeaderFields(lines: ["Cache-Control: max-age=60"] + lines)))
            #expect(try await harness.send(method: .head).status.hasPrefix("NetworkCache; fwd=partial"))
            let part = try await harness.send("Range: bytes=2-5", "Cache-Control: only-if-cached")
            #expect(part.isHit == isKept)
        }
    }

    /// The model is one interval of one version of the content. A request that it does not predict fails, because the origin has no
    /// response for it.
    @Test(arguments: 0..<30)
    func `random ranges return the bytes of one version, from the cache exactly if they are stored`(seed: Int) async throws {
        let random = SharedGenerator(UInt64(seed))
        let harness = CacheHarness(isStreamed: seed % 2 == 1)
        let length = 1 + random.next(below: 40)
        func content(_ version: Int) -> Data { Data((0..<length).map { UInt8(truncatingIfNeeded: $0 * 7 + version * 31) }) }
        var version = 0
        var stored: (version: Int, range: Range<Int>)?
        for _ in 0..<80 {
            if random.next(below: 20) == 0 { version += 1 }
            let isWhole = random.next(below: 8) == 0
            let first = random.next(below: length)
            let range = isWhole ? 0..<length : first..<(first + 1 + random.next(below: length - first))
            let known = stored.flatMap { $0.range.clamped(to: range) == range ? $0.version : nil }
            if known == nil {
                let lines = ["Cache-Control: max-age=60", "ETag: \"\(version)\""]
                let ofPart = isWhole ? [] : ["Content-Range: \(ContentSpan(range, of: length).field)"]
                harness.origin.enqueue(
                    StubResponse(
                        status: isWhole ? 200 : 206, headers: HeaderFields(lines: lines + ofPart), body: content(version)[range]))
                if let old = stored, old.version == version, !isWhole, old.range.lowerBound <= range.upperBound,
                    range.lowerBound <= old.range.upperBound
                {
                    let upper = max(old.range.upperBound, range.upperBound)
                    stored = (version, min(old.range.lowerBound, range.lowerBound)..<upper)
                } else {
                    stored = (version, range)
                }
            }
            let result =
                isWhole
                ? try await harness.send() : try await harness.send("Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)")
            #expect(result.isHit == (known != nil))
            #expect(result.response.data == content(known ?? version)[range])
            #expect(result.response.statusCode == (isWhole ? 200 : 206))
        }
    }
}
