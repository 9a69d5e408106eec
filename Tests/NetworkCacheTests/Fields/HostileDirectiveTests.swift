import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkTransport

/// Fields of a server that are as long as they may be.
struct HostileDirectiveTests {
    @Test func `the fields that no-cache names are found once, and removed from each response that is not validated`()
        async throws
    {
        let names = (0..<3000).map { "x-\($0)" }.joined(separator: ", ")
        let harness = CacheHarness()
        harness.enqueue("one", "Cache-Control: max-age=60, no-cache=\"\(names)\"", "X-7: secret", "X-A: 1")
        #expect(try await harness.send().response.headers.contains("X-7"))
        let hit = try await harness.send()
        #expect(hit.isHit && !hit.response.headers.contains("X-7") && hit.response.headers["X-A"] == "1")
        let entries = try await harness.store.entries(for: CacheKey(url: try #require(URL(string: CacheHarness.url))))
        #expect(entries.map(\.terms.hiddenFields) == [["x-7"]])
    }

    @Test func `options outside of their ranges count as the nearest ones inside, however they are set`() {
        for fraction in [Double.nan, .infinity, -.infinity, -1, 2, .leastNonzeroMagnitude, 0, 1] {
            var set = CacheOptions()
            set.heuristicFraction = fraction
            let passed = CacheOptions(heuristicFraction: fraction)
            #expect(set == passed && (0...1).contains(set.heuristicFraction), "\(fraction)")
            // Modified at the date of the response: zero times infinity is not a number.
            let entry = CacheEntry(
                .make(["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"]))
            #expect(set.lifetime(entry.terms) == 0 && CacheStatus.whole(.nan) == 0)
        }
        let times: [Duration] = [.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(-1), .zero]
        for time in times {
            var set = CacheOptions()
            (set.staleIfError, set.maximumHeuristicLifetime, set.revalidationTimeout) = (time, time, time)
            let passed = CacheOptions(maximumHeuristicLifetime: time, staleIfError: time, revalidationTimeout: time)
            #expect(set == passed && set.staleIfError >= .zero && set.staleIfError <= .seconds(1 << 31), "\(time)")
        }
    }

    @Test func `one response invalidates a bounded number of URLs`() throws {
        let request = NetworkRequest(method: .post, url: try #require(URL(string: CacheHarness.url)))
        var headers: HeaderFields = [:]
        for index in 0..<10_000 { headers.add("/\(index)", for: index % 2 == 0 ? "Location" : "Content-Location") }
        let response = NetworkResponse(statusCode: 200, headers: headers, body: .empty, url: request.url)
        #expect(ValidationRules.invalidated(by: request, response).count == 1 + 2 * ValidationRules.maximumPlaces)
    }
}
