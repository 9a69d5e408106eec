import Endpoints
import NetworkLogging

/// A parsed `Set-Cookie` field (RFC 6265 §5.2, with the limits of its revision, draft-ietf-httpbis-rfc6265bis).
///
/// Unknown attributes are ignored.
struct SetCookie {
    /// The maximum length of name and value together, in bytes (6265bis). Longer cookies are refused.
    static let maximumPairBytes = 4096
    /// The maximum length of an attribute's value, in bytes (6265bis). Longer attributes are ignored.
    static let maximumAttributeBytes = 1024

    /// The name; empty for a cookie without one, of which only the value is sent (6265bis).
    private(set) var name: ArraySlice<UInt8>
    private(set) var value: ArraySlice<UInt8>
    /// `Max-Age`, in seconds; zero or less removes the cookie. Clamped to ±2^53.
    private(set) var maximumAge: Int64?
    /// `Expires`, in seconds since 1970.
    private(set) var expires: Int64?
    /// `Domain`, in lower case and without its leading dot; `nil` if it is missing or empty.
    private(set) var domain: String?
    /// `Path`; `nil` for the default path.
    private(set) var path: [UInt8]?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    /// `SameSite`; an unknown value is the same as none (6265bis §5.6.7).
    private(set) var sameSite = StoredCookie.SameSite.unspecified

    /// Parses a field; `nil` if it contains a control character other than a tab, if name and value are both empty, or if they are longer
    /// than 4096 bytes together.
    ///
    /// - Parameter field: The value of one field. Fields must not be joined or split at commas.
    init?(_ field: String) {
        let bytes = Array(field.utf8)
        guard bytes.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else { return nil }
        var rest = bytes[...]
        let pair = Self.takeUntilSemicolon(from: &rest)
        if let split = pair.firstIndex(of: UInt8(ascii: "=")) {
            (name, value) = (pair[..<split].trimmed, pair[(split + 1)...].trimmed)
        } else {
            (name, value) = ([], pair.trimmed)
        }
        guard !name.isEmpty || !value.isEmpty, name.count + value.count <= Self.maximumPairBytes else { return nil }
        while !rest.isEmpty { receive(attribute: Self.takeUntilSemicolon(from: &rest)) }
    }

    /// Applies an attribute. The last attribute of a name counts; an invalid one is ignored.
    private mutating func receive(attribute: ArraySlice<UInt8>) {
        let split = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
        let value = attribute[split...].dropFirst().trimmed
        guard value.count <= Self.maximumAttributeBytes else { return }
        switch Self.lowercased(attribute[..<split].trimmed) {
        case "expires": expires = CookieDate.seconds(value) ?? expires
        case "max-age": maximumAge = Self.age(value) ?? maximumAge
        case "domain":
            domain = value.isEmpty ? domain : Self.lowercased(value.first == UInt8(ascii: ".") ? value.dropFirst() : value)
        case "path": path = value.first == UInt8(ascii: "/") ? Array(value) : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = StoredCookie.SameSite(rawValue: Self.lowercased(value)) ?? .unspecified
        default: break
        }
    }

    /// Parses digits with an optional minus sign.
    private static func age(_ text: ArraySlice<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text
        guard let age = digits.decimal(clampedTo: 1 << 53) else { return nil }
        return isNegative ? -age : age
    }

    private static func takeUntilSemicolon(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return rest[..<end]
    }

    /// Returns the text with ASCII letters in lower case.
    private static func lowercased(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

/// The lenient parser for dates in `Expires` (RFC 6265 §5.1.1).
///
/// Tokens are accepted in any order, separated by any delimiters: the first one that looks like a time of day, a day of the month, a month
/// and a year. All others, such as names of days and time zones, are skipped: all dates are in UTC.
struct CookieDate {
    private var time: (hour: Int, minute: Int, second: Int)?
    private var day: Int?
    private var month: Int?
    private var year: Int?

    /// Parses a date.
    ///
    /// - Parameter bytes: The value of the attribute.
    /// - Returns: Seconds since 1970-01-01T00:00:00Z, negative before; `nil` if a part is missing or out of range (the earliest year is
    ///   1601), or if the month has no such day.
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
