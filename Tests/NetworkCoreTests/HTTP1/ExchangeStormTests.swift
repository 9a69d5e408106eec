#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    /// Exchanges at random against a server that answers, splits, delays, truncates, resets, closes, upgrades and says what nobody asked
    /// for, with a model that knows every byte which may be delivered for each of them.
    ///
    /// `DATA_TRANSFER_SLOW=1`: 100,000 exchanges over 50 connections. `DATA_TRANSFER_SEED` picks the seed.
    @Suite(.serialized, .timeLimit(.minutes(10)))
    struct ExchangeStormTests {
        private static let seed = ProcessInfo.processInfo.environment["DATA_TRANSFER_SEED"].flatMap { UInt64($0) } ?? 1

        private struct Size {
            var exchanges: Int
            var connections: Int
            /// Exchanges with one server; then another takes its place.
            var round: Int
        }

        @Test(arguments: [1, 2])
        func `whatever a server does, each request gets its own response, whole, or an error that fits`(loops: Int) async throws {
            let size =
                isSlowRun
                ? Size(exchanges: 50_000, connections: 50, round: 5_000) : Size(exchanges: 400, connections: 10, round: 200)
            let journal = StormJournal(seed: Self.seed, exchanges: size.exchanges)
            let session = CurlSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumConnectionsPerHost = size.connections
                    $0.eventLoops = loops
                })
            let start = ContinuousClock.now
            for (round, first) in stride(from: 0, to: size.exchanges, by: size.round).enumerated() {
                let server = try StormServer(journal, connections: size.connections)
                let client = StormClient(session: session, journal: journal, url: server.url)
                // Every other round has more callers than connections.
                let callers = round % 2 == 0 ? size.connections : size.connections * 3 / 2
                journal.withState { $0.isCrowded = callers > size.connections }
                let ids = first..<min(first + size.round, size.exchanges)
                let isEnded = await run(client, ids, callers: callers)
                if isEnded { await meet(client, round, members: size.connections) }
                await server.end()
                // Not before: a response that was not its own can be there before the server has read the request.
                for id in ids { StormJudge(id, journal)?.judge(journal) }
                guard isEnded else { break }
            }
            let summary = "storm over \(loops) loops in \(ContinuousClock.now - start), \(journal.summary)"
            if isSlowRun { print(summary) }
            if journal.violations > 0 { Issue.record("\(summary)\n\(journal.complaints)") }
        }

        /// - Returns: Whether all calls ended.
        private func run(_ client: StormClient, _ ids: Range<Int>, callers: Int) async -> Bool {
            let next = Locked(ids.lowerBound)
            let running = Locked<[Int: ContinuousClock.Instant]>([:])
            let (ends, end) = AsyncStream.makeStream(of: Bool.self)
            let tasks = (0..<callers).map { _ in
                Task {
                    while case let id = next.withLock({ next in
                        defer { next += 1 }
                        return next
                    }), id < ids.upperBound, !Task.isCancelled {
                        running.withLock { $0[id] = .now }
                        await client.play(id)
                        running.withLock { $0[id] = nil }
                    }
                    end.yield(true)
                }
            }
            // Whoever hangs is named, and not waited for.
            let watchdog = Task {
                while (try? await Task.sleep(for: .milliseconds(500))) != nil {
                    let late = running.withLock { $0.filter { $0.value + .seconds(40) < .now }.keys.sorted() }
                    guard !late.isEmpty else { continue }
                    for id in late {
                        let exchange = client.journal.withExchange(id) { $0 }
                        client.journal.violation("a call never ended", "\(exchange); \(client.journal.plan(id))")
                    }
                    end.yield(false)
                }
            }
            defer {
                watchdog.cancel()
                for task in tasks { task.cancel() }
            }
            var ended = 0
            for await isEnded in ends {
                guard isEnded else { return false }
                ended += 1
                if ended == callers { return true }
            }
            return false
        }

        /// After all that, all connections can be had at once: no place was lost.
        private func meet(_ client: StormClient, _ round: Int, members: Int) async {
            // What is still to be said unasked is said on connections that are then given up.
            for _ in 0..<100 where client.journal.withState(\.pendingPushes) > 0 {
                try? await Task.sleep(for: .milliseconds(5))
            }
            try? await Task.sleep(for: .milliseconds(30))
            let target = URL(string: "meet/\(round)", relativeTo: client.url)?.absoluteURL ?? client.url
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<members {
                    group.addTask {
                        do throws(TransportError) {
                            let response = try await client.session.response(for: NetworkRequest(url: target))
                            guard response.statusCode != 200 || response.headers.contains("X-Unrequested") else { return }
                            client.journal.violation("a calm request got a wrong response", "\(response)")
                        } catch {
                            client.journal.violation("a calm request failed", "\(error)")
                        }
                    }
                }
            }
        }
    }
#endif
