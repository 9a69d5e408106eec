/// Decides whether whoever starts a lone exchange looks for its response for a moment, before it leaves that to the engine's thread.
///
/// Within one machine a response comes in less time than it takes to wake that thread. Where none came in time, it is tried ever less
/// often: once in 1024 exchanges with a server that is far away.
struct BriefWait {
    /// For how long, in nanoseconds.
    static let limit: UInt64 = 100_000

    private var misses = 0
    private var hits = 0
    private var skips = 0

    /// Whether responses have come in time often enough to count on it.
    var isReliable: Bool { hits >= 3 }

    /// Whether to look this time.
    mutating func isDue() -> Bool {
        if skips == 0 { return true }
        skips -= 1
        return false
    }

    /// - Parameter isHit: Whether a response came in time.
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
