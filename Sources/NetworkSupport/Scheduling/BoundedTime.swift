// Arithmetic that cannot overflow for any number, duration or clock that a caller passes. Callers often write `.seconds(.max)`
// for "no limit": advancing a clock by it, adding two of them, or converting their seconds to an integer would stop the
// process. So would converting a NaN to an integer.

extension Duration {
    /// The duration that is used for "no limit": 10^9 seconds, about thirty years. A clock can be advanced by it, and a million
    /// of them can be added without overflow.
    package static let longest = Duration.seconds(1_000_000_000)

    /// The duration clamped to -``longest``...``longest``.
    package var bounded: Duration { clamped(to: .zero - .longest...(.longest)) }

    /// Returns a number of seconds as a duration, clamped to -``longest``...``longest``. Returns zero for NaN.
    package static func bounded(seconds: Double) -> Duration {
        .seconds(seconds.clamped(to: -1e9...1e9, nan: 0))
    }
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps for a duration, at most ``Swift/Duration/longest``. Does not sleep if it is negative.
    package func sleep(bounded duration: Duration) async throws {
        try await sleep(for: duration.clamped(to: .zero...(.longest)))
    }
}

extension Comparable {
    /// Returns the nearest value in a range.
    package func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}

extension Double {
    /// Returns the nearest value in a range.
    ///
    /// - Parameter nan: The result if this value is not a number.
    package func clamped(to range: ClosedRange<Double>, nan: Double) -> Double { isNaN ? nan : clamped(to: range) }
}

extension Int64 {
    /// Returns the sum, clamped to the range of `Int64`.
    package func adding(clamped other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }
}
