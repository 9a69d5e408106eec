import Endpoints
import NetworkSupport

/// The latest latencies of the exchanges with an origin, of which it holds a limited number.
struct LatencyWindow: Sendable {
    // Seconds, in half the memory of a `Double`: there may be 10,000 windows.
    private var latest: [Float] = []
    private var sorted: [Float] = []
    /// The place of the oldest latency, once the window is full.
    private var next = 0

    var count: Int { latest.count }

    /// Adds a latency, in place of the oldest one if the window is full.
    ///
    /// - Parameter capacity: The number of latencies that the window holds, at least 1.
    mutating func add(_ latency: Duration, capacity: Int) {
        let seconds = Float(max(latency, .zero) / .seconds(1))
        if latest.count < capacity {
            latest.append(seconds)
        } else {
            sorted.remove(at: rank(of: latest[next]))
            latest[next] = seconds
            next = (next + 1) % capacity
        }
        sorted.insert(seconds, at: rank(of: seconds))
    }

    /// Returns the smallest latency that at least this share of the latencies does not exceed (nearest rank); `nil` if there is
    /// none.
    ///
    /// - Parameter share: Above 0, to 1.
    func percentile(_ share: Double) -> Duration? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((share.clamped(to: 0...1, nan: 1) * Double(sorted.count)).rounded(.up))
        return .bounded(seconds: Double(sorted[rank.clamped(to: 1...sorted.count) - 1]))
    }

    /// Returns the number of latencies that are less than one.
    private func rank(of seconds: Float) -> Int {
        var range = 0..<sorted.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = sorted[middle] < seconds ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

/// The latencies of an origin. Those of streams, which end with the head, are separate from those of complete responses.
struct OriginLatencies: Sendable {
    private var heads = LatencyWindow()
    private var responses = LatencyWindow()

    /// The number of latencies of both kinds.
    var count: Int { heads.count + responses.count }

    subscript(isStreamed isStreamed: Bool) -> LatencyWindow {
        _read { if isStreamed { yield heads } else { yield responses } }
        _modify { if isStreamed { yield &heads } else { yield &responses } }
    }
}
