import DataTransfer
import Foundation
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Requests that are cancelled at random times: each ends exactly once, and none hangs. Sends more requests with
    /// `DATA_TRANSFER_SLOW=1`.
    @Suite(.serialized, .timeLimit(.ofStorm)) struct CancelStormTests {
        private static let paths = ["/ok", "/files/10mb.bin", "/compressed/10mb.bin", "/a/b/relative", "/files/missing", "/loop"]

        @Test(arguments: Engine.all) func `tasks that are cancelled at random times end with a response or a cancellation error`(
            engine: Engine
        ) async throws {
            let session = engine.session { $0.maximumConnectionsPerHost = 16 }
            let count = engine.stormSize / 2
            let outcomes = await storm(of: count) { index in
                var random = SeededGenerator(seed: UInt64(index))
                let url = Servers.nginx + Self.paths[index % Self.paths.count]
                let request = Task {
                    if index == 0 { await waitForCancellation() }
                    return try await session.send(.get, url)
                }
                await random.pause()
                request.cancel()
                return await Outcome(request.result)
            }
            #expect(outcomes.values.reduce(0, +) == count)
            #expect(outcomes[.failed, default: 0] == 0)
            #expect(outcomes[.cancelled, default: 0] > 0)
            #expect(try await session.send(.get, "\(Servers.nginx)/ok").text == "ok")
        }

        @Test(arguments: Engine.all) func `requests whose handles are cancelled at random times complete once`(engine: Engine)
            async throws
        {
            let session = engine.session { $0.maximumConnectionsPerHost = 16 }
            let count = engine.stormSize / 2
            let completions = Counts(count)
            let outcomes = await storm(of: count) { index in
                var random = SeededGenerator(seed: UInt64(index))
                guard let url = URL(string: Servers.nginx + Self.paths[index % Self.paths.count]) else { return .failed }
                let (results, continuation) = AsyncStream.makeStream(of: Result<NetworkResponse, TransportError>.self)
                let handle = session.response(for: NetworkRequest(url: url)) {
                    completions.add(index)
                    continuation.yield($0)
                }
                await random.pause()
                handle.cancel()
                if random.next() % 2 == 0 { handle.cancel() }
                return await results.first { _ in true }.map { Outcome($0.mapError { $0 }) } ?? .failed
            }
            #expect(outcomes.values.reduce(0, +) == count)
            #expect(outcomes[.failed, default: 0] == 0)
            #expect(try await session.send(.get, "\(Servers.nginx)/ok").text == "ok")
            #expect(completions.all == Array(repeating: 1, count: count))
        }

        @Test(arguments: Engine.ours, [Servers.nginx, Servers.tls, Servers.h2])
        func `over each protocol, tasks that are cancelled at random times end without other errors`(
            engine: Engine, server: String
        ) async throws {
            if server == Servers.h2, engine.lacks.contains(.endingOfHTTP2) { return }
            let session = engine.trusting { $0.maximumConnectionsPerHost = 16 }
            let count = isSlowRun ? 15_000 : 2000
            let outcomes = await storm(of: count) { index in
                var random = SeededGenerator(seed: UInt64(index))
                let path = random.next() % 50 == 0 ? "/files/10mb.bin" : "/ok"
                let request = Task {
                    if index == 1 { await waitForCancellation() }
                    return try await session.send(.get, server + path)
                }
                // On a slow machine, each of the others may be cancelled before its response.
                if index % 16 != 0 {
                    await random.pause()
                    request.cancel()
                }
                return await Outcome(request.result)
            }
            #expect(outcomes.values.reduce(0, +) == count)
            #expect(outcomes[.failed, default: 0] == 0, "\(outcomes)")
            #expect(outcomes[.cancelled, default: 0] > 0 && outcomes[.responded, default: 0] > 0, "\(outcomes)")
            try await session.expectGoodResponses(server)
        }

        /// Runs the requests, at most 64 at a time, and counts their outcomes.
        private func storm(
            of count: Int, request: @escaping @Sendable (Int) async -> Outcome
        ) async -> [Outcome: Int] {
            await withTaskGroup(of: Outcome.self) { group in
                var outcomes: [Outcome: Int] = [:]
                for index in 0..<count {
                    if index >= 64, let outcome = await group.next() { outcomes[outcome, default: 0] += 1 }
                    group.addTask { await request(index) }
                }
                for await outcome in group { outcomes[outcome, default: 0] += 1 }
                return outcomes
            }
        }
    }
}

extension Engine {
    fileprivate var stormSize: Int {
        guard isSlowRun else { return 1000 }
        return name == "URLSession" ? 2000 : 5000
    }
}

private enum Outcome: Hashable, Sendable {
    case responded
    case cancelled
    case failed

    init(_ result: Result<NetworkResponse, any Error>) {
        switch result {
        case .success: self = .responded
        case .failure(let error as TransportError) where error.isCancelled: self = .cancelled
        // The expected result of the path `/loop`.
        case .failure(let error as TransportError) where error.code == .tooManyRedirects: self = .responded
        case .failure: self = .failed
        }
    }
}

/// Counts how many times each request completed.
// Unchecked, because the compiler cannot know that `counts` is accessed only while the lock is held.
private final class Counts: @unchecked Sendable {
    private let lock = NSLock()
    private var counts: [Int]

    init(_ count: Int) {
        counts = Array(repeating: 0, count: count)
    }

    func add(_ index: Int) {
        lock.withLock { counts[index] += 1 }
    }

    var all: [Int] { lock.withLock { counts } }
}

extension SeededGenerator {
    /// Yields to other tasks between zero and about four thousand times, so that cancellations occur before, during and after a
    /// request.
    mutating func pause() async {
        for _ in 0..<(next() % (1 << (next() % 13))) { await Task.yield() }
    }
}
