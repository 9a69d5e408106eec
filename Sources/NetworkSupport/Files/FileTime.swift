import Foundation

/// A time in nanoseconds since 1970, as used for files.
package struct FileTime: Comparable, Hashable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    package init(_ specification: timespec) {
        // Times that do not fit into 64 bits are clamped.
        let (whole, overflow) = Int64(specification.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let end: Int64 = specification.tv_sec < 0 ? .min : .max
        let (sum, overflowToo) = whole.addingReportingOverflow(Int64(specification.tv_nsec))
        nanoseconds = overflow || overflowToo ? end : sum
    }

    package init(_ date: Date) {
        let value = date.timeIntervalSince1970 * 1e9
        nanoseconds = Int64(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
    }

    /// The time in the type of the system.
    package var specification: timespec {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // The remainder of a negative number is negative.
        return rest < 0
            ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
            : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    }

    /// The current time of the system's clock.
    package static var now: FileTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    /// Returns the time after a duration. Durations beyond 292 years are shortened; a sum that does not fit is clamped.
    package func advanced(by duration: Duration) -> FileTime {
        // The maximum number of whole seconds that fit into 64 bits of nanoseconds.
        let longest = Duration.seconds(9_223_372_036)
        let (seconds, attoseconds) = min(max(duration, .zero - longest), longest).components
        let added = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let (sum, isOverflow) = nanoseconds.addingReportingOverflow(added)
        return FileTime(nanoseconds: isOverflow ? (added < 0 ? .min : .max) : sum)
    }

    /// Returns the duration since an earlier time; negative since a later one.
    package func duration(since other: FileTime) -> Duration { .nanoseconds(nanoseconds) - .nanoseconds(other.nanoseconds) }

    package static func < (left: FileTime, right: FileTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
