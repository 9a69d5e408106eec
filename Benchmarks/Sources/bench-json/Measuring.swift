import Foundation

/// The processor time of this thread or of the whole process, in seconds.
func processorSeconds(_ clock: clockid_t = CLOCK_THREAD_CPUTIME_ID) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Measures by the processor time of this thread, so that other processes have little effect.
struct Measuring {
    var rounds: Int
    /// The time that one measurement takes at least, in seconds.
    var duration: Double

    func time(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
        let start = processorSeconds()
        for _ in 0..<count { try body() }
        return (processorSeconds() - start) / Double(count)
    }

    private func repetitions(_ body: () throws -> Void) rethrows -> Int {
        let once = try time(1, body)
        return max(1, Int(duration / max(once, 1e-9)))
    }

    /// The median time of one call, in seconds.
    func seconds(_ body: () throws -> Void) rethrows -> Double {
        try body()
        let count = try repetitions(body)
        return try (0..<rounds).map { _ in try time(count, body) }.median
    }

    /// The medians of both, measured alternately.
    func interleaved(_ a: () throws -> Void, _ b: () throws -> Void) rethrows -> (a: Double, b: Double) {
        for _ in 0..<2 {
            try a()
            try b()
        }
        let counts = (try repetitions(a), try repetitions(b))
        var times: (a: [Double], b: [Double]) = ([], [])
        for _ in 0..<rounds {
            times.a.append(try time(counts.0, a))
            times.b.append(try time(counts.1, b))
        }
        return (times.a.median, times.b.median)
    }
}

extension [Double] {
    var median: Double { isEmpty ? .nan : sorted()[count / 2] }
}

/// Prints a line that other programs read.
func printFigure(_ name: String, _ value: Double, _ unit: String) {
    say("figure \(name) \(String(format: value < 100 ? "%.2f" : "%.0f", value)) \(unit)")
}

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

func fail(_ line: String) -> Never {
    FileHandle.standardError.write(Data("bench: \(line)\n".utf8))
    exit(1)
}

/// Prevents the compiler from removing the computation of the value.
@inline(never) @_optimize(none)
func blackHole<T>(_ value: T) {}
