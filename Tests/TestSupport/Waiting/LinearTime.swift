import Foundation

/// How the processor time of an operation grows with the size of its input: as the size to the power of an exponent, which is 1 for linear
/// time and 2 for quadratic time.
///
/// The time is measured at three sizes, of which each is four times the one before. An exponent that is too large is measured again, each time as
/// the shortest of several, and at last with larger inputs: noise and costs that occur once disappear then, and the exponent of an operation
/// that is not linear remains.
package enum LinearTime {
    /// The largest exponent that is accepted. It allows for a logarithm, and for memory that no longer fits in a cache.
    package static let maximumExponent = 1.2
    /// An operation that takes less than this at the largest size is accepted without further measurements: even one that moves all bytes once
    /// for each byte takes longer.
    private static let negligible = Duration.milliseconds(1)

    /// Returns the exponent; 0 if the time is negligible.
    ///
    /// - Parameters:
    ///   - size: The smallest size.
    ///   - input: Returns the input of a size. Its time is not measured.
    ///   - run: The operation.
    package static func exponent<Input>(
        size: Int, input: (Int) throws -> Input, run: (Input) throws -> Void
    ) throws -> Double {
        var least = Double.infinity
        for (attempt, factor) in [1, 1, 1, 4, 4].enumerated() {
            let times = try [1, 4, 16].map { (scale: Int) -> Duration in
                let value = try input(size * factor * scale)
                // The first run prepares what is created once.
                if attempt == 0, scale == 1 { try run(value) }
                return try (0..<(attempt == 0 ? 1 : 3)).map { _ in try processorTime { try run(value) } }.min() ?? .zero
            }
            if times[2] < negligible { return 0 }
            let steps = [
                log(times[2] / max(times[0], .microseconds(5))) / log(16),
                log(times[2] / max(times[1], .microseconds(20))) / log(4),
            ]
            least = min(least, steps.max() ?? 0)
            // Larger inputs would take minutes.
            if least <= maximumExponent || times[2] > .seconds(2) { break }
        }
        return least
    }
}
