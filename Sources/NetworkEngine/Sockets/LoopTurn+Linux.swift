#if os(Linux)
    /// The bytes that all connections together may still receive in one round of the loop, so that a round is short however many peers send
    /// without pause.
    struct LoopTurn {
        private var bytes = 16 << 20

        var hasRoom: Bool { bytes > 0 }

        mutating func take(_ count: Int) {
            bytes -= count
        }
    }

    /// Decides whether the thread that sends the only request polls for its response for a moment, before the loop's thread takes over.
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
#endif
