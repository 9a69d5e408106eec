import Endpoints
import Foundation
import Testing

/// HTTP dates (RFC 9110 §5.6.7).
struct HTTPDateTests {
    private static let now = Date(timeIntervalSince1970: 1_790_000_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    ])
    func `dates are parsed in all three formats of the RFC`(text: String) {
        #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == 784_111_777)
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (-62_167_219_200, "Sat, 01 Jan 0000 00:00:00 GMT"), (1_790_000_000, "Mon, 21 Sep 2026 14:13:20 GMT"),
    ])
    func `a date is written in the preferred format and can be parsed again`(seconds: Int64, text: String) {
        #expect(HTTPDate(secondsSince1970: seconds).description == text)
        #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    }

    @Test func `a leap second is treated as second 59`() {
        #expect(HTTPDate("Sat, 31 Dec 2016 23:59:60 GMT") == HTTPDate("Sat, 31 Dec 2016 23:59:59 GMT"))
    }

    @Test func `a two-digit year is at most 50 years in the future`() {
        #expect(HTTPDate("Sunday, 06-Nov-76 08:49:37 GMT", now: Self.now)?.description.contains("2076") == true)
        #expect(HTTPDate("Sunday, 06-Nov-77 08:49:37 GMT", now: Self.now)?.description.contains("1977") == true)
    }

    @Test(arguments: [
        "", " ", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov +994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 19941 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "784111777", "Sunday, 06-Nov-1994 08:49:37 GMT",
    ])
    func `other text is not a date`(text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }

    @Test func `dates from 1600 to 2400 match Foundation's calendar`() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "GMT")!
        var seconds: Int64 = -11_676_096_000
        while seconds < 13_569_465_600 {
            let date = HTTPDate(secondsSince1970: seconds)
            let parts = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(seconds)))
            let words = date.description.split(separator: " ")
            #expect(Int(words[1]) == parts.day && Int(words[3]) == parts.year)
            #expect(HTTPDate(date.description) == date)
            seconds += 86_400 * 37 + 12_345
        }
    }
}
