import Foundation

/// Dates as `2026-11-24T02:00:00Z` (RFC 3339 §5.6), the default in JSON bodies, queries and forms.
///
/// They are written in UTC, with `Z`, rounded down to whole seconds. The calendar is the proleptic Gregorian one, with the years
/// 0000 to 9999.
package enum InternetDate {
    /// The number of bytes of a date that is written.
    static let bytes = 20

    /// Returns the text of a date; `nil` outside of the years 0000 to 9999.
    package static func text(_ date: Date) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes) { text in
            guard let start = text.baseAddress, write(date, to: start) else { return nil }
            return String(decoding: UnsafeBufferPointer(start: start, count: bytes), as: UTF8.self)
        }
    }

    /// Returns the date of a text with or without a fraction of a second, in any time zone; `nil` if it is not RFC 3339.
    package static func date(_ text: String) -> Date? {
        var text = text
        return text.withUTF8 { bytes in bytes.baseAddress.flatMap { date($0, bytes.count) } }
    }

    /// Writes ``bytes`` bytes.
    ///
    /// - Returns: False outside of the years 0000 to 9999.
    static func write(_ date: Date, to out: UnsafeMutablePointer<UInt8>) -> Bool {
        ISO8601.write(date, to: out, years: 0...9999)
    }

    /// Returns the error for a date outside of the years 0000 to 9999.
    static func error(_ date: Date, _ codingPath: [any CodingKey]) -> EncodingError {
        // Not the date itself: its description would stop the process.
        .refusal(date.timeIntervalSinceReferenceDate, codingPath, "Unable to write the date: \(refusal(date)) (RFC 3339).")
    }

    /// The reason why a date cannot be written.
    package static func refusal(_ date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite else { return "the date is \(seconds) seconds from 2001, which is no point in time" }
        guard seconds.magnitude < 1e15 else {
            return "the date is \(seconds) seconds from 2001, which is outside of the years 0000 to 9999"
        }
        let year = ISO8601.civil(Int((seconds / 86_400).rounded(.down)) + 11_323).year
        return year < 0 ? "the year \(year) is before the year 0000" : "the year \(year) has more than four digits"
    }

    /// Reads a date; `nil` if the bytes have another form. A leap second is the first second of the next minute (§5.7).
    static func date(_ p: UnsafePointer<UInt8>, _ count: Int) -> Date? {
        guard count >= 20, p[4] == 0x2D, p[7] == 0x2D, p[10] | 0x20 == 0x74, p[13] == 0x3A, p[16] == 0x3A else { return nil }
        var isValid = true
        func number(_ start: Int, _ width: Int) -> Int {
            var number = 0
            for index in start..<(start + width) {
                let digit = p[index] &- 0x30
                if digit > 9 { isValid = false }
                number = number * 10 + Int(digit)
            }
            return number
        }
        let (year, month, day) = (number(0, 4), number(5, 2), number(8, 2))
        let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
        guard isValid, (1...12).contains(month), day >= 1, day <= ISO8601.days(year, month), hour < 24, minute < 60, second <= 60
        else { return nil }

        var (digits, scale) = (0.0, 1.0)
        var end = 19
        if p[end] == 0x2E {
            end += 1
            let start = end
            while end < count, p[end] &- 0x30 <= 9 {
                // More digits than a `Double` can hold make no difference.
                if end - start < 15 {
                    digits = digits * 10 + Double(p[end] &- 0x30)
                    scale *= 10
                }
                end += 1
            }
            guard end > start, end < count else { return nil }
        }
        var offset = 0
        switch p[end] {
        case 0x5A, 0x7A:
            guard end + 1 == count else { return nil }
        case 0x2B, 0x2D:
            guard end + 6 == count, p[end + 3] == 0x3A else { return nil }
            let (hours, minutes) = (number(end + 1, 2), number(end + 4, 2))
            guard isValid, hours < 24, minutes < 60 else { return nil }
            offset = (hours * 60 + minutes) * (p[end] == 0x2B ? 60 : -60)
        default: return nil
        }
        let days = ISO8601.daysSince1970(year, month, day)
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset - 978_307_200
        return Date(timeIntervalSinceReferenceDate: Double(whole) + digits / scale)
    }
}

extension JSONEncoder.DateEncodingStrategy {
    /// Dates as ``InternetDate`` writes them, for Foundation's encoder.
    static let internet = JSONEncoder.DateEncodingStrategy.custom { date, encoder in
        guard let text = InternetDate.text(date) else {
            throw InternetDate.error(date, encoder.codingPath)
        }
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension JSONDecoder.DateDecodingStrategy {
    /// Dates as ``InternetDate`` reads them, for Foundation's decoder.
    static let internet = JSONDecoder.DateDecodingStrategy.custom { decoder in
        guard let date = InternetDate.date(try decoder.singleValueContainer().decode(String.self)) else {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: expected))
        }
        return date
    }

    /// The description of the error for a text that is not a date.
    static let expected = "Expected a date such as 2026-02-03T04:05:06Z (RFC 3339)."
}
