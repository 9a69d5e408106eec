import Foundation

/// The lenient parser for dates: that of `Expires` in cookies (RFC 6265 §5.1.1), and one with time zones for other fields.
///
/// Tokens are accepted in any order, separated by any delimiters: the first one that looks like a time of day, a day of the month, a month
/// and a year. All others, such as names of days and time zones, are skipped: all dates are in UTC.
package struct LenientDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Parses a date.
    ///
    /// - Parameter bytes: The value of the attribute.
    /// - Returns: Seconds since 1970-01-01T00:00:00Z, negative before; `nil` if a part is missing or out of range (the earliest year is
    ///   1601), or if the month has no such day.
    package static func seconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
        var date = LenientDate()
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
        guard year >= 1601, (1...HTTPDate.length(ofMonth: month, year: year)).contains(day), time.hour < 24, time.minute < 60,
            time.second < 60
        else { return nil }
        return HTTPDate.days(year: year, month: month, day: day) * 86_400
            + Int64(time.hour * 3600 + time.minute * 60 + time.second)
    }

    /// Parses three numbers of one or two digits, separated by colons. Text after the third number is ignored.
    private static func time(_ token: ArraySlice<UInt8>) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = number(token, digits: 1...2), hour.rest.first == UInt8(ascii: ":"),
            let minute = number(hour.rest.dropFirst(), digits: 1...2), minute.rest.first == UInt8(ascii: ":"),
            let second = number(minute.rest.dropFirst(), digits: 1...2)
        else { return nil }
        return (hour.value, minute.value, second.value)
    }

    /// Parses the digits at the start, if their number is in the range, and returns the rest of the token. At most four digits are parsed.
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
}

extension LenientDate {
    /// The maximum size of a date with a time zone, in bytes.
    private static let maximumBytes = 80
    /// The offsets of the time zones of RFC 822 §5.1, in hours.
    private static let zones = [
        "gmt": 0, "utc": 0, "ut": 0, "z": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8,
        "pdt": -7,
    ]

    /// Parses a date in any form of HTTP (``HTTPDate``), of RFC 5322 or of RFC 3339, with any spacing, and a time zone by offset or name.
    /// Without a zone, it is in UTC.
    ///
    /// - Parameter now: The reference for years of two digits.
    /// - Returns: Seconds since 1970-01-01T00:00:00Z; `nil` for other text, and if the zone is not known.
    package static func seconds(zoned text: String, now: Date = Date()) -> Double? {
        guard text.utf8.count <= maximumBytes else { return nil }
        if let date = HTTPDate(text, now: now) { return Double(date.secondsSince1970) }
        var words: [Substring] = []
        var offset: Int?
        for word in text.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "," || $0 == ";" }) {
            let (kept, found) = divided(word)
            if let kept { words.append(kept) }
            guard let found else { continue }
            // A name and an offset, as in `GMT+0200`, are one zone in two words.
            guard offset ?? 0 == 0, let zone = Self.offset(found) else { return nil }
            offset = zone
        }
        let seconds = iso8601(words) ?? Self.seconds(Array(words.joined(separator: " ").utf8)[...]).map(Double.init)
        return seconds.map { $0 - Double(offset ?? 0) }
    }

    /// Returns what of a word belongs to the date, and what to the time zone.
    private static func divided(_ word: Substring) -> (date: Substring?, zone: Substring?) {
        let lower = word.prefix(3).lowercased()
        if word.utf8.first.map({ $0 | 0x20 }).map({ 0x61...0x7A ~= $0 }) ?? false {
            let isName =
                ["sun", "mon", "tue", "wed", "thu", "fri", "sat"].contains(lower) || month(Array(lower.utf8)[...]) != nil
            return isName && word.utf8.count >= 3 ? (word, nil) : (nil, word)
        }
        if "+-".contains(word.first ?? " ") { return (nil, word) }
        guard let colon = word.firstIndex(of: ":"),
            let end = word[colon...].firstIndex(where: { $0.isLetter || $0 == "+" || $0 == "-" })
        else { return (word, nil) }
        return (word[..<end], word[end...])
    }

    /// Returns the offset of a time zone in seconds: `GMT`, `Z`, `+0200`, `-02:00`, `+02` or `UTC+2`.
    private static func offset(_ zone: Substring) -> Int? {
        let name = zone.prefix(while: \.isLetter)
        let digits = zone[name.endIndex...]
        guard name.isEmpty || zones[name.lowercased()] != nil else { return nil }
        let base = (zones[name.lowercased()] ?? 0) * 3600
        guard let sign = digits.first else { return name.isEmpty ? nil : base }
        let number = digits.dropFirst().filter { $0 != ":" }
        guard sign == "+" || sign == "-", (1...4).contains(number.count), number.allSatisfy({ $0.isASCII && $0.isNumber }),
            let value = Int(number)
        else { return nil }
        let (hours, minutes) = number.count <= 2 ? (value, 0) : (value / 100, value % 100)
        guard hours < 24, minutes < 60 else { return nil }
        return base + (sign == "+" ? 1 : -1) * (hours * 3600 + minutes * 60)
    }

    /// Parses `2026-11-24T02:00:00`, with a space instead of `T`, and with or without seconds and their fraction, as a date in UTC.
    private static func iso8601(_ words: [Substring]) -> Double? {
        let parts = words.joined(separator: "T").uppercased().split(separator: "T", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let time = parts[1].replacingOccurrences(of: ",", with: ".")
        let full = time.utf8.count(where: { $0 == UInt8(ascii: ":") }) == 1 ? time + ":00" : time
        return InternetDate.date("\(parts[0])T\(full)Z")?.timeIntervalSince1970
    }
}
