#if os(Linux)
    import CCurl
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing

    /// Exchanges at random against a server that responds, splits, delays, truncates, resets, closes, upgrades and says what nobody asked
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
                let isEnded = await StormCrew(callers: callers).run(ids) { _, id in
                    await client.play(id)
                } onHang: { id in
                    journal.violation("a call never ended", "\(journal.withExchange(id) { $0 }); \(journal.plan(id))")
                }
                if isEnded { await meet(client, round, members: size.connections) }
                await server.end()
                // Not before: a response that was not its own can be there before the server has read the request.
                for id in ids { StormJudge(id, journal)?.judge(journal) }
                guard isEnded else { break }
            }
            let library = String(cString: ccurl_version())
            let summary = "\(library): storm over \(loops) loops in \(ContinuousClock.now - start), \(journal.summary)"
            if isSlowRun { print(summary) }
            if journal.violations > 0 { Issue.record("\(summary)\n\(journal.problems)") }
        }

        /// After all that, all connections can be had at once: no place was lost.
        private func meet(_ client: StormClient, _ round: Int, members: Int) async {
            // What is still to be said unasked is said on connections that are then given up.
            await client.journal.waitForPushes()
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
