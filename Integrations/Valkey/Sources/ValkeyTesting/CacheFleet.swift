import DataTransferValkey
import Foundation

/// Processes that use one cache, some of which are killed at random.
public enum CacheFleet {
    /// What a run has done.
    public struct Summary: Sendable {
        /// The responses that the processes that were not killed have compared.
        public var reads = 0
        /// Those that came from the cache.
        public var hits = 0
        /// The number of changes.
        public var changes = 0
        /// The number of processes that were killed.
        public var kills = 0
        /// What was wrong, in words.
        public var violations: [String] = []
    }

    /// Runs processes until a time has passed, and then starts no more.
    ///
    /// - Parameters:
    ///   - processes: The number of processes at a time.
    ///   - time: The time for which each of them that is not killed runs.
    ///   - rounds: How many generations of them run.
    ///   - killed: The number of processes of each generation that are killed.
    public static func run(
        processes: Int, for time: Double, rounds: Int, killed: Int, seed: UInt64
    ) async throws -> Summary {
        let server = try TestServer(options: ["--maxmemory", "24mb", "--maxmemory-policy", "allkeys-lru"])
        var generator = SeededGenerator(seed: seed)
        var summary = Summary()
        for round in 0..<rounds {
            var workers: [WorkerProcess] = []
            for number in 0..<processes {
                let seed = seed &* 10_000 &+ UInt64(round * 100 + number)
                workers.append(try WorkerProcess(["cache", server.path, "\(seed)", "\(time)"]))
            }
            for worker in workers.prefix(killed) {
                try await Task.sleep(for: .seconds(Double.random(in: 0...(time / Double(killed)), using: &generator)))
                worker.kill()
                summary.kills += 1
            }
            for (number, worker) in workers.enumerated() {
                let (output, isSuccess) = await worker.result()
                let lines = output.split(separator: "\n")
                summary.violations += lines.filter { $0.hasPrefix("violation") }.map { String($0) }
                guard number >= killed else { continue }
                if !isSuccess, !output.contains("violation") { summary.violations.append("a process failed: \(output)") }
                let words = (lines.last ?? "").split(separator: " ").compactMap { Int($0) }
                guard words.count == 3 else { continue }
                summary.reads += words[0]
                summary.hits += words[1]
                summary.changes += words[2]
            }
        }
        summary.violations += try await sizes(server)
        return summary
    }

    /// Returns what is wrong with the contents of the server: each key has a bounded size and lifetime.
    private static func sizes(_ server: TestServer) async throws -> [String] {
        let client = ValkeyClient(server.patient)
        let script = ValkeyScript(
            """
            local wrong = {}
            for _, name in ipairs(redis.call('KEYS', 'model:*')) do
                local time = redis.call('PTTL', name)
                if time < 0 or time > 301000 then table.insert(wrong, name .. ' lives ' .. time .. ' ms') end
                local bytes = redis.call('MEMORY', 'USAGE', name)
                if bytes > 8 * 65536 then table.insert(wrong, name .. ' has ' .. bytes .. ' bytes') end
                if redis.call('TYPE', name).ok == 'hash' and redis.call('HLEN', name) > 16 then table.insert(wrong, name .. ' has too many variants') end
            end
            return table.concat(wrong, ', ')
            """)
        let text = String(decoding: try await client.run(script, keys: [], []).bytes ?? Data(), as: UTF8.self)
        return text.isEmpty ? [] : [text]
    }
}
