import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Responses to QUERY, whose content is part of the key (RFC 10008 §2.7).
@Suite(.timeLimit(.minutes(10)))
struct CacheQueryTests {
    private func query(_ body: NetworkBody?, _ lines: String..., url: String = CacheHarness.url) throws -> NetworkRequest {
        NetworkRequest(method: .query, url: try #require(URL(string: url)), headers: HeaderFields(lines: lines), body: body)
    }

    private func data(_ text: String) -> NetworkBody { .data(Data(text.utf8)) }

    @Test(arguments: [false, true])
    func `a stored response is used for a QUERY with the same content`(isOnDisk: Bool) async throws {
        let directory = try CacheDirectory()
        let harness = CacheHarness(store: isOnDisk ? try DiskCacheStore(directory: directory.place) : MemoryCacheStore())
        harness.enqueue("one", "Cache-Control: max-age=60")
        let first = try await harness.send(query(data("a"), "Content-Type: a/b"))
        #expect(first.isStored && harness.origin.requests[0].body == data("a"))
        let second = try await harness.send(query(data("a"), "content-type:  a/b"))
        #expect(second.isHit && second.body == "one")
        #expect(harness.requestCount == 1)
    }

    @Test
    func `content, the fields that describe it, and the URL distinguish requests`() async throws {
        let harness = CacheHarness()
        let other = "https://api.example.com/other"
        let requests = [
            try query(data("a"), "Content-Type: a/b"), try query(data("b"), "Content-Type: a/b"), try query(data("a")),
            try query(data("a"), "Content-Type: a/c"), try query(data("a"), "Content-Type: a/b", "Content-Encoding: gzip"),
            try query(data("a"), "Content-Type: a/b", url: other), try query(data("")),
        ]
        for round in 0..<2 {
            for (number, request) in requests.enumerated() {
                if round == 0 { harness.enqueue("\(number)", "Cache-Control: max-age=60") }
                let result = try await harness.send(request)
                #expect(result.isHit == (round == 1) && result.body == "\(number)")
            }
        }
        // Without a body, the content is empty.
        #expect(try await harness.send(query(nil)).body == "6")
    }

    @Test
    func `a response to GET is never used for QUERY, nor the other way round`() async throws {
        let harness = CacheHarness()
        harness.enqueue("get", "Cache-Control: max-age=60")
        #expect(try await harness.send().isStored)
        harness.enqueue("query", "Cache-Control: max-age=60")
        #expect(try await harness.send(query(nil)).body == "query")
        #expect(try await harness.send().body == "get")
        #expect(try await harness.send(method: .head).isHit)
        try await harness.cache.remove(.key(harness.cache.key(for: query(nil))))
        #expect(try await harness.send().isHit)
        #expect(try await harness.send(query(nil, "Cache-Control: only-if-cached")).response.statusCode == 504)
    }

    @Test
    func `the content of a file is compared, and what is compared is sent`() async throws {
        let harness = CacheHarness()
        let file = FileManager.default.temporaryDirectory.appending(path: "query-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("a".utf8).write(to: file)
        harness.enqueue("one", "Cache-Control: max-age=60")
        #expect(try await harness.send(query(.file(file))).isStored)
        #expect(harness.origin.requests[0].body == data("a"))
        #expect(try await harness.send(query(data("a"))).isHit)
        try Data("b".utf8).write(to: file)
        harness.enqueue("two", "Cache-Control: max-age=60")
        #expect(try await harness.send(query(.file(file))).body == "two")
    }

    @Test
    func `a QUERY whose content cannot be part of the key is forwarded, and its response is not stored`() async throws {
        let harness = CacheHarness()
        let long = Data(count: CacheInterceptor.maximumContentBytes + 1)
        let bodies: [NetworkBody] = [
            .stream(length: 1) { AsyncStream { $0.finish() } }, .data(long), .file(URL(filePath: "/missing/file")),
        ]
        for body in bodies {
            for _ in 0..<2 {
                harness.enqueue("one", "Cache-Control: max-age=60")
                #expect(try await harness.send(query(body)).status == "NetworkCache; fwd=bypass")
            }
        }
        #expect(harness.requestCount == 2 * bodies.count)
        harness.enqueue("one", "Cache-Control: max-age=60")
        let longest = try query(.data(long.dropLast()))
        #expect(try await harness.send(longest).isStored)
        #expect(try await harness.send(longest).isHit)
    }

    @Test
    func `a stale response is validated with the content and its entity tag (RFC 10008 §2.6)`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60", #"ETag: "1""#)
        _ = try await harness.send(query(data("a")))
        harness.time.advance(61)
        harness.enqueue("", "Cache-Control: max-age=60", #"ETag: "1""#, status: 304)
        #expect(try await harness.send(query(data("a"))).body == "one")
        let sent = harness.origin.requests[1]
        #expect(sent.method == .query && sent.body == data("a") && sent.headers == ["If-None-Match": #""1""#])
        #expect(try await harness.send(query(data("a"))).isHit)
    }

    @Test
    func `an unsafe request to the URL invalidates all of its responses, and a QUERY invalidates nothing (§4.4)`() async throws {
        let harness = CacheHarness()
        harness.enqueue("get", "Cache-Control: max-age=60")
        _ = try await harness.send()
        for text in ["a", "b"] {
            harness.enqueue(text, "Cache-Control: max-age=60")
            _ = try await harness.send(query(data(text)))
        }
        #expect(try await harness.send().isHit)
        harness.enqueue("")
        _ = try await harness.send(method: .put)
        for request in [
            try query(data("a"), "Cache-Control: only-if-cached"), try query(data("b"), "Cache-Control: only-if-cached"),
        ] {
            #expect(try await harness.send(request).response.statusCode == 504)
        }
    }

    @Test
    func `a response is not stored if the content was changed behind the cache`() async throws {
        struct Change: NetworkInterceptor {
            func intercept(_ request: NetworkRequest, next: NetworkExchange) async throws(TransportError) -> NetworkResponse {
                var request = request
                request.body = .data(Data("other".utf8))
                return try await next(request)
            }
        }
        let harness = CacheHarness(behind: [Change()])
        harness.enqueue("one", "Cache-Control: max-age=60")
        _ = try await harness.send(query(data("a")))
        #expect(try await harness.send(query(data("a"), "Cache-Control: only-if-cached")).response.statusCode == 504)
    }

    /// The oracle is the set of requests that were sent.
    @Test(arguments: 0..<20)
    func `random requests are hits exactly if the same one was sent before`(seed: Int) async throws {
        let random = SharedGenerator(UInt64(seed))
        let harness = CacheHarness()
        var stored: [[Int]: String] = [:]
        for number in 0..<60 {
            let choice = [2, 2, 2, 3].map { random.next(below: $0) }
            let isQuery = choice[0] == 1
            var request = try query(nil, url: "https://api.example.com/\(choice[1])")
            if isQuery {
                request.headers["Content-Type"] = "a/\(choice[2])"
                request.body = .data(Data(repeating: 0x61, count: choice[3]))
            } else {
                request.method = .get
            }
            let expected = stored[isQuery ? choice : Array(choice[..<2])]
            if expected == nil {
                harness.enqueue("\(number)", "Cache-Control: max-age=60")
                stored[isQuery ? choice : Array(choice[..<2])] = "\(number)"
            }
            let result = try await harness.send(request)
            #expect(result.isHit == (expected != nil) && result.body == expected ?? "\(number)")
        }
    }
}
