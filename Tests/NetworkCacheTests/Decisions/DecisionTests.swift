import Endpoints
import Foundation
import NetworkCore
import Testing
import TransferTestSupport

@testable import NetworkCache

/// One row: the stored response, the request, the time between them, and the decision that RFC 9111 requires.
struct DecisionRow: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case fresh, stale, staleAndRevalidate, validate, forward, fail
    }

    var section: String
    var response: [String]
    var request: [String] = []
    /// Seconds since the response was received.
    var after: Double
    var expected: Outcome

    init(_ section: String, _ response: [String], request: [String] = [], after: Double, _ expected: Outcome) {
        self.section = section
        self.response = response
        self.request = request
        self.after = after
        self.expected = expected
    }

    var testDescription: String { "\(section): \(response) \(request) after \(after) s is \(expected)" }
}

struct DecisionTests {
    private static let tag = #"ETag: "1""#

    static let rows: [DecisionRow] = [
        // Freshness
        DecisionRow("§4.2", ["Cache-Control: max-age=60"], after: 59, .fresh),
        DecisionRow("§4.2 not at its very end", ["Cache-Control: max-age=60", tag], after: 60, .validate),
        DecisionRow("§4.2 no validator", ["Cache-Control: max-age=60"], after: 61, .forward),
        DecisionRow(
            "§4.2.1 max-age before Expires", ["Cache-Control: max-age=60", "Expires: \(TestTime.text(5))"], after: 30, .fresh),
        DecisionRow(
            "§4.2.1 s-maxage is for shared caches", ["Cache-Control: s-maxage=600, max-age=10", tag], after: 30, .validate),
        DecisionRow(
            "§4.2.1 Expires less Date", ["Expires: \(TestTime.text(40))", "Date: \(TestTime.text(0))"], after: 39, .fresh),
        DecisionRow(
            "§4.2.1 Expires less Date, by a clock that is 100 s ahead",
            ["Expires: \(TestTime.text(140))", "Date: \(TestTime.text(100))", tag],
            after: 41, .validate),
        DecisionRow("§4.2 dates in any case", ["Expires: THU, 18 AUG 2050 02:01:18 gmt"], after: 1, .fresh),
        DecisionRow("§4.2 an asctime date in any case", ["Expires: thu aug 18 02:01:18 2050"], after: 1, .fresh),
        DecisionRow(
            "§5.3 a date with several spaces is no date", ["Expires: Thu, 18  Aug 2050 02:01:18 GMT", tag], after: 0, .validate),
        DecisionRow(
            "§5.3 a date in another zone is no date", ["Expires: Thu, 18 Aug 2050 02:01:18 AEST", tag], after: 0, .validate),
        DecisionRow("§5.3 Expires: 0", ["Expires: 0", tag], after: 0, .validate),
        DecisionRow(
            "§5.3 two Expires", ["Expires: \(TestTime.text(60))", "Expires: \(TestTime.text(60))", tag], after: 1, .validate),
        DecisionRow("§4.2.1 a damaged max-age is stale", ["Cache-Control: max-age=1x", tag], after: 0, .validate),
        // Age
        DecisionRow("§4.2.3 Age counts", ["Cache-Control: max-age=60", "Age: 50", tag], after: 9, .fresh),
        DecisionRow("§4.2.3 Age counts, and is over", ["Cache-Control: max-age=60", "Age: 50", tag], after: 11, .validate),
        DecisionRow(
            "§4.2.3 apparent age", ["Cache-Control: max-age=60", "Date: \(TestTime.text(-50))", tag], after: 11, .validate),
        DecisionRow(
            "§4.2.3 a Date to come is age 0", ["Cache-Control: max-age=60", "Date: \(TestTime.text(500))", tag], after: 61,
            .validate),
        DecisionRow("§5.1 Age that is no number", ["Cache-Control: max-age=60", "Age: old"], after: 59, .fresh),
        DecisionRow("§5.1 the first Age", ["Cache-Control: max-age=60", "Age: 50, 0", tag], after: 11, .validate),
        DecisionRow(
            "§1.2.2 Age beyond all numbers", ["Cache-Control: max-age=60", "Age: 99999999999999999999999", tag], after: 0,
            .validate),
        // Heuristics
        DecisionRow("§4.2.2 a tenth of a day", ["Last-Modified: \(TestTime.text(-86_400))"], after: 8639, .fresh),
        DecisionRow("§4.2.2 more than a tenth of a day", ["Last-Modified: \(TestTime.text(-86_400))"], after: 8641, .validate),
        DecisionRow("§4.2.2 the ceiling", ["Last-Modified: \(TestTime.text(-86_400_000))"], after: 86_401, .validate),
        DecisionRow(
            "§4.2.2 not with an explicit time", ["Last-Modified: \(TestTime.text(-86_400))", "Expires: 0"], after: 1, .validate),
        DecisionRow("§4.2.2 modified in the future", ["Last-Modified: \(TestTime.text(86_400))"], after: 1, .validate),
        // Response directives
        DecisionRow("§5.2.2.4 no-cache", ["Cache-Control: no-cache, max-age=60", tag], after: 0, .validate),
        DecisionRow(
            "§5.2.2.4 no-cache of a field", [#"Cache-Control: no-cache="set-cookie", max-age=60"#, tag], after: 0, .fresh),
        DecisionRow("§5.2.2.7 private is for us", ["Cache-Control: private, max-age=60"], after: 59, .fresh),
        DecisionRow("§5.2.2.2 must-revalidate, fresh", ["Cache-Control: must-revalidate, max-age=60"], after: 59, .fresh),
        DecisionRow(
            "§5.2.2.2 must-revalidate outdoes max-stale", ["Cache-Control: must-revalidate, max-age=60", tag],
            request: ["Cache-Control: max-stale"], after: 61, .validate),
        DecisionRow(
            "§5.2.2.4 no-cache outdoes max-stale", ["Cache-Control: no-cache", tag], request: ["Cache-Control: max-stale"],
            after: 1, .validate),
        // Request directives
        DecisionRow(
            "§5.2.1.1 young enough", ["Cache-Control: max-age=60"], request: ["Cache-Control: max-age=30"], after: 29, .fresh),
        DecisionRow(
            "§5.2.1.1 too old", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: max-age=30"], after: 31, .validate),
        DecisionRow(
            "§5.2.1.1 max-age=0", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: max-age=0"], after: 0, .validate),
        DecisionRow(
            "§5.2.1.1 max-age with max-stale", ["Cache-Control: max-age=60", tag],
            request: ["Cache-Control: max-age=30, max-stale=5"], after: 34,
            .fresh),
        DecisionRow(
            "§5.2.1.2 stale enough", ["Cache-Control: max-age=60"], request: ["Cache-Control: max-stale=10"], after: 70, .stale),
        DecisionRow(
            "§5.2.1.2 too stale", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: max-stale=10"], after: 71,
            .validate),
        DecisionRow(
            "§5.2.1.2 however stale", ["Cache-Control: max-age=60"], request: ["Cache-Control: max-stale"], after: 1e6, .stale),
        DecisionRow(
            "§5.2.1.3 fresh for long enough", ["Cache-Control: max-age=60"], request: ["Cache-Control: min-fresh=20"], after: 40,
            .fresh),
        DecisionRow(
            "§5.2.1.3 not long enough", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: min-fresh=20"], after: 41,
            .validate),
        DecisionRow(
            "§5.2.1.4 no-cache", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: no-cache"], after: 0, .validate),
        DecisionRow(
            "§5.2.1.4 no-cache, no validator", ["Cache-Control: max-age=60"], request: ["Cache-Control: no-cache"], after: 0,
            .forward),
        DecisionRow(
            "§5.2.1.5 no-store", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: no-store"], after: 0, .forward),
        DecisionRow(
            "§5.2.1.5 no-store and only-if-cached", ["Cache-Control: max-age=60"],
            request: ["Cache-Control: no-store, only-if-cached"], after: 0, .fail),
        DecisionRow(
            "§5.2.1.7 fresh", ["Cache-Control: max-age=60"], request: ["Cache-Control: only-if-cached"], after: 0, .fresh),
        DecisionRow(
            "§5.2.1.7 stale", ["Cache-Control: max-age=60", tag], request: ["Cache-Control: only-if-cached"], after: 61, .fail),
        DecisionRow("§5.4 Pragma", ["Cache-Control: max-age=60", tag], request: ["Pragma: no-cache"], after: 0, .validate),
        DecisionRow(
            "§5.4 Cache-Control outdoes Pragma", ["Cache-Control: max-age=60"],
            request: ["Pragma: no-cache", "Cache-Control: max-age=9"],
            after: 0, .fresh),
        // Extensions
        DecisionRow(
            "RFC 5861 §3", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag], after: 89, .staleAndRevalidate),
        DecisionRow("RFC 5861 §3 over", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag], after: 91, .validate),
        DecisionRow(
            "RFC 5861 §3 not with must-revalidate",
            ["Cache-Control: max-age=60, stale-while-revalidate=30, must-revalidate", tag], after: 61,
            .validate),
        DecisionRow(
            "RFC 5861 §3 not against the request", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag],
            request: ["Cache-Control: min-fresh=1"], after: 61, .validate),
        DecisionRow(
            "RFC 5861 §3 and §5.2.1.1", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag],
            request: ["Cache-Control: max-age=100"], after: 61, .validate),
        DecisionRow(
            "RFC 5861 §3 without the network", ["Cache-Control: max-age=60, stale-while-revalidate=30", tag],
            request: ["Cache-Control: only-if-cached"], after: 61, .stale),
        DecisionRow(
            "RFC 8246 §2 a reload", ["Cache-Control: max-age=60, immutable", tag], request: ["Cache-Control: max-age=0"],
            after: 30, .fresh),
        DecisionRow("RFC 8246 §2 once stale", ["Cache-Control: max-age=60, immutable", tag], after: 61, .validate),
        DecisionRow(
            "RFC 8246 §2 a forced reload", ["Cache-Control: max-age=60, immutable", tag], request: ["Cache-Control: no-cache"],
            after: 1, .validate),
        // The clock
        DecisionRow("the clock was moved back", ["Cache-Control: max-age=60", tag], after: -3600, .validate),
        DecisionRow(
            "moved back, and max-stale", ["Cache-Control: max-age=60"], request: ["Cache-Control: max-stale"], after: -3600,
            .forward),
        DecisionRow("moved back by less than a second", ["Cache-Control: max-age=60"], after: -0.5, .fresh),
    ]

    @Test(arguments: rows)
    func `the decision follows from the fields and the time`(row: DecisionRow) {
        let terms = ResponseTerms(.make(HeaderFields(lines: row.response)))
        let request = RequestTerms(HeaderFields(lines: row.request))
        let now = TestTime.start.timeIntervalSinceReferenceDate + row.after
        #expect(outcome(CacheOptions().decision(request, terms, at: now)) == row.expected)
    }

    @Test
    func `without a stored response, a request is forwarded, or fails if it is only-if-cached`() {
        #expect(CacheOptions().decision(RequestTerms(), miss: .uriMiss) == .forward(.uriMiss))
        #expect(CacheOptions().decision(RequestTerms(), miss: .varyMiss) == .forward(.varyMiss))
        #expect(CacheOptions().decision(RequestTerms(["Cache-Control": "only-if-cached"]), miss: .uriMiss) == .fail)
    }

    @Test
    func `HEAD is served from a stored GET, but does not cause a validation or revalidation (§4.3.5)`() {
        let terms = ResponseTerms(.make(HeaderFields(lines: "Cache-Control: max-age=60, stale-while-revalidate=30", Self.tag)))
        let start = TestTime.start.timeIntervalSinceReferenceDate
        #expect(outcome(CacheOptions().decision(RequestTerms(), terms, isHead: true, at: start + 1)) == .fresh)
        #expect(outcome(CacheOptions().decision(RequestTerms(), terms, isHead: true, at: start + 61)) == .forward)
    }

    @Test
    func `age and remaining freshness are exact to the second`() {
        let terms = ResponseTerms(.make(HeaderFields(lines: "Cache-Control: max-age=60", "Age: 7")))
        let decision = CacheOptions().decision(RequestTerms(), terms, at: TestTime.start.timeIntervalSinceReferenceDate + 10)
        #expect(decision == .serve(age: 17, ttl: 43, revalidates: false))
    }

    @Test
    func `the time between request and response counts as age (§4.2.3)`() {
        var stored = StoredResponse.make(HeaderFields(lines: "Cache-Control: max-age=60", "Age: 7"))
        stored.requestTime -= 5
        #expect(ResponseTerms(stored).initialAge == 12)
        stored.requestTime += 500
        #expect(ResponseTerms(stored).initialAge == 7)
    }

    @Test
    func `a options without heuristic freshness validates each response without an explicit lifetime (§4.2.2)`() {
        var options = CacheOptions()
        options.heuristicFraction = 0
        let terms = ResponseTerms(.make(HeaderFields(lines: "Last-Modified: \(TestTime.text(-86_400))")))
        #expect(
            outcome(options.decision(RequestTerms(), terms, at: TestTime.start.timeIntervalSinceReferenceDate)) == .validate)
    }

    private func outcome(_ decision: CacheDecision) -> DecisionRow.Outcome {
        switch decision {
        case .serve(_, let ttl, let revalidates): revalidates ? .staleAndRevalidate : ttl > 0 ? .fresh : .stale
        case .validate: .validate
        case .forward: .forward
        case .fail: .fail
        }
    }
}
