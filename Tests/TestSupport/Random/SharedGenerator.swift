import NetworkCore

/// A thread-safe random number generator that returns the same sequence for the same seed.
package final class SharedGenerator: Sendable {
    private let generator: Locked<SeededGenerator>

    package init(_ seed: UInt64) {
        generator = Locked(SeededGenerator(seed: seed))
    }

    package func next() -> UInt64 { generator.withLock { $0.next() } }
    package func next(below limit: Int) -> Int { generator.withLock { $0.below(limit) } }
    /// Returns a number in `0..<1`.
    package func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
