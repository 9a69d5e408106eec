import Foundation

/// Repeats what was measured while other processes kept the processors busy, as long as its patience lasts.
final class QuietMachine {
    /// The share of all processors that others may take.
    private static let limit = 0.08

    private var patience: Duration
    private var measured = 0
    private var disturbed = 0

    /// Full measurements wait up to 10 minutes altogether, or as many seconds as the variable `BENCH_PATIENCE` says; others accept
    /// what they get.
    init(_ effort: Effort) {
        let seconds = ProcessInfo.processInfo.environment["BENCH_PATIENCE"].flatMap { Int($0) }
        patience = .seconds(seconds ?? (effort == .full ? 600 : 0))
    }

    /// Runs `work`, again after others have become quiet if they were not meanwhile, until patience runs out. Processes that `work`
    /// starts must have ended with it.
    func measure<Result>(_ work: () throws -> Result) rethrows -> Result {
        while true {
            let start = ContinuousClock.now
            let (result, isQuiet) = try watch(work)
            if isQuiet || patience <= .zero {
                measured += 1
                disturbed += isQuiet ? 0 : 1
                return result
            }
            while ContinuousClock.now - start < patience, !watch({ Thread.sleep(forTimeInterval: 1) }).isQuiet {}
            patience -= ContinuousClock.now - start
        }
    }

    private func watch<Result>(_ work: () throws -> Result) rethrows -> (result: Result, isQuiet: Bool) {
        let (start, before) = (ContinuousClock.now, Self.secondsOfOthers)
        let result = try work()
        let elapsed = (ContinuousClock.now - start).inSeconds
        let share = (Self.secondsOfOthers - before) / elapsed / Double(ProcessInfo.processInfo.activeProcessorCount)
        return (result, share <= Self.limit)
    }

    /// Says how much of what was measured is in doubt.
    func report() {
        guard disturbed > 0 else { return }
        let limit = Int(Self.limit * 100)
        say("note: other processes took more than \(limit) % of the processors in \(disturbed) of \(measured) measurements")
    }

    /// Processor time of all processes so far, but for this one, what it has waited for, and the servers that the variable
    /// `BENCH_SERVER` names by their processes. The time of those that have ended is found in their parents' (proc(5)).
    private static var secondsOfOthers: Double {
        let own = [String(getpid())] + servers
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        let ticks = processes.reduce(0) { sum, process in
            guard process.utf8.first.map({ (0x30...0x39).contains($0) }) == true, !own.contains(process) else { return sum }
            return sum + Self.ticks(of: process)
        }
        return Double(ticks) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    /// Processor time of the servers that `BENCH_SERVER` names.
    static var secondsOfServer: Double {
        Double(servers.reduce(0) { $0 + ticks(of: $1) }) / Double(sysconf(CInt(_SC_CLK_TCK)))
    }

    private static var servers: [String] {
        (ProcessInfo.processInfo.environment["BENCH_SERVER"] ?? "").split(separator: " ").map(String.init)
    }

    private static func ticks(of process: String) -> Int {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8), let name = stat.lastIndex(of: ")")
        else { return 0 }
        // utime, stime, cutime and cstime are the 12th to the 15th after the name.
        return stat[name...].split(separator: " ").dropFirst(12).prefix(4).reduce(0) { $0 + (Int($1) ?? 0) }
    }
}
