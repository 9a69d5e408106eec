#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    /// Random and mutated responses over real sockets. `Scripts/fuzz-responses` runs it at full size, on any libcurl.
    ///
    /// `DATA_TRANSFER_RESPONSES` sets the number of responses, `DATA_TRANSFER_SEED` the seed.
    @Suite(.timeLimit(.minutes(10)))
    struct ResponseFuzzTests {
        private static let environment = ProcessInfo.processInfo.environment
        private static let seed = environment["DATA_TRANSFER_SEED"].flatMap { UInt64($0) } ?? 1
        private static let count = environment["DATA_TRANSFER_RESPONSES"].flatMap { Int($0) } ?? 300

        /// The number of callers. Each has its own session manager and server, so that requests on a connection are sequential.
        private static let callers = 8
        /// The maximum growth of memory between the first fifth of a run and its end, in bytes.
        private static let largestGrowth = 24 << 20

        @Test func `random responses cause no crash, hang or leak, and a connection is reused only after a well-formed one`()
            async throws
        {
            let run = FuzzRun(seed: Self.seed)
            // Dispatch and the runtime open a few descriptors once.
            let descriptors = ProcessMemory.descriptors + 8
            var workers = try (0..<Self.callers).map { _ in try FuzzWorker(run) }
            let start = ContinuousClock.now
            let isWarm = await StormCrew(callers: Self.callers).run(0..<Self.count / 5) { [workers] worker, number in
                await workers[worker].play(number)
            } onHang: {
                run.report("a call never ended", $0)
            }
            let memory = ProcessMemory.resident
            let isDone = await StormCrew(callers: Self.callers).run(Self.count / 5..<(isWarm ? Self.count : Self.count / 5)) {
                [workers] worker, number in
                await workers[worker].play(number)
            } onHang: {
                run.report("a call never ended", $0)
            }
            let growth = ProcessMemory.resident - memory
            for worker in workers { await worker.end() }
            let summary =
                "\(Self.count) responses in \(ContinuousClock.now - start), \(growth >> 10) KB more memory, \(run.summary)"
            if Self.count >= 1_000 { print(summary) }
            #expect(isWarm && isDone)
            // Other tests of the process also allocate memory.
            if Self.count >= 5_000 {
                #expect(growth < Self.largestGrowth, "\(growth) bytes")
                workers = []
                let end = ContinuousClock.now + .seconds(60)
                while ProcessMemory.descriptors > descriptors, .now < end { await Task.yield() }
                #expect(ProcessMemory.descriptors <= descriptors)
            }
            if !run.problems.isEmpty { Issue.record("\(summary)\n\(run.problems)") }
        }
    }

    /// The resources that this process uses.
    enum ProcessMemory {
        /// The number of open file descriptors.
        static var descriptors: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
        }

        /// The resident memory, in bytes.
        static var resident: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
            return pages * 4096
        }
    }
#endif
