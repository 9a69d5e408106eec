import DataTransferValkey
import Foundation

/// Processes that together ask for far more requests than the limit of the fleet permits.
public enum LimiterFleet {
    /// What a run has shown.
    public struct Summary: Sendable {
        /// The number of requests that were sent.
        public var count: Int
        /// The number per second, from the end of the first second.
        public var rate: Double
        /// The largest number by which the requests in any time exceeded the limit for that time: at most the size of the bucket.
        public var excess: Double
        /// The requests of each process.
        public var perProcess: [Int]
    }

    /// Takes tokens in several tasks, and returns the times at which they could be used, in microseconds of the machine's clock.
    public static func takeTokens(
        path: String, limit: RateLimit, processes: Int, tasks: Int, for time: Duration
    ) async -> [Int64] {
        var configuration = ValkeyConfiguration(.unix(path: path))
        configuration.commandTimeout = .milliseconds(200)
        configuration.connectTimeout = .milliseconds(200)
        let limiter = ValkeyRateLimiter(
            ValkeyClient(configuration), limit: limit, whenUnavailable: .share(of: processes))
        let end = ContinuousClock.now + time
        return await withTaskGroup(of: [Int64].self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var times: [Int64] = []
                    while ContinuousClock.now < end {
                        let maximum = Duration.seconds(1)
                        guard let delay = await limiter.take("https://api.example.com:443", maximum: maximum), delay <= maximum
                        else {
                            try? await Task.sleep(for: .milliseconds(50))
                            continue
                        }
                        try? await Task.sleep(for: delay, tolerance: .zero)
                        times.append(now())
                    }
                    return times
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    /// Starts processes over one server, and merges what they have sent.
    ///
    /// - Parameter restart: The time at which the server is killed, and that for which it is absent, in seconds.
    public static func run(
        limit: RateLimit, processes: Int, tasks: Int, seconds: Double, restart: (at: Double, absence: Double)? = nil
    ) async throws -> Summary {
        let server = try TestServer()
        // A new server gives no tokens at first.
        try await Task.sleep(for: .seconds(restart == nil ? 5 : 0))
        let perSecond = Double(limit.requests) / (limit.period / .seconds(1))
        let workers = try (0..<processes).map { _ in
            try WorkerProcess(
                ["limiter", server.path, "\(perSecond)", "\(limit.burst)", "\(processes)", "\(tasks)", "\(seconds)"])
        }
        if let restart {
            try await Task.sleep(for: .seconds(restart.at))
            server.stop()
            try await Task.sleep(for: .seconds(restart.absence))
            try server.start()
        }
        var times: [Int64] = []
        var perProcess: [Int] = []
        for worker in workers {
            let own = await worker.result().output.split(separator: "\n").compactMap { Int64($0) }
            times += own
            perProcess.append(own.count)
        }
        return summary(of: times.sorted(), perSecond: perSecond, perProcess: perProcess)
    }

    /// Returns what sorted times in microseconds show.
    public static func summary(of times: [Int64], perSecond: Double, perProcess: [Int] = []) -> Summary {
        guard let first = times.first, let last = times.last else {
            return Summary(count: 0, rate: 0, excess: 0, perProcess: perProcess)
        }
        var (excess, most) = (0.0, -Double.infinity)
        for (index, time) in times.enumerated() {
            let permitted = Double(time - first) / 1e6 * perSecond
            most = max(most, permitted - Double(index))
            excess = max(excess, Double(index + 1) - permitted + most)
        }
        let steady = times.filter { $0 >= first + 1_000_000 }
        let time = Double(last - (steady.first ?? last)) / 1e6
        return Summary(
            count: times.count, rate: time > 0 ? Double(steady.count - 1) / time : 0, excess: excess, perProcess: perProcess)
    }
}
