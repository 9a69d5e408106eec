import Endpoints
import Foundation
import TestSupport
import Testing
import TestSupport

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
        "SUN, 06 NOV 1994 08:49:37 gmt", "sunday, 06-nov-94 08:49:37 Gmt", "sUN nOV  6 08:49:37 1994",
    ])
    func `names in dates are compared without case (RFC 9111 §4.2)`(text: String) {
        #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == 784_111_777)
    }

    @Test func `a random change of the case keeps a date, and a further space anywhere makes it invalid (§5.6.7)`() {
        let random = SharedGenerator(9110)
        let forms = ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
        for _ in 0..<2000 {
            let letters = forms[random.next(below: 3)].map { random.next(below: 2) == 0 ? $0.uppercased() : $0.lowercased() }
            #expect(HTTPDate(letters.joined(), now: Self.now)?.secondsSince1970 == 784_111_777)
            var spaced = letters
            spaced.insert(" ", at: random.next(below: letters.count + 1))
            #expect(HTTPDate(spaced.joined(), now: Self.now) == nil, "\(spaced.joined())")
        }
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
        "Sun, 06 Nov +994 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 19941 08:49:37 GMT", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT", "784111777", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun,  06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994  08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37  GMT", "Sun,\t06 Nov 1994 08:49:37 GMT", "Sunday,  06-Nov-94 08:49:37 GMT",
        "Sun Nov 6 08:49:37 1994", "Sun Nov   6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun  Nov  6 08:49:37 1994",
        "\u{17F}un, 06 Nov 1994 08:49:37 GMT",
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

    @Test func `a random text is a date if the grammar says so`() throws {
        var random = SeededGenerator(seed: 5607)
        let months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(separator: " ")
        let (day, month) = ("(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)", "(\(months.joined(separator: "|")))")
        let time = "([0-9]{2}):([0-9]{2}):([0-9]{2})"
        // The groups are day, month, year and time; the order differs in the last form.
        let fixed = try NSRegularExpression(pattern: "\\A\(day), ([0-9]{2}) \(month) ([0-9]{4}) \(time) GMT\\z")
        let dayOfMonth = "(?: (?=[0-9] )|(?=[0-9]{2}))([0-9]{1,2})"
        let ascii = try NSRegularExpression(pattern: "\\A\(day) \(month) \(dayOfMonth) \(time) ([0-9]{4})\\z")
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
        var valid = 0
        for _ in 0..<4000 {
            var text = random.pick(["Sun, 06 Nov 1994 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sat, 29 Feb 2020 23:59:59 GMT"])
            for _ in 0..<random.below(3) {
                let place = text.unicodeScalars.index(text.startIndex, offsetBy: random.below(text.unicodeScalars.count))
                let end = random.chance(50) ? text.unicodeScalars.index(after: place) : place
                text.unicodeScalars.replaceSubrange(
                    place..<end,
                    with: random.hostileText(of: ["1", "29", "Feb", "3", " ", "0"], maximumPieces: 1).unicodeScalars)
            }
            func groups(_ grammar: NSRegularExpression) -> [String]? {
                grammar.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)).map { match in
                    (1...6).map { (text as NSString).substring(with: match.range(at: $0)) }
                }
            }
            let found = groups(fixed) ?? groups(ascii).map { [$0[1], $0[0], $0[5], $0[2], $0[3], $0[4]] }
            var expected: Int64?
            if text.utf8.count <= 40, let found, let month = months.firstIndex(of: Substring(found[1])) {
                let numbers = found.map { Int($0) ?? 0 }
                let date = DateComponents(
                    year: numbers[2], month: month + 1, day: numbers[0], hour: numbers[3], minute: numbers[4],
                    second: min(numbers[5], 59))
                if date.isValidDate(in: calendar), numbers[5] <= 60 {
                    expected = calendar.date(from: date).map { Int64($0.timeIntervalSince1970) }
                }
                // Before that, the calendar of Foundation is the Julian one.
                if numbers[2] <= 1600 { continue }
            }
            valid += expected == nil ? 0 : 1
            #expect(HTTPDate(text, now: Self.now)?.secondsSince1970 == expected, "\(text.debugDescription)")
        }
        #expect(valid > 1000)
    }
}
