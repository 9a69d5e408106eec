import Endpoints
import Foundation
import NetworkSupport
import NetworkTesting
import Testing

@testable import NetworkCache
@_spi(SessionManagers) @testable import NetworkTransport

@Suite(.timeLimit(.minutes(10)))
struct StreamedCacheTests {
    /// A session that responds with chunks, and counts how many of them were read.
    private struct Chunks: NetworkSessionManager {
        var chunks: [String]
        var failure: TransportError?
        /// Each call is that of another service.
        let identity = SessionIdentity.standard
        let taken = Locked(0)
        let stopped = Locked(0)
        let requestCount = Locked(0)

        func response(for request: NetworkRequest) async throws(TransportError) -> NetworkResponse {
            requestCount.withLock { $0 += 1 }
            request.report(.sent(request, ago: .zero))
            let body = NetworkBody { () async throws(TransportError) in
                let index = taken.withLock { taken in
                    taken += 1
                    return taken - 1
                }
                if index < chunks.count { return Data(chunks[index].utf8) }
                if let failure, index == chunks.count { throw failure }
                return nil
            } end: {
                StreamEnd(trailers: ["X-Sum": "1"], timings: TransferTimings())
            } stop: {
                stopped.withLock { $0 += 1 }
            }
            return NetworkResponse(statusCode: 200, headers: ["Cache-Control": "max-age=60"], body: body, url: request.url)
        }
    }

    private let url = URL(string: CacheHarness.url) ?? URL(filePath: "/")

    private func stream(_ cache: CacheInterceptor, _ session: Chunks) async throws -> NetworkResponse {
        try await InterceptedSession(interceptors: [cache], session: session).stream(for: NetworkRequest(url: url))
    }

    @Test
    func `a streamed body is stored when it was read to its end, and no chunk is read ahead`() async throws {
        let cache = CacheInterceptor()
        let session = Chunks(chunks: ["a", "b", "c"])
        let response = try await stream(cache, session)
        #expect(session.taken.withLock { $0 } == 0)
        var iterator = response.body.makeAsyncIterator()
        for (index, chunk) in ["a", "b", "c"].enumerated() {
            #expect(try await iterator.next() == Data(chunk.utf8))
            #expect(session.taken.withLock { $0 } == index + 1)
            #expect(try await stored(cache) == nil)
        }
        #expect(try await iterator.next() == nil)
        #expect(try await stored(cache)?.body == Data("abc".utf8))
        #expect(response.trailers == ["X-Sum": "1"])
        let hit = try await stream(cache, session)
        #expect(try await hit.body.collected() == Data("abc".utf8))
        #expect(session.requestCount.withLock { $0 } == 1)
        #expect(try await stored(cache)?.headers.contains("X-Sum") == false)
    }

    @Test
    func `an incomplete body is never stored`() async throws {
        let cache = CacheInterceptor()
        let broken = Chunks(chunks: ["a"], failure: TransportError(.incompleteBody, "too short"))
        let body = try await stream(cache, broken).body
        await #expect(throws: TransportError.self) { try await body.collected() }
        // Reading after a failure does not make the body complete.
        #expect(try await body.collected().isEmpty)
        #expect(try await stored(cache) == nil)
        let session = Chunks(chunks: ["a", "b"])
        do {
            var iterator = try await stream(cache, session).body.makeAsyncIterator()
            _ = try await iterator.next()
        }
        #expect(try await stored(cache) == nil)
        #expect(session.stopped.withLock { $0 } == 1)
    }

    @Test
    func `a body that exceeds the limit for one entry is delivered completely, but not stored`() async throws {
        for limit in [1, 2000] {
            var limits = CacheStoreLimits.memory
            limits.maximumEntryBytes = limit
            let cache = CacheInterceptor(store: MemoryCacheStore(limits: limits))
            let text = String(repeating: "x", count: 1500)
            let response = try await stream(cache, Chunks(chunks: [text, text]))
            #expect(try await response.body.collected().count == 3000)
            #expect(try await stored(cache) == nil)
        }
    }

    @Test
    func `a body whose reader is cancelled is not stored`() async throws {
        let cache = CacheInterceptor()
        let session = Chunks(chunks: ["a", "b"])
        let response = try await stream(cache, session)
        let task = Task {
            var iterator = response.body.makeAsyncIterator()
            _ = try await iterator.next()
            withUnsafeCurrentTask { $0?.cancel() }
            return try await iterator.next()
        }
        _ = await task.result
        #expect(session.stopped.withLock { $0 } == 1)
        #expect(try await stored(cache) == nil)
    }

    private func stored(_ cache: CacheInterceptor) async throws -> StoredResponse? {
        try await cache.store.entries(for: CacheKey(url: url)).first?.response
    }
}
