// Arithmetic that no caller's number, duration or clock can make overflow. "For ever" is often said as `.seconds(.max)`: a clock that is
// advanced by so much, a sum of two, or their seconds as an integer would stop the process; and so would the integer of what is not
// a number.

extension Duration {
    /// 10^9 seconds, some thirty years: what stands for ever. A clock can be advanced by it, and a million of them can be added up.
    package static let longest = Duration.seconds(1_000_000_000)

    /// The nearest in -``longest``...``longest``.
    package var bounded: Duration { clamped(to: .zero - .longest...(.longest)) }

    /// The nearest to that many seconds in -``longest``...``longest``; zero for what is not a number.
    package static func bounded(seconds: Double) -> Duration {
        .seconds(seconds.clamped(to: -1e9...1e9, nan: 0))
    }
}

extension Clock where Duration == Swift.Duration {
    /// Sleeps for that long, at most ``Swift/Duration/longest``; not at all for less than zero.
    package func sleep(bounded duration: Duration) async throws {
        try await sleep(for: duration.clamped(to: .zero...(.longest)))
    }
}

extension Comparable {
    /// The nearest in a range.
    package func clamped(to range: ClosedRange<Self>) -> Self { min(max(self, range.lowerBound), range.upperBound) }
}

extension Double {
    /// The nearest in a range.
    ///
    /// - Parameter nan: What stands for what is not a number.
    package func clamped(to range: ClosedRange<Double>, nan: Double) -> Double { isNaN ? nan : clamped(to: range) }
}

extension Int64 {
    /// The sum, or the number next to it that there is.
    package func adding(clamped other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }
}
