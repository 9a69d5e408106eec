import Foundation
import NetworkSupport

/// The pause for which a server asks before another request: that of `Retry-After` (RFC 9110 §10.2.3), and of fields like it.
///
/// The RFC permits whole seconds and dates in three forms. Servers also send fractions (`1.5`), units (`2s`, `500 ms`, `1m30s`), RFC 3339
/// dates, and dates with other zones than GMT, which are all understood. A pause is rounded up, so that it never ends before the time that
/// is meant. Of several, the longest applies.
package enum RetryAfter: Equatable, Sendable {
    /// The server does not ask for a pause.
    case none
    /// The server asks for this pause: at least zero and at most ``maximum``.
    case delay(Duration)
    /// The server asks for a pause whose length is not understood.
    case malformed

    /// The longest pause; a longer one is shortened to it. It is longer than any that a caller accepts.
    package static let maximum = Duration.longest
    /// The maximum size of a value, in bytes.
    private static let maximumBytes = 128
    /// The maximum number of values that are read.
    private static let maximumValues = 8

    /// Reads the field of a response.
    ///
    /// - Parameters:
    ///   - headers: The fields of the response. A date is measured from `Date` if that is present, because both come from the same clock.
    ///   - name: The name of the field. Default: `Retry-After`.
    ///   - unit: The unit of a number without one. Default: a second.
    ///   - now: The date from which other dates are measured.
    package init(
        _ headers: HeaderFields, named name: String = "Retry-After", unit: Duration = .seconds(1), now: Date = Date()
    ) {
        self = headers.values(for: name).prefix(Self.maximumValues).reduce(.none) { longest, text in
            longest.or(Self.pause(text, headers, unit, now).map(RetryAfter.delay) ?? .malformed)
        }
    }

    /// Returns the longer of two pauses; one that is understood, if the other is not.
    package func or(_ other: RetryAfter) -> RetryAfter {
        switch (self, other) {
        case (.delay(let first), .delay(let second)): .delay(max(first, second))
        case (.delay, _), (.malformed, .none): self
        default: other
        }
    }

    /// The pause, if it is understood.
    package var pause: Duration? { if case .delay(let pause) = self { pause } else { nil } }

    private static func pause(_ text: String, _ headers: HeaderFields, _ unit: Duration, _ now: Date) -> Duration? {
        guard text.utf8.count <= maximumBytes else { return nil }
        var text = Substring(text).trimmed
        if text.utf8.count >= 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
        if let pause = duration(text, unit: unit) ?? pause(untilDate: text, headers, now) { return pause }
        let parts = text.split(separator: ",").compactMap { duration(Substring($0).trimmed, unit: unit) }
        return parts.max()
    }

    /// Returns the time until a date.
    package static func pause(untilDate text: Substring, _ headers: HeaderFields, _ now: Date) -> Duration? {
        guard let date = LenientDate.seconds(zoned: String(text), now: now) else { return nil }
        return pause(until: date, headers, now)
    }

    /// Returns the time until a number of seconds after 1970, measured from `Date` if that is present.
    package static func pause(until date: Double, _ headers: HeaderFields, _ now: Date) -> Duration {
        let reference = headers["Date"].flatMap { LenientDate.seconds(zoned: $0, now: now) }
        return rounded(date - (reference ?? Double(HTTPDate(now).secondsSince1970)))
    }

    /// Returns the duration that a text spells: numbers, each with a unit, of which the only one may have none. `nil` for other text.
    package static func duration(_ text: Substring, unit: Duration = .seconds(1)) -> Duration? {
        var scanner = FieldScanner(text)
        var sum = 0.0
        var count = 0
        _ = scanner.take("+")
        while !scanner.isAtEnd {
            guard let number = scanner.takeNumber() else { return nil }
            scanner.takeSpace()
            let name = scanner.take { ($0 | 0x20) &- 0x61 < 26 }
            scanner.takeSpace()
            count += 1
            if name.isEmpty {
                guard count == 1, scanner.isAtEnd else { return nil }
                sum = number * (unit / .seconds(1))
            } else {
                guard let seconds = seconds(ofUnit: name.lowercased()) else { return nil }
                sum += number * seconds
            }
        }
        return count == 0 ? nil : rounded(sum)
    }

    /// Returns the duration of a unit in seconds.
    private static func seconds(ofUnit name: String) -> Double? {
        switch name {
        case "s", "sec", "secs", "second", "seconds": 1
        case "ms", "msec", "msecs", "millis", "millisecond", "milliseconds": 0.001
        case "us", "microseconds": 0.000_001
        case "m", "min", "mins", "minute", "minutes": 60
        case "h", "hr", "hrs", "hour", "hours": 3600
        case "d", "day", "days": 86_400
        default: nil
        }
    }

    /// Rounds up to whole milliseconds, so that the pause is not too short, and clamps to zero...``maximum``.
    private static func rounded(_ seconds: Double) -> Duration {
        // What is less than a millionth of a millisecond is an error of the multiplication.
        .milliseconds(Int64(((seconds * 1000 - 1e-6).rounded(.up)).clamped(to: 0...1e12, nan: 0)))
    }
}

extension FieldScanner {
    /// Reads a number with an optional fraction and exponent, such as `1.5`, `.5` or `1e3`.
    fileprivate mutating func takeNumber() -> Double? {
        var text = String(take(while: \.isDigit))
        let hasWhole = !text.isEmpty
        var copy = self
        if copy.take(".") {
            let fraction = copy.take(while: \.isDigit)
            guard hasWhole || !fraction.isEmpty else { return nil }
            text += ".\(fraction.isEmpty ? "0" : fraction)"
            self = copy
        }
        guard !text.isEmpty else { return nil }
        if text.first == "." { text = "0" + text }
        copy = self
        if copy.take("e") || copy.take("E") {
            let sign = copy.take("-") ? "-" : copy.take("+") ? "+" : ""
            let exponent = copy.take(while: \.isDigit)
            if !exponent.isEmpty {
                text += "e\(sign)\(exponent)"
                self = copy
            }
        }
        return Double(text)
    }
}
