import Foundation
import NetworkSupport

/// The recent transfer rate: an average in which each second counts half as much as the one after it.
package struct RecentRate {
    private var weightedBytes = 0.0
    private var weightedSeconds = 0.0
    private var count: Int64 = 0
    private var time = Duration.zero

    /// Adds a measurement.
    ///
    /// - Parameters:
    ///   - total: The bytes transferred so far. A smaller number than before means that a redirect has started again from 0.
    ///   - elapsed: The time since the start of the call.
    /// - Returns: Bytes per second; 0 while no time has passed.
    package mutating func add(_ total: Int64, at elapsed: Duration) -> Double {
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
