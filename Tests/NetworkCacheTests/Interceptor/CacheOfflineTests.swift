import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Stale responses that only a later request permits (RFC 9111 §4.2.4, §5.2.1.2, RFC 5861 §4).
@Suite(.timeLimit(.minutes(10)))
struct CacheOfflineTests {
    private static let responses = [
        "Content-Type: text/plain", "Cache-Control: max-age=60", "Cache-Control: max-age=0", "Expires: 0",
        "Cache-Control: public", "Cache-Control: max-age=60, stale-while-revalidate=9",
    ]

    @Test(arguments: responses)
    func `a response without a validator is returned offline after it has expired`(line: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", line)
        _ = try await harness.send()
        harness.time.advance(86_400)
        let offline = try await harness.send("Cache-Control: only-if-cached, max-stale")
        #expect(offline.body == "one" && offline.isHit && offline.age == "86400")
        #expect(try await harness.send("Cache-Control: only-if-cached").response.statusCode == 504)
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale=9").response.statusCode == 504)
        #expect(harness.requestCount == 1)
        // Without a permission it is requested again.
        harness.enqueue("two", line)
        #expect(try await harness.send().body == "two")
    }

    @Test(arguments: responses, [false, true])
    func `a response without a validator is returned if the origin fails and this is permitted then`(line: String, isOption: Bool)
        async throws
    {
        var options = CacheOptions.patient
        if isOption { options.staleIfError = .seconds(86_400) }
        let harness = CacheHarness(options: options)
        harness.enqueue("one", line)
        _ = try await harness.send()
        harness.time.advance(86_400)
        for failure in [StubResponse(status: 503), .failure(.cannotConnect)] {
            harness.origin.enqueue(failure)
            #expect(try await harness.send(isOption ? "Accept: */*" : "Cache-Control: stale-if-error=86400").body == "one")
        }
        harness.origin.enqueue(.failure(.cannotConnect))
        await #expect(throws: TransportError.self) { try await harness.send("Cache-Control: stale-if-error=60") }
    }

    @Test(arguments: [
        "Cache-Control: no-store", "Cache-Control: no-cache", "Cache-Control: max-age=0, must-revalidate", "Vary: *",
    ])
    func `a response that forbids it is not returned offline`(line: String) async throws {
        let harness = CacheHarness()
        harness.enqueue("one", line)
        _ = try await harness.send()
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale").response.statusCode == 504)
    }

    @Test
    func `an error that is stale when it arrives does not replace the stored response`() async throws {
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60")
        _ = try await harness.send()
        harness.time.advance(61)
        harness.enqueue("sorry", "Cache-Control: max-age=0", status: 500)
        #expect(try await harness.send().body == "sorry")
        #expect(try await harness.send("Cache-Control: only-if-cached, max-stale").body == "one")
    }

    @Test
    func `responses that are kept for this are evicted like others`() async throws {
        let store = MemoryCacheStore(limits: CacheStoreLimits(maximumBytes: 1 << 20, maximumKeys: 2))
        let harness = CacheHarness(store: store)
        for path in 0..<5 {
            harness.enqueue("one", "Content-Type: text/plain")
            _ = try await harness.send(url: "https://api.example.com/\(path)")
        }
        #expect(store.count == 2)
    }
}
