/// How much a logger tells. Each level includes the ones before it.
public enum LogLevel: Int, Sendable, Hashable, CaseIterable, Comparable {
    /// Nothing.
    case off
    /// Failures only.
    case error
    /// One line per request and one per response: method, URL, status, duration, sizes.
    case info
    /// Headers and bodies too, redacted and cut at a limit.
    case debug

    /// Whether `lhs` tells less than `rhs`.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool {
        lhs.rawValue < rhs.rawValue
    }
}
