/// Compares ways to do something.
enum Timing {
    /// Each way once per round, so that a disturbance of the machine meets all alike; one round goes ahead unmeasured.
    ///
    /// - Returns: For each way the median of its times, in seconds.
    static func interleaved(rounds: Int, _ ways: [() throws -> Void]) throws -> [Double] {
        var times: [[Double]] = ways.map { _ in [] }
        for round in 0...rounds {
            for (index, way) in ways.enumerated() {
                let start = ContinuousClock.now
                try way()
                if round > 0 { times[index].append((ContinuousClock.now - start).inSeconds) }
            }
        }
        return times.map(\.median)
    }
}
