import Foundation

/// Reads and writes dates as `2024-01-31T23:59:59Z`, the form that Foundation's `.iso8601` strategies write (RFC 3339 §5.6).
///
/// It handles years from 1583 to 9999, the Gregorian calendar. Foundation handles all others.
enum ISO8601 {
    /// Reads a date from 20 bytes; nil if they have another form.
    static func date(_ p: Bytes.Pointer) -> Date? {
        guard p[4] == 0x2D, p[7] == 0x2D, p[10] == 0x54, p[13] == 0x3A, p[16] == 0x3A, p[19] == 0x5A else { return nil }
        var bad = false
        @inline(__always)
        func two(_ i: Int) -> Int {
            let (a, b) = (p[i] &- 0x30, p[i + 1] &- 0x30)
            if a > 9 || b > 9 { bad = true }
            return Int(a) &* 10 &+ Int(b)
        }
        let year = two(0) * 100 + two(2)
        let (month, day, hour, minute, second) = (two(5), two(8), two(11), two(14), two(17))
        guard !bad, year >= 1583, (1...12).contains(month), day >= 1, day <= days(year, month), hour < 24, minute < 60,
            second < 60
        else {
            return nil
        }
        let seconds = Int64(daysSince1970(year, month, day)) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200))
    }

    /// Writes 20 bytes: the date, rounded down to whole seconds.
    ///
    /// - Returns: False if the year is out of range.
    static func write(_ date: Date, to out: UnsafeMutablePointer<UInt8>, years: ClosedRange<Int> = 1583...9999) -> Bool {
        let interval = date.timeIntervalSinceReferenceDate.rounded(.down)
        // 0000-01-01T00:00:00Z to 10000-01-01T00:00:00Z.
        guard (-63_145_526_400..<252_423_993_600).contains(interval) else { return false }
        let total = Int64(interval) + 978_307_200
        var days = Int(total / 86_400)
        var rest = Int(total % 86_400)
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let (year, month, day) = civil(days)
        guard years.contains(year) else { return false }
        @inline(__always)
        func two(_ value: Int, _ i: Int) {
            out[i] = UInt8(0x30 + value / 10)
            out[i + 1] = UInt8(0x30 + value % 10)
        }
        two(year / 100, 0)
        two(year % 100, 2)
        two(month, 5)
        two(day, 8)
        two(rest / 3600, 11)
        two(rest / 60 % 60, 14)
        two(rest % 60, 17)
        (out[4], out[7], out[10], out[13], out[16], out[19]) = (0x2D, 0x2D, 0x54, 0x3A, 0x3A, 0x5A)
        return true
    }

    /// Throws an error for a date that Foundation would write as another one: its calendar has the years -4712 to 506713.
    static func check(_ date: Date, _ path: @autoclosure () -> [any CodingKey]) throws {
        let seconds = date.timeIntervalSinceReferenceDate
        guard !(seconds > -2.1e11 && seconds < 1.5e13) else { return }
        throw EncodingError.refusal(
            seconds, path(), "The date is \(seconds) seconds from 2001, which no calendar can write as text.")
    }

    static func days(_ year: Int, _ month: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    // Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let z = days + 719_468
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let mp = (5 * dayOfYear + 2) / 153
        let month = mp < 10 ? mp + 3 : mp - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * mp + 2) / 5 + 1)
    }
}

/// Reads and writes UUIDs as 36 characters (RFC 9562 §4).
enum UUIDText {
    /// Reads a UUID from 36 bytes; nil if they have another form.
    static func parse(_ p: Bytes.Pointer) -> UUID? {
        guard p[8] == 0x2D, p[13] == 0x2D, p[18] == 0x2D, p[23] == 0x2D else { return nil }
        var bad: UInt8 = 0
        @inline(__always)
        func byte(_ i: Int) -> UInt8 {
            let high = Bytes.hexDigit(p[i])
            let low = Bytes.hexDigit(p[i + 1])
            bad |= (high | low) & 0xF0
            return high << 4 | low & 15
        }
        let bytes: uuid_t = (
            byte(0), byte(2), byte(4), byte(6), byte(9), byte(11), byte(14), byte(16), byte(19), byte(21), byte(24), byte(26),
            byte(28), byte(30),
            byte(32), byte(34)
        )
        return bad == 0 ? UUID(uuid: bytes) : nil
    }

    /// Writes 36 bytes, in upper case as `UUID.uuidString`.
    static func write(_ uuid: UUID, to out: UnsafeMutablePointer<UInt8>) {
        withUnsafeBytes(of: uuid.uuid) { bytes in
            var o = out
            for i in 0..<16 {
                if i == 4 || i == 6 || i == 8 || i == 10 {
                    o.pointee = 0x2D
                    o += 1
                }
                o[0] = hex(bytes[i] >> 4)
                o[1] = hex(bytes[i] & 15)
                o += 2
            }
        }
    }

    @inline(__always)
    private static func hex(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 &+ digit : 0x37 &+ digit }
}
