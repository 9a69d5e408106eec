/// The lenient reading of dates in `Expires` (RFC 6265 §5.1.1).
///
/// Tokens are taken in any order and between any delimiters: the first that looks like a time of day, like a day of the month, like
/// a month, like a year. Names of days, time zones and everything else are skipped: all dates are in UTC.
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// - Parameter bytes: The value of the attribute.
    /// - Returns: Seconds since 1970-01-01T00:00:00Z, negative before; `nil` where a part is missing, out of its range (years begin with
    ///   1601), or where its month has no such day.
    static func seconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var date = CookieDate()
        for token in bytes.split(whereSeparator: isDelimiter) { date.receive(token) }
        return date.seconds
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private mutating func receive(_ token: ArraySlice<UInt8>) {
        if time == nil, let found = Self.time(token) {
            time = found
        } else if day == nil, let found = Self.number(token, digits: 1...2) {
            day = found.value
        } else if month == nil, let found = Self.month(token) {
            month = found
        } else if year == nil, let found = Self.number(token, digits: 2...4) {
            year = found.value
        }
    }

    private var seconds: Int64? {
        guard let time, let day, let month, var year else { return nil }
        if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
        guard year >= 1601, (1...Self.length(ofMonth: month, year: year)).contains(day), time.hour < 24, time.minute < 60,
            time.second < 60
        else { return nil }
        return Self.days(year: year, month: month, day: day) * 86_400
            + Int64(time.hour * 3600 + time.minute * 60 + time.second)
    }

    /// One or two digits, three times, with colons between; what follows a non-digit is ignored.
    private static func time(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(token, digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = number(hour.rest.dropFirst(), digits: 1...2), minute.rest.first == UInt8(ascii: ":"),
            let second = number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// The digits at the start, if they are that many, and what follows them. At most four are ever read as a number.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> (value: Int, rest: ArraySlice<UInt8>)? {
        let text = token.prefix { $0 &- UInt8(ascii: "0") < 10 }
        guard digits.contains(text.count) else { return nil }
        return (text.reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }, token[text.endIndex...])
    }

    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let name = token.prefix(3).map { $0 | 0x20 }
        return months.firstIndex { $0.elementsEqual(name) }.map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { Array($0.utf8) }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970 of a date of the Gregorian calendar. A year begins in March here, so that the leap day is its last.
    private static func days(year: Int, month: Int, day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return Int64(year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468)
    }
}
