import Foundation

/// A thread-safe random number generator that returns the same sequence for the same seed.
// Unchecked: `generator` is used with the lock held.
package final class SharedGenerator: @unchecked Sendable {
    private let lock = NSLock()
    private var generator: SeededGenerator

    package init(_ seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    package func next() -> UInt64 { lock.withLock { generator.next() } }
    package func next(below limit: Int) -> Int { lock.withLock { generator.below(limit) } }
    /// Returns a number in `0..<1`.
    package func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
