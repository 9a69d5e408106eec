import Foundation

/// The text of a value that has no structure.
enum ParameterScalar {
    case text(String)
    /// Not a scalar: its own `encode(to:)` says what it is.
    case structured
    /// A scalar that has no text, and why.
    case refused(String)

    init(_ value: any Encodable, style: QueryStyle) {
        switch value {
        case let text as String: self = .text(text)
        case let number as Int: self = .text(String(number))
        case let flag as Bool: self = .text(style.booleans == .words ? String(flag) : (flag ? "1" : "0"))
        case let number as Double: self = number.isFinite ? .text(String(number)) : Self.infinite
        case let number as Float: self = number.isFinite ? .text(String(number)) : Self.infinite
        case let date as Date: self = Self.scalar(of: date, style: style)
        case let url as URL: self = .text(url.absoluteString)
        case let data as Data: self = .text(data.base64EncodedString())
        case let number as Decimal: self = number.isFinite ? .text("\(number)") : Self.infinite
        case let number as any FixedWidthInteger & Encodable: self = .text(String(describing: number))
        default: self = .structured
        }
    }

    private static let infinite = ParameterScalar.refused("it is not a finite number")

    private static func scalar(of date: Date, style: QueryStyle) -> ParameterScalar {
        let seconds = date.timeIntervalSince1970
        let text =
            switch style.dates {
            case .iso8601: iso8601(seconds)
            case .secondsSince1970: Int64(exactly: seconds.rounded(.down)).map { String($0) }
            case .millisecondsSince1970: Int64(exactly: (seconds * 1000).rounded(.down)).map { String($0) }
            }
        return text.map(ParameterScalar.text) ?? .refused("the date is out of range")
    }

    /// `2026-02-03T04:05:06Z` of the proleptic Gregorian calendar, years 0000 to 9999 (RFC 3339 §5.6).
    ///
    /// Foundation's styles give another calendar before 1582 and the nearest year they know for dates beyond it.
    private static func iso8601(_ secondsSince1970: Double) -> String? {
        guard (-62_167_219_200..<253_402_300_800).contains(secondsSince1970) else { return nil }
        let second = Int(secondsSince1970.rounded(.down)) + 62_162_035_200  // since 0000-03-01, so that leap days end years
        let (day, time) = (second >= 0 ? second / 86_400 : (second - 86_399) / 86_400, (second % 86_400 + 86_400) % 86_400)
        let era = day >= 0 ? day / 146_097 : -1
        let dayOfEra = day - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, 2))"
        return "\(date)T\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2))Z"
    }
}
