import Foundation
import NetworkSupport

/// A date in an HTTP header field (RFC 9110 §5.6.7), with a resolution of one second, always in UTC.
///
/// Parses the preferred form, `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete ones: `Sunday, 06-Nov-94 08:49:37 GMT` and
/// `Sun Nov  6 08:49:37 1994`. Names are compared without case, as RFC 9111 §4.2 asks of caches; white space is compared exactly.
/// The weekday is not compared with the date. Writes the preferred form.
package struct HTTPDate: Sendable, Hashable, Comparable {
    /// The number of seconds since 1970-01-01T00:00:00Z, without leap seconds.
    package var secondsSince1970: Int64

    /// Creates a date from the number of seconds since 1970-01-01T00:00:00Z.
    package init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }

    /// Creates a date by rounding down to whole seconds. Dates outside the years 0 to 9999 are clamped to that range; a date
    /// whose interval is not a number becomes the beginning of 1970.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        secondsSince1970 = Int64(seconds.clamped(to: Double(Self.first)...Double(Self.last), nan: 0))
    }

    /// Returns whether the left date is earlier than the right one.
    package static func < (left: HTTPDate, right: HTTPDate) -> Bool { left.secondsSince1970 < right.secondsSince1970 }

    private static let first: Int64 = -62_167_219_200
    private static let last: Int64 = 253_402_300_799
}

extension HTTPDate: CustomStringConvertible {
    /// The date in the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var description: String {
        let parts = parts
        let weekday = Self.weekdays[Int(((parts.days + 4) % 7 + 7) % 7)]
        let day = "\(Self.digits(parts.day)) \(Self.months[parts.month - 1]) \(Self.digits(parts.year, 4))"
        return
            "\(weekday), \(day) \(Self.digits(parts.hour)):\(Self.digits(parts.minute)):\(Self.digits(parts.second)) GMT"
    }

    /// The date in the basic format of ISO 8601, such as `19941106T084937Z`.
    package var basicFormat: String {
        let parts = parts
        let time = Self.digits(parts.hour) + Self.digits(parts.minute) + Self.digits(parts.second)
        return "\(Self.digits(parts.year, 4))\(Self.digits(parts.month))\(Self.digits(parts.day))T\(time)Z"
    }

    private var parts: (days: Int64, year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let seconds = min(max(secondsSince1970, Self.first), Self.last)
        let days = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
        let time = Int(seconds - days * 86_400)
        let (year, month, day) = Self.civil(days)
        return (days, year, month, day, time / 3600, time / 60 % 60, time % 60)
    }

    private static func digits(_ number: Int, _ count: Int = 2) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses any of the three forms. Returns `nil` for other text and for days that do not exist, such as 30 February.
    ///
    /// - Parameters:
    ///   - text: The date without surrounding spaces.
    ///   - now: The reference for two-digit years: a year more than 50 years after `now` is in the previous century
    ///     (RFC 9110 §5.6.7).
    package init?(_ text: String, now: Date = Date()) {
        guard text.utf8.count <= 40 else { return nil }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        if words.count == 6, Self.isSame(words[5], "GMT"), Self.isWeekday(words[0], of: Self.weekdays, suffix: ",") {
            self.init(day: words[1], month: words[2], year: words[3], time: words[4])
        } else if words.count == 4, Self.isSame(words[3], "GMT"), Self.isWeekday(words[0], of: Self.longWeekdays, suffix: ",") {
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3, let year = Self.number(parts[2], digits: 2) else { return nil }
            let thisYear = Self.civil(HTTPDate(now).secondsSince1970 / 86_400).year
            var full = thisYear - thisYear % 100 + year
            if full > thisYear + 50 { full -= 100 }
            self.init(day: parts[0], month: parts[1], year: "\(full)", time: words[2])
        } else if words.count == 5, Self.isWeekday(words[0], of: Self.weekdays) {
            self.init(day: words[2], month: words[1], year: words[4], time: words[3])
        } else if words.count == 6, words[2].isEmpty, Self.isWeekday(words[0], of: Self.weekdays) {
            // The first digit of the day is a space.
            self.init(day: "0" + words[3], month: words[1], year: words[5], time: words[4])
        } else {
            return nil
        }
    }

    private init?(day: String, month: String, year: String, time: String) {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard clock.count == 3, let day = Self.number(day, digits: 2), let year = Self.number(year, digits: 4),
            let month = Self.months.firstIndex(where: { Self.isSame($0, month) }), let hour = Self.number(clock[0], digits: 2),
            let minute = Self.number(clock[1], digits: 2), let second = Self.number(clock[2], digits: 2),
            // A leap second (60) is accepted and treated as second 59.
            hour < 24, minute < 60, second <= 60, day >= 1, day <= Self.length(ofMonth: month + 1, year: year)
        else { return nil }
        let days = Self.days(year: year, month: month + 1, day: day)
        secondsSince1970 = days * 86_400 + Int64(hour * 3600 + minute * 60 + min(second, 59))
    }

    private static func isSame(_ text: String, _ name: String) -> Bool { HeaderFields.isSame(text, name) }

    private static func isWeekday(_ text: String, of names: [String], suffix: String = "") -> Bool {
        names.contains { isSame(text, $0 + suffix) }
    }

    private static func number(_ text: String, digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int(text)
    }

    /// Returns the number of days of a month.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days since 1970 of a date in the proleptic Gregorian calendar. The calculation starts years in
    /// March, so that the leap day is the last day of a year.
    package static func days(year: Int, month: Int, day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    }

    /// Returns the date in the proleptic Gregorian calendar for a number of days since 1970.
    static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
