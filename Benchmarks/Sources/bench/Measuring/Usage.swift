import Foundation

/// What this process has used so far.
struct Usage {
    var time: Duration
    /// User and system time of all threads.
    var processor: Duration

    static var now: Usage {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Usage(
            time: .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec),
            processor: .seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + .microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec))
    }

    /// Resident memory in bytes.
    static var residentBytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(CInt(_SC_PAGESIZE))
    }

    /// By how much resident memory was at most above what it was before, looked at every 5 ms.
    static func peakGrowth(of work: () async throws -> Void) async throws -> Int {
        let before = residentBytes
        let watcher = Task.detached {
            var peak = before
            while !Task.isCancelled {
                peak = max(peak, residentBytes)
                try? await Task.sleep(for: .milliseconds(5))
            }
            return max(peak, residentBytes)
        }
        do {
            try await work()
        } catch {
            watcher.cancel()
            throw error
        }
        watcher.cancel()
        return await watcher.value - before
    }

    /// The time of one call, on average.
    static func microseconds(_ repetitions: Int, of work: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        for _ in 0..<repetitions { try await work() }
        return (ContinuousClock.now - start).inSeconds / Double(repetitions) * 1e6
    }

    static var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

extension [Double] {
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
