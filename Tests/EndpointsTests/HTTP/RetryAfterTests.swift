import Endpoints
import Foundation
import Testing
import TestSupport

/// RFC 9110 §10.2.3, and what servers send beside it.
struct RetryAfterTests {
    // Sun, 06 Nov 1994 08:49:37 GMT
    private let now = Date(timeIntervalSince1970: 784_111_777.5)

    @Test func `numbers, durations and dates in all forms are understood`() {
        let rows: [(String, Double?)] = [
            ("2", 2), (" 2 ", 2), ("0", 0), ("007", 7), ("+5", 5), ("1.5", 1.5), (".5", 0.5), ("1.", 1), ("1e3", 1000),
            ("\"30\"", 30),
            ("2s", 2), ("2 s", 2), ("1.5 seconds", 1.5), ("500ms", 0.5), ("500 milliseconds", 0.5), ("1m30s", 90), ("6m0s", 360),
            ("1h", 3600), ("1 day", 86_400), ("1m 2.5s", 62.5), ("0.0001", 0.001), ("5, 10", 10),
            ("99999999999999999999999999", 1e9), ("9e999", 1e9), ("1e300", 1e9),
            // Ten seconds later.
            ("Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sunday, 06-Nov-94 08:49:47 GMT", 10), ("Sun Nov  6 08:49:47 1994", 10),
            ("Sun, 06 Nov 1994 08:49:47 UTC", 10), ("Sun, 06 Nov 1994 08:49:47 +0000", 10), ("Sun, 6 Nov 1994 8:49:47 GMT", 10),
            ("  Sun,  06  Nov 1994   08:49:47  GMT ", 10), ("Sun,06 Nov 1994 08:49:47 GMT", 10), ("06 Nov 1994 08:49:47 GMT", 10),
            ("Sun, 06 Nov 1994 08:49:47", 10), ("Sunday, 06-Nov-1994 08:49:47 GMT", 10), ("Sun Nov 6 08:49:47 UTC 1994", 10),
            ("Sun, 06 Nov 1994 10:49:47 +0200", 10), ("Sun, 06 Nov 1994 10:49:47 GMT+2", 10),
            ("Sun, 06 Nov 1994 03:49:47 EST", 10),
            ("Sun, 06 Nov 1994 10:49:47 +0200 (CEST)", 10), ("Mon, 06 Nov 1994 08:49:47 GMT", 10),
            ("1994-11-06T08:49:47Z", 10), ("1994-11-06T08:49:47", 10), ("1994-11-06 08:49:47", 10),
            ("1994-11-06 08:49:47 UTC", 10),
            ("1994-11-06T08:49:47.25Z", 10.25), ("1994-11-06T10:49:47+02:00", 10), ("1994-11-06T03:49:47-0500", 10),
            ("1994-11-06t08:49:47z", 10), ("1994-11-06T08:50Z", 23),
            ("Sun, 06 Nov 1994 08:49:27 GMT", 0), ("Sun, 06 Nov 2094 08:49:37 GMT", 1e9),
            // Neither.
            ("", nil), ("-1", nil), ("soon", nil), ("٣", nil), ("1 fortnight", nil), ("5 6", nil), ("0x10", nil), ("nan", nil),
            ("inf", nil),
            ("Sun, 99 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49:47 XYZ", nil), ("Sun, 06 Nov 1994 08:49:47 PM", nil),
            ("1994-13-06T08:49:47Z", nil), ("1994-11-06", nil), (String(repeating: "1", count: 129), nil),
        ]
        for (text, seconds) in rows {
            let expected = seconds.map { RetryAfter.delay(.milliseconds(Int64(($0 * 1000).rounded()))) } ?? .malformed
            #expect(RetryAfter(["Retry-After": text], now: now) == expected, "\(text)")
        }
        #expect(RetryAfter([:], now: now) == .none)
    }

    @Test func `a date is measured from the Date of the response, and of several values the longest applies`() {
        let date = "Sun, 06 Nov 1994 12:00:05 GMT"
        #expect(RetryAfter(["Retry-After": date, "Date": "Sun, 06 Nov 1994 12:00:00 GMT"], now: now) == .delay(.seconds(5)))
        var several: HeaderFields = ["Retry-After": "3"]
        for text in ["soon", "8", "5"] { several.add(text, for: "Retry-After") }
        #expect(RetryAfter(several, now: now) == .delay(.seconds(8)))
        #expect(
            RetryAfter(["retry-after-ms": "640"], named: "retry-after-ms", unit: .milliseconds(1)) == .delay(.milliseconds(640)))
    }

    /// Whatever bytes a server sends, the pause is in range; and one that is written in any form is never shorter than it is meant.
    @Test func `no pause is shorter than the one that is asked for`() {
        var random = SeededGenerator(seed: 0x52)
        let pieces = [
            "1", "9", "0", ".", "e", "-", "+", " ", ",", ":", "s", "ms", "h", "T", "Z", "GMT", "Nov", "Sun", "1994", "\"", "é",
            "\t", "/",
        ]
        for _ in 0..<runs(4000, slow: 80_000) {
            let text = (0..<random.below(24)).map { _ in random.pick(pieces) }.joined()
            if let pause = RetryAfter(["Retry-After": text], now: now).pause {
                #expect(pause >= .zero && pause <= RetryAfter.maximum, "\(text)")
            }
            let milliseconds = random.below(1 << (1 + random.below(30)))
            let seconds = Double(milliseconds) / 1000
            let forms = [
                "\(seconds)", "\(seconds)s", "\(milliseconds) ms",
                "\(milliseconds / 60_000)m\(Double(milliseconds % 60_000) / 1000)s",
            ]
            let pause = RetryAfter(["Retry-After": random.pick(forms)], now: now).pause
            #expect(pause == .milliseconds(milliseconds), "\(forms)")
            // A date has whole seconds.
            let date = HTTPDate(secondsSince1970: 784_111_777 + Int64(milliseconds / 1000)).description
            for zone in ["GMT", "UTC", "+0000", "Z"] {
                let text = date.replacingOccurrences(of: "GMT", with: zone)
                #expect(RetryAfter(["Retry-After": text], now: now).pause == .seconds(milliseconds / 1000), "\(text)")
            }
        }
    }
}
