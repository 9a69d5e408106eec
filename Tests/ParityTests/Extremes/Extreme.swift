import Foundation
import Testing
import TransferTestSupport

/// The extreme values of each type that a caller can pass.
enum Extreme {
    static let integers: [Int] = [.min, .min + 1, -1, 0, 1, 65_536, .max - 1, .max]
    static let wide: [Int64] = integers.map { Int64($0) }
    static let doubles: [Double] = [
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0, -0.0, -1, 1,
        1e19,
    ]
    static let durations: [Duration] = [
        .zero, .nanoseconds(1), .nanoseconds(-1), .nanoseconds(Int64.min), .nanoseconds(Int64.max), .seconds(Int64.max),
        .seconds(Int64.min), .seconds(1.7e20), .seconds(-1.7e20),
    ]
    static let dates: [Date] =
        doubles.map { Date(timeIntervalSince1970: $0) } + [1e300, -1e300, 1e18].map { Date(timeIntervalSince1970: $0) } + [
            .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude),
        ]
    static let shortTexts: [String] = [
        "", " ", "\0", "\r\n", "a\r\nX-Injected: 1", "\u{7F}", "🎬👩‍👩‍👧‍👦", "e\u{301}", "\u{FEFF}", "\u{202E}", "\u{FFFD}", "%", "%zz",
        "%ED%A0%80", #"\ud800"#, "..", "../../x", "/", "//", "http://", "://", "http://[", "http://a:99999/", "a@b:c@d", "?", "#",
        "[",
        "]", "{", "}", "{}", "{a", "\"", "'", "\\", ";", ",", "=", "-1", "9223372036854775808", "NaN", "1e999",
    ]
    /// ``LinearTimeTests`` uses longer texts.
    static let longTexts: [String] =
        [String(repeating: "a", count: 1 << 14)] + ["%", "/", "é", "🎬"].map { String(repeating: $0, count: 1 << 11) }
    static let texts = shortTexts + longTexts
    /// The texts that are accepted as URLs.
    static let urls: [URL] =
        (shortTexts + ["https://api.test/\(longTexts[0])", "file:///etc/passwd", "data:,x"]).compactMap { URL(string: $0) }

    /// Returns pairs in which each value of one list occurs with the usual value and with an extreme one of the other list, or all pairs if
    /// `DATA_TRANSFER_SLOW` is set.
    static func pairs<A, B>(_ first: [A], _ second: [B], usual: (A, B)) -> [(A, B)] {
        if isSlowRun { return first.flatMap { value in second.map { (value, $0) } } }
        let both = (0..<max(first.count, second.count)).map { (first[$0 % first.count], second[$0 % second.count]) }
        return first.map { ($0, usual.1) } + second.map { (usual.0, $0) } + both
    }
}

/// One row of the table: the names of the called declarations, as ``PublicDeclarations`` returns them, and the calls.
struct ExtremeCall: Sendable, CustomTestStringConvertible {
    let names: [String]
    let run: @Sendable () async throws -> Void

    init(_ names: String..., run: @escaping @Sendable () async throws -> Void) {
        self.names = names
        self.run = run
    }

    var testDescription: String { names.first ?? "" }
}

/// Creates all descriptions of a value.
func describe(_ value: Any) {
    _ = "\(value)"
    _ = String(reflecting: value)
}

/// Starts a call that could wait indefinitely, and cancels it.
func cancelling(_ call: @escaping @Sendable () async throws -> Void) async {
    let task = Task { try await call() }
    task.cancel()
    _ = await task.result
}
