import Foundation

/// How fast bytes move of late: an average in which a second counts half as much as the one after it.
struct RecentRate {
    private var weightedBytes = 0.0
    private var weightedSeconds = 0.0
    private var count: Int64 = 0
    private var time = Duration.zero

    /// - Parameters:
    ///   - total: Bytes moved so far. Fewer than the last time: a redirect has begun from 0 again.
    ///   - elapsed: When, since the call.
    /// - Returns: Bytes per second; 0 before any time has passed.
    mutating func add(_ total: Int64, at elapsed: Duration) -> Double {
        let bytes = total >= count ? Double(total) - Double(count) : Double(total)
        let seconds = max((elapsed - time) / .seconds(1), 0)
        count = total
        time = max(elapsed, time)
        let decay = exp2(-seconds)
        weightedBytes = weightedBytes * decay + bytes
        weightedSeconds = weightedSeconds * decay + seconds
        return weightedSeconds > 0 ? weightedBytes / weightedSeconds : 0
    }
}
