/// A clock as interceptors use it: it measures the time since its creation, and suspends tasks.
///
/// It hides the type of the clock. A `ContinuousClock` is read directly, not through its protocol.
// A class, because copies of its closures would cost more than reading the clock.
package final class TimeSource: Sendable {
    /// The start on the continuous clock, in nanoseconds; `nil` for any other clock.
    private let start: UInt64?
    private let measure: @Sendable () -> Duration
    private let suspend: @Sendable (Duration) async throws -> Void

    /// Creates a time source that begins at zero.
    package init(_ clock: some Clock<Duration>) {
        suspend = { try await clock.sleep(bounded: $0) }
        start = clock is ContinuousClock ? continuousNanoseconds() : nil
        let start = clock.now
        measure = { start.duration(to: clock.now) }
    }

    /// The time since the creation of the time source.
    ///
    /// It runs code of the clock, which may belong to the caller, so it must not be read while a lock is held.
    package var elapsed: Duration {
        guard let start else { return measure() }
        return .nanoseconds(Int64(continuousNanoseconds() &- start))
    }

    /// Suspends the task; at most for the longest duration that clocks accept.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    package func sleep(for duration: Duration) async throws {
        try await suspend(duration)
    }
}

/// Returns the time of the monotonic clock, in nanoseconds.
package func monotonicNanoseconds() -> UInt64 { nanoseconds(of: CLOCK_MONOTONIC) }

// Not `ContinuousClock.now`, which takes three times as long: the size of an instant is known at run time only.
/// Returns the time of the clock that `ContinuousClock` reads, in nanoseconds. It also runs while the machine sleeps.
package func continuousNanoseconds() -> UInt64 { nanoseconds(of: continuousClockID) }

private func nanoseconds(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

extension Duration {
    /// The duration in nanoseconds, limited to 0...10^9 s so that sums cannot overflow.
    package var boundedNanoseconds: UInt64 {
        let (seconds, attoseconds) = min(max(self, .zero), .longest).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
