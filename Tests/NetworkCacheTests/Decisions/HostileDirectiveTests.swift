import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

@testable import NetworkCache
@testable import NetworkCore

/// Fields of a server that are as long as they may be.
struct HostileDirectiveTests {
    private static func repeated(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
    }

    private static let fields: [(name: String, HeaderFields.Field.Maker)] = [
        (
            "one list of names",
            { .init(name: "Cache-Control", value: "max-age=60, no-cache=\"" + repeated($0) { "x-\($0)" } + "\"") }
        ),
        ("many lists", { .init(name: "Cache-Control", value: "max-age=60," + repeated($0) { "no-cache=\"x-\($0)\"" }) }),
        ("many open quotes", { .init(name: "Cache-Control", value: repeated($0) { _ in "no-cache=\"x" }) }),
        ("escaped quotes", { .init(name: "Cache-Control", value: repeated($0) { _ in #"no-cache="\"\""# }) }),
        ("unknown directives", { .init(name: "Cache-Control", value: repeated($0) { "a\($0)=\"b\"" }) }),
        ("spaces", { .init(name: "Cache-Control", value: "max-age" + String(repeating: " ", count: $0 * 8) + "=60") }),
        ("names in Vary", { .init(name: "Vary", value: repeated($0) { "x-\($0)" }) }),
        ("names in Connection", { .init(name: "Connection", value: repeated($0) { "x-\($0)" }) }),
        ("entity tags", { .init(name: "ETag", value: repeated($0) { "\"\($0)\"" }) }),
        ("ages", { .init(name: "Age", value: repeated($0) { "\($0)" }) }),
    ]

    /// Stores a response with many fields, uses it, and updates it with a 304.
    private static func use(_ field: HeaderFields.Field, lines: Int) {
        var headers: HeaderFields = ["Cache-Control": "max-age=60", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
        if HeaderFields.isSame(field.name, "Cache-Control") { headers.remove("Cache-Control") }
        for index in 0..<lines { headers.add("1", for: "x-\(index)") }
        headers.add(field)
        let kept = StorageRules.keptHeaders(headers, receivedAt: TestTime.start)
        let entry = CacheEntry(.make(kept))
        _ = StorageRules.mayStore(RequestTerms(headers), entry.response, entry.terms, CacheOptions())
        var served = entry.response.headers
        served.remove(entry.terms.hiddenFields)
        _ = StorageRules.updatedHeaders(kept, by: headers, receivedAt: TestTime.start)
        _ = RequestTerms(headers)
    }

    @Test func `the time for a response is linear in the length of its fields`() {
        for (name, make) in Self.fields {
            for many in [false, true] {
                let (short, long) = (make(2000), make(16_000))
                // Eight times the length takes eight times as long, and 64 times if it is quadratic.
                var ratios: [Double] = []
                for _ in 0..<4 where ratios.isEmpty || (ratios.last ?? 0) > 16 {
                    let base = (0..<3).map { _ in processorTime { Self.use(short, lines: many ? 500 : 0) } }.min() ?? .zero
                    let longer = (0..<2).map { _ in processorTime { Self.use(long, lines: many ? 4000 : 0) } }.min() ?? .zero
                    ratios.append(longer / max(base, .microseconds(100)))
                }
                #expect((ratios.min() ?? 0) <= 16, "\(name), many lines: \(many): \(ratios)")
            }
        }
    }

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

extension HeaderFields.Field {
    fileprivate typealias Maker = @Sendable (Int) -> HeaderFields.Field
}
