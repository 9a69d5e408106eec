import NetworkCore

/// A thread-safe random number generator that returns the same sequence for the same seed.
final class SeededRandom: Sendable {
    private let state: Locked<UInt64>

    init(_ seed: UInt64) {
        state = Locked(seed)
    }

    func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
    /// Returns a number in `0..<1`.
    func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
