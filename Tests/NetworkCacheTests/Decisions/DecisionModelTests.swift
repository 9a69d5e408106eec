import Endpoints
import Foundation
import Testing
import TransferTestSupport

@testable import NetworkCache

/// Random fields and times against the rules of RFC 9111 §4.2.4 and §5.2, RFC 5861 §3 and RFC 8246 §2, each written as a reason to
/// refuse or to permit the stored response.
struct DecisionModelTests {
    private struct Numbers {
        let random: SharedGenerator
        func some(_ values: Int?...) -> Int? { values[random.next(below: values.count)] }
        func chance(_ count: Int) -> Bool { random.next(below: count) == 0 }
    }

    @Test
    func `the decision is the one that the rules permit`() {
        let numbers = Numbers(random: SharedGenerator(9111))
        var counts: [String: Int] = [:]
        let rounds = runs(4_000, slow: 20_000)
        for _ in 0..<rounds {
            let (lifetime, age) = (numbers.some(nil, 0, 30, 60), numbers.some(0, 0, 20) ?? 0)
            let (window, after) = (numbers.some(nil, nil, 0, 30), numbers.some(0, 10, 29, 30, 31, 59, 60, 61, 91, 1000) ?? 0)
            let (mustRevalidate, isImmutable, mustAsk) = (numbers.chance(4), numbers.chance(4), numbers.chance(10))
            let hasTag = numbers.chance(2)
            let (maxAge, minFresh) = (numbers.some(nil, nil, 0, 30, 60), numbers.some(nil, nil, nil, 0, 20))
            let (maxStale, onlyIfCached) = (numbers.some(nil, nil, 0, 30, 1 << 40), numbers.chance(4))
            let noCache = numbers.chance(10)
            let stored = [
                lifetime.map { "max-age=\($0)" }, window.map { "stale-while-revalidate=\($0)" },
                mustRevalidate ? "must-revalidate" : nil, isImmutable ? "immutable" : nil, mustAsk ? "no-cache" : nil,
            ]
            let asked = [
                maxAge.map { "max-age=\($0)" }, minFresh.map { "min-fresh=\($0)" }, maxStale.map { "max-stale=\($0)" },
                onlyIfCached ? "only-if-cached" : nil, noCache ? "no-cache" : nil,
            ]
            var headers = HeaderFields(lines: "Age: \(age)", "Cache-Control: \(text(stored))")
            if hasTag { headers["ETag"] = "1" }
            let decision = CacheOptions().decision(
                RequestTerms(["Cache-Control": text(asked)]), ResponseTerms(.make(headers)),
                at: TestTime.start.timeIntervalSinceReferenceDate + Double(after))

            let ttl = (lifetime ?? 0) - age - after
            let isStale = ttl <= 0
            // A request for a younger response, unless it cannot have changed.
            let excess = maxAge.map { isImmutable && !isStale ? -1 : age + after - $0 } ?? -1
            let isRefused =
                noCache || mustAsk || mustRevalidate && isStale || minFresh.map { ttl < $0 } ?? false
            let isAccepted = !isStale && excess < 0
            let maySkip = maxStale.map { max(excess, -ttl) <= $0 } ?? false
            let isInWindow = isStale && window.map { $0 > 0 && -ttl <= $0 } ?? false
            let revalidates = isInWindow && !onlyIfCached
            let expected: String
            if !isRefused, isAccepted {
                expected = "fresh"
            } else if !isRefused, maySkip || isInWindow && maxAge == nil {
                expected = revalidates ? "stale, revalidates" : "stale"
            } else {
                expected = onlyIfCached ? "fail" : hasTag ? "validate" : "forward"
            }
            counts[expected, default: 0] += 1
            #expect(name(decision, isAccepted: isAccepted) == expected, "\(stored) \(asked) \(age) \(after)")
        }
        #expect(counts.count == 6 && counts.values.allSatisfy { $0 > rounds / 66 }, "\(counts)")
    }

    private func text(_ directives: [String?]) -> String { directives.compactMap(\.self).joined(separator: ", ") }

    private func name(_ decision: CacheDecision, isAccepted: Bool) -> String {
        switch decision {
        case .serve(_, _, let revalidates): revalidates ? "stale, revalidates" : isAccepted ? "fresh" : "stale"
        case .validate: "validate"
        case .forward: "forward"
        case .fail: "fail"
        }
    }
}
