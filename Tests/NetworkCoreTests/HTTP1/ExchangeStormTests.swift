#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// Random exchanges with a server that splits, delays and truncates its responses, resets, closes and upgrades connections,
    /// and sends unrequested bytes. A model contains every byte that may be delivered for each exchange.
    ///
    /// With `DATA_TRANSFER_SLOW=1`, 16,000 exchanges run over 50 connections. `DATA_TRANSFER_SEED` sets the seed.
    @Suite(.serialized, .timeLimit(.ofStorm))
    struct ExchangeStormTests {
        private static let seed = ProcessInfo.processInfo.environment["DATA_TRANSFER_SEED"].flatMap { UInt64($0) } ?? 1

        private struct Size {
            var exchanges: Int
            var connections: Int
            /// The number of exchanges with one server, before another server replaces it.
            var round: Int
        }

        @Test(arguments: [1, 2])
        func `each request gets its own complete response or a matching error from a misbehaving server`(loops: Int) async throws
        {
            let size =
                isSlowRun
                ? Size(exchanges: 8_000, connections: 50, round: 2_000) : Size(exchanges: 400, connections: 10, round: 200)
            let journal = StormJournal(seed: Self.seed, exchanges: size.exchanges)
            let session = SocketSessionManager(
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
                let isEnded = await StormCrew(callers: callers).run(ids) { _, id in
                    await client.play(id)
                } onHang: { id in
                    journal.violation("a call never ended", "\(journal.withExchange(id) { $0 }); \(journal.plan(id))")
                }
                if isEnded { await meet(client, round, members: size.connections) }
                await server.end()
                // Only after the server has ended: a response of another request may be received before the server has read this
                // one.
                for id in ids { StormJudge(id, journal)?.judge(journal) }
                guard isEnded else { break }
            }
            let summary = "storm over \(loops) loops in \(ContinuousClock.now - start), \(journal.summary)"
            if isSlowRun { print(summary) }
            if journal.violations > 0 { Issue.record("\(summary)\n\(journal.problems)") }
        }

        /// Checks after the round that all connections are available at the same time, so that no slot was lost.
        private func meet(_ client: StormClient, _ round: Int, members: Int) async {
            // Pending unrequested bytes are sent first, on connections that the client then closes.
            await client.journal.waitForPushes()
            let target = URL(string: "meet/\(round)", relativeTo: client.url)?.absoluteURL ?? client.url
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<members {
                    group.addTask {
                        do throws(TransportError) {
                            let response = try await client.session.response(for: NetworkRequest(url: target))
                            guard response.statusCode != 200 || response.headers.contains("X-Unrequested") else { return }
                            client.journal.violation("a request after the storm got a wrong response", "\(response)")
                        } catch {
                            client.journal.violation("a request after the storm failed", "\(error)")
                        }
                    }
                }
            }
        }
    }
#endif
