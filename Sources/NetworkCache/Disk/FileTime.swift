import Endpoints
import Foundation

/// Nanoseconds since 1970, as files have them.
struct FileTime: Comparable, Hashable, Sendable {
    var nanoseconds: Int64

    init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    init(_ specification: timespec) {
        // What 64 bits cannot hold becomes the beginning or the end of time.
        let (whole, overflow) = Int64(specification.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let end: Int64 = specification.tv_sec < 0 ? .min : .max
        let (sum, overflowToo) = whole.addingReportingOverflow(Int64(specification.tv_nsec))
        nanoseconds = overflow || overflowToo ? end : sum
    }

    init(_ date: Date) {
        let value = date.timeIntervalSince1970 * 1e9
        nanoseconds = Int64(exactly: value.rounded(.down)) ?? (value < 0 ? .min : .max)
    }

    var specification: timespec {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        // The rest of a negative number is negative.
        return rest < 0
            ? timespec(tv_sec: Int(seconds) - 1, tv_nsec: Int(rest) + 1_000_000_000)
            : timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
    }

    static var now: FileTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return FileTime(time)
    }

    func advanced(by duration: Duration) -> FileTime {
        // So many seconds fit.
        let longest = Duration.seconds(9_223_372_036)
        let (seconds, attoseconds) = duration.clamped(to: .zero - longest...longest).components
        return FileTime(nanoseconds: nanoseconds.adding(clamped: seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
    }

    static func < (left: FileTime, right: FileTime) -> Bool { left.nanoseconds < right.nanoseconds }
}
