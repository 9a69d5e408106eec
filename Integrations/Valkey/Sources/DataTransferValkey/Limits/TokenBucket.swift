/// A token bucket as the generic cell rate algorithm (GCRA): a pure state machine. Times are in microseconds.
///
/// The script of ``ValkeyRateLimiter`` does the same on the server.
package struct TokenBucket: Sendable {
    /// The time between two tokens.
    package var interval: Double
    /// The number of tokens in a full bucket, at least 1.
    package var burst: Double
    /// The time at which the bucket would be full.
    package var due: Double
    /// The time before which there are no tokens.
    package var pausedUntil = 0.0

    /// Creates a bucket that is full, or empty at a time.
    package init(interval: Double, burst: Double, emptyAt time: Double? = nil) {
        self.interval = interval
        self.burst = burst
        due = 0
        if let time { empty(at: time) }
    }

    /// Makes the bucket empty at a time, at which the next token is one interval away.
    package mutating func empty(at time: Double) {
        due = max(due, time + interval * burst)
    }

    /// The time of the last token that was taken, or an earlier one.
    var lastSlot: Double { due - interval * burst }

    /// Takes a token, unless the wait for it is longer than a maximum.
    ///
    /// - Returns: The time until it may be used. If it is longer than the maximum, no token was taken.
    package mutating func take(at now: Double, maximum: Double) -> Double {
        // In a pause, the bucket fills at most to its end: as many tokens as it holds may be used then.
        let start = max(now, pausedUntil)
        let slot = max(start, due - interval * (burst - 1))
        guard slot - now <= maximum else { return slot - now }
        due = max(due, start) + interval
        return slot - now
    }
}
