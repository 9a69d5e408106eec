import Foundation

/// How the processor time of an operation grows with the size of its input: as the size to the power of an exponent, which is 1 for linear
/// time and 2 for quadratic time.
///
/// Two sizes are compared, of which the second is four times the first. An exponent that is not clearly 1 is measured again with larger inputs, and
/// if it is too large then, as the shortest of several: noise, costs that occur once, caches and windows of a fixed size disappear, and the
/// exponent of an operation that is not linear remains. One exponent that is small enough suffices, because quadratic time is not linear by
/// chance.
package enum LinearTime {
    /// The largest exponent that is accepted. It allows for a logarithm, and for memory that no longer fits in a cache.
    package static let maximumExponent = 1.2
    /// An operation that takes less than this at the second size is accepted without a comparison: even one that moves all bytes once for
    /// each byte takes longer.
    private static let negligible = Duration.microseconds(200)

    /// Returns the exponent; 0 if the time is negligible.
    ///
    /// - Parameters:
    ///   - size: The first size in bytes.
    ///   - input: Returns the input of a size. Its time is not measured.
    ///   - run: The operation.
    package static func exponent<Input>(
        size: Int, input: (Int) throws -> Input, run: (Input) throws -> Void
    ) throws -> Double {
        func time(_ size: Int, runs: Int) throws -> Duration {
            let value = try input(size)
            return try (0..<runs).map { _ in try processorTime { try run(value) } }.min() ?? .zero
        }
        var least = Double.infinity
        for (factor, runs, accepted) in [
            (1, 1, 1.04), (4, 1, maximumExponent), (4, 3, maximumExponent), (16, 2, maximumExponent), (4, 7, maximumExponent),
            (16, 5, maximumExponent),
        ] {
            // The longer one is first, so that what is created once makes the exponent larger, which is then measured again.
            let long = try time(size * factor * 4, runs: runs)
            if long < negligible { return 0 }
            let short = try time(size * factor, runs: runs)
            let exponent = log(long / max(short, .microseconds(5))) / log(4)
            if exponent <= accepted { return exponent }
            // Larger inputs would take minutes.
            let isLast = long > .seconds(1)
            // In short inputs, linear costs can hide quadratic ones.
            if factor > 1 || isLast { least = min(least, exponent) }
            if isLast { break }
        }
        return least
    }
}
