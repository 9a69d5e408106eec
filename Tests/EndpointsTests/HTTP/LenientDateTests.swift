import Endpoints
import Foundation
import Testing

struct LenientDateTests {
    /// Returns the expected date, as Foundation parses it.
    private static func seconds(_ text: String) throws -> Int64 {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
        return Int64(try #require(formatter.date(from: text)).timeIntervalSince1970)
    }

    /// One date of each format in the tests of http-state (tests/data/dates of github.com/abarth/http-state).
    @Test(
        arguments: [
            ("Mon, 10-Dec-2007 17:02:24 GMT", "2007-12-10 17:02:24"), ("Wed, 09 Dec 2009 16:27:23 GMT", "2009-12-09 16:27:23"),
            ("Thursday, 01-Jan-1970 00:00:00 GMT", "1970-01-01 00:00:00"),
            ("Mon Dec 10 16:32:30 2007 GMT", "2007-12-10 16:32:30"),
            ("Wednesday, 01-Jan-10 00:00:00 GMT", "2010-01-01 00:00:00"), ("Wed, 1 Jan 2020 00:00:00 GMT", "2020-01-01 00:00:00"),
            ("Thu, 31 Dec 23:55:55 2037 GMT", "2037-12-31 23:55:55"), ("Sun,  9 Dec 2012 13:42:05 GMT", "2012-12-09 13:42:05"),
            ("Wed Dec 12 2007 08:44:07 GMT-0500 (EST)", "2007-12-12 08:44:07"),
            ("Wednesday, 01-Jan-10 0:0:00 GMT", "2010-01-01 00:00:00"), ("Thu, 10 Dec 2009 13:57:2 GMT", "2009-12-10 13:57:02"),
            ("Thu, 19/Apr\\2007 16:00:00 GMT", "2007-04-19 16:00:00"), (", 1-Jan-2003 00:00:00 GMT", "2003-01-01 00:00:00"),
            ("WillyWonka  ,  18-apr-07   22:50:12", "2007-04-18 22:50:12"),
            ("Mon, 18-Apr-77 22:50:13 GMT", "1977-04-18 22:50:13"),
            ("\"Sat, 15-Apr-17\"21:01:22\"GMT\"", "2017-04-15 21:01:22"),
            ("Partyday, 18 - Apri-07 22:50:12", "2007-04-18 22:50:12"),
            ("Wednes, 1-Januar-2003 00:00:00 GMT", "2003-01-01 00:00:00"),
            ("Sat, 15-Apr-17 21:01:22 GMT-2", "2017-04-15 21:01:22"),
            ("Sat, 15-Apr-17 21:01:22 11:22:33", "2017-04-15 21:01:22"), ("Sat, 15-Apr-17 ::00 21:01:22", "2017-04-15 21:01:22"),
            ("Sat, 15-Apr-17 boink:z 21:01:22", "2017-04-15 21:01:22"), ("22:50:12 Thu Apr 18 2007 GMT", "2007-04-18 22:50:12"),
            ("15-Sat, Apr 21:01:22 GMT 17", "2017-04-15 21:01:22"), ("15 17 Apr 21:01:22", "2017-04-15 21:01:22"),
            ("2017 April 15 21:01:22", "2017-04-15 21:01:22"), ("Apr 15 21:01:22 17", "2017-04-15 21:01:22"),
            // The years of §5.1.1, steps 3 and 4, and the limits of each part.
            ("1 Jan 69 00:00:00", "2069-01-01 00:00:00"), ("1 Jan 70 00:00:00", "1970-01-01 00:00:00"),
            ("1 Jan 99 00:00:00", "1999-01-01 00:00:00"), ("1 Jan 00 00:00:00", "2000-01-01 00:00:00"),
            ("1 Jan 1601 00:00:00", "1601-01-01 00:00:00"), ("31 Dec 9999 23:59:59", "9999-12-31 23:59:59"),
            ("29 Feb 2000 12:00:00", "2000-02-29 12:00:00"), ("29 Feb 2024 12:00:00", "2024-02-29 12:00:00"),
            ("1 Mar 1900 00:00:00", "1900-03-01 00:00:00"), ("30 Nov 1969 23:59:59", "1969-11-30 23:59:59"),
            // Characters after a non-digit belong to the token and are ignored.
            ("1st Jan 2020x 01:02:03.5Z", "2020-01-01 01:02:03"), ("1 JANUARY 2020 1:2:3x", "2020-01-01 01:02:03"),
        ])
    func `a date is parsed with its parts in any order and any delimiters between them`(text: String, expected: String) throws {
        #expect(LenientDate.seconds(Array(text.utf8)[...]) == (try Self.seconds(expected)))
    }

    @Test(
        arguments: [
            "", "IAintNoDateFool", "98 April 17 21:01:22", "Sat, 15-Apr-17 91:22:33 21:01:22", "Thu, 012-Aug-2008 20:49:07 GMT",
            "Thu, 12-Aug-31841 20:49:07 GMT", "Thu, 12-Aug-9999999999 20:49:07 GMT", "Thu, 999999999999-Aug-2007 20:49:07 GMT",
            "Thu, 12-Aug-2007 20:61:99999999999 GMT",
            // From http-state, with a space in the time of day: by the algorithm of the RFC, this is not a time.
            "Mon, 01-Jan-2011 00: 00:00 GMT",
            "1 Jan 2020", "1 Jan 00:00:00", "1 2020 00:00:00", "Jan 2020 00:00:00", "0 Jan 2020 00:00:00", "32 Jan 2020 00:00:00",
            "29 Feb 2023 00:00:00", "29 Feb 1900 00:00:00", "31 Apr 2020 00:00:00", "1 Jan 1600 00:00:00", "1 Jan 100 00:00:00",
            "1 Jan 2020 24:00:00", "1 Jan 2020 00:60:00", "1 Jan 2020 00:00:60", "1 Jan 2020 000:00:00", "1 Jan 2020 00:00",
            "1 Ja 2020 00:00:00", "1 \u{1F600} 2020 00:00:00",
        ])
    func `a date with a missing part or a part out of range is invalid`(text: String) {
        #expect(LenientDate.seconds(Array(text.utf8)[...]) == nil)
    }

    @Test(arguments: [1601...1604, 1896...1904, 1967...1972, 1996...2004, 2096...2104])
    func `consecutive days are 86,400 seconds apart, across leap years and centuries`(years: ClosedRange<Int>) {
        var days: [Int64] = []
        for year in years {
            for month in ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] {
                days += (1...31).compactMap { LenientDate.seconds(Array("\($0) \(month) \(year) 00:00:00".utf8)[...]) }
            }
        }
        #expect(zip(days, days.dropFirst()).allSatisfy { $1 == $0 + 86_400 })
        let leapYears = years.count { year in year == 2000 || year % 4 == 0 && year % 100 != 0 }
        #expect(days.count == years.count * 365 + leapYears)
    }
}
