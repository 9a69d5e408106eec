/// A date of HTTP (RFC 9110 §5.6.7) in the form that servers send: `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPTimestamp {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Seconds since 1970; `nil` for any other text, the obsolete forms included.
    package static func seconds(_ text: String) -> Int64? {
        let parts = text.trimmed.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT" else { return nil }
        guard let month = months.firstIndex(of: String(parts[2])) else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }), parts[1].utf8.count == 2, parts[3].utf8.count == 4,
            let day = ContentRange.number(parts[1]), let year = ContentRange.number(parts[3]),
            let hour = ContentRange.number(clock[0]), let minute = ContentRange.number(clock[1]),
            let second = ContentRange.number(clock[2])
        else { return nil }
        guard (1...31).contains(day), hour < 24, minute < 60, second <= 60, year >= 1900 else { return nil }
        return days(year, Int64(month) + 1, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// Since 1970, in the Gregorian calendar. The year is counted from March, so that a leap day is its last.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let century = year / 100
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year * 365 + year / 4 - century + century / 4 + dayOfYear - 719_468
    }
}
