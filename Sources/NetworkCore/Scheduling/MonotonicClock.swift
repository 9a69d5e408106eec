#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Returns the time of the monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

extension Duration {
    /// The duration in nanoseconds, limited to 0...10^6 s so that sums cannot overflow.
    var boundedNanoseconds: UInt64 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(1_000_000)).components
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}

/// Returns a closure that measures the time since this call on a clock. A `ContinuousClock` is read directly, not through its
/// protocol.
package func stopwatch<Time: Clock<Duration>>(_ clock: Time) -> @Sendable () -> Duration {
    if let clock = clock as? ContinuousClock {
        let start = clock.now
        return { start.duration(to: ContinuousClock.now) }
    }
    let start = clock.now
    return { start.duration(to: clock.now) }
}

/// Decides whether the thread that sends the only request polls for its response for a moment, before the engine's thread takes over.
///
/// Within one machine a response arrives sooner than a thread can be woken. After each response that did not arrive in time, the
/// number of requests without polling doubles, up to 1,023.
struct BriefWait {
    /// The maximum time to poll, in nanoseconds.
    static let limit: UInt64 = 100_000

    private var misses = 0
    private var hits = 0
    private var skips = 0

    /// Whether at least the last three polls received their response in time.
    var isReliable: Bool { hits >= 3 }

    /// Returns whether to poll this time.
    mutating func isDue() -> Bool {
        if skips == 0 { return true }
        skips -= 1
        return false
    }

    /// Records the result of a poll.
    ///
    /// - Parameter isHit: Whether the response arrived in time.
    mutating func note(isHit: Bool) {
        if isHit {
            misses = 0
            hits += 1
        } else {
            hits = 0
            misses = min(misses + 1, 10)
            skips = (1 << misses) - 1
        }
    }
}
