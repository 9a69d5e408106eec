import Endpoints
import NetworkSupport

/// The preferred form of dates in header fields (RFC 9110 §5.6.7), `Sun, 06 Nov 1994 08:49:37 GMT`, which nearly all responses have. It is read
/// without creating texts, as a response from a directory is parsed for each use.
enum FixedDate {
    private static let byteCount = 29

    /// Returns the seconds from 1970; `nil` for any other text, which may still be a date in another form: see ``Endpoints/HTTPDate``.
    static func seconds(_ text: String) -> Int64? {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == byteCount, isWeekday(bytes), bytes[3] == UInt8(ascii: ","), bytes[4] == space, bytes[7] == space,
                bytes[11] == space, bytes[16] == space, bytes[19] == colon, bytes[22] == colon, bytes[25] == space,
                word(bytes, 26) == name("GMT"), let month = months.firstIndex(of: word(bytes, 8)),
                let day = number(bytes, 5, 2), let year = number(bytes, 12, 4), let hour = number(bytes, 17, 2),
                let minute = number(bytes, 20, 2), let second = number(bytes, 23, 2), hour < 24, minute < 60, second < 60,
                day >= 1, day <= HTTPDate.length(ofMonth: month + 1, year: year)
            else { return nil }
            let days = HTTPDate.days(year: year, month: month + 1, day: day)
            return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        }
    }

    private static let space = UInt8(ascii: " ")
    private static let colon = UInt8(ascii: ":")
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].map(name)
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ].map(name)

    private static func isWeekday(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { weekdays.contains(word(bytes, 0)) }

    /// Returns three bytes as a number.
    private static func word(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> UInt32 {
        UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
    }

    private static func name(_ text: String) -> UInt32 { text.utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func number(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var number = 0
        for index in start..<(start + count) {
            guard bytes[index] &- 0x30 < 10 else { return nil }
            number = number * 10 + Int(bytes[index] &- 0x30)
        }
        return number
    }
}
