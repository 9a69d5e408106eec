#if os(Linux)
    import Foundation
    import NetworkCore
    import NetworkTesting
    import NetworkWebSocket
    import TransferTestSupport
    import Testing

    /// Random sockets whose both sides send, receive, ping and end at random times, with a server that also resets connections, truncates frames,
    /// and violates the protocol.
    ///
    /// The model: what is received of each task that sends is a prefix of what it has sent, unchanged and in order; after a side has closed, a
    /// call has failed, or a reader has found the end, nothing more is sent; each error has a cause; an orderly end loses nothing; in the
    /// end, no connection is open.
    ///
    /// With `DATA_TRANSFER_SLOW=1`, there are 800 sockets. `DATA_TRANSFER_SEED` sets the seed, and `DATA_TRANSFER_SOCKETS` the number.
    @Suite(.serialized, .timeLimit(.ofStorm))
    struct WebSocketStormTests {
        private static let environment = ProcessInfo.processInfo.environment
        /// A side that waits for its peer in vain exceeds the time limit of the test.
        private static let closeTimeout = Duration.seconds(3600)
        private static let seed = environment["DATA_TRANSFER_SEED"].flatMap { UInt64($0) } ?? 1
        private static let count =
            environment["DATA_TRANSFER_SOCKETS"].flatMap { Int($0) } ?? (isSlowRun ? 800 : isSanitized ? 12 : 40)

        @Test(arguments: [1, 2])
        func `both sides of each socket receive what was sent, until an end that has a cause`(loops: Int) async throws {
            let journal = StormJournal(seed: Self.seed)
            let endings = Watched<[Int: Int]>([:])
            let server = try Self.server(journal, endings)
            let session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.eventLoops = loops
                    $0.maximumConnectionsPerHost = 32
                    // A request that is cancelled before it is sent leaves its connection open for another one.
                    $0.idleConnectionLifetime = .seconds(2)
                })
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                for socket in 0..<Self.count {
                    if socket >= 32 { await group.next() }
                    group.addTask { await Self.play(socket, session, server, journal, endings) }
                }
            }
            #expect(await server.waitForOpenConnections(count: 0))
            while await session.connectionCounts().total.upgraded > 0, !Task.isCancelled { await Task.yield() }
            #expect(journal.running.isEmpty, "these sockets have not ended")
            if isSlowRun {
                print(
                    "storm over \(loops) loops in \(ContinuousClock.now - start): \(journal.outcomes.sorted { $0.key < $1.key })")
            }
            let problems = journal.problems
            if !problems.isEmpty {
                Issue.record("seed \(Self.seed): \(problems.count) problems\n\(problems.prefix(10).joined(separator: "\n"))")
            }
            // Of a few sockets, each may end early.
            #expect(Self.count < 400 || journal.outcomes["complete at the client", default: 0] > 0)
        }

        private static func server(_ journal: StormJournal, _ endings: Watched<[Int: Int]>) throws -> LoopbackServer {
            let options = WebSocketOptions {
                $0.pingInterval = nil
                $0.closeTimeout = closeTimeout
            }
            return try LoopbackServer {
                for (index, faults) in StormPlan.routes.enumerated() {
                    LoopbackRoute.webSocket(
                        "/\(index)/{socket}", compression: WebSocketCompression(), options: options, faults: faults
                    ) { webSocket, request in
                        let socket = request.pathParameters["socket"].flatMap { Int($0) } ?? 0
                        await StormActor(journal, socket, .server).run(webSocket)
                        endings.withLock { $0[socket, default: 0] += 1 }
                    }
                }
            }
        }

        private static func play(
            _ socket: Int, _ session: SocketSessionManager, _ server: LoopbackServer, _ journal: StormJournal,
            _ endings: Watched<[Int: Int]>
        ) async {
            let plan = journal.plan(socket)
            journal.begin(socket)
            // A request that was cancelled may not have arrived.
            var hasArrived = plan.cancelsOpening == nil
            do {
                let webSocket = try await open(plan, session, server.url("/\(plan.route)/\(socket)"))
                hasArrived = true
                if plan.releases {
                    for index in 0..<5 {
                        journal.log(socket, .client) { $0.begun[0] = index + 1 }
                        try await webSocket.send(StormMessage(socket: socket, side: .client, sender: 0, index: index).message)
                    }
                } else {
                    await StormActor(journal, socket, .client).run(webSocket)
                }
            } catch let error as WebSocketError {
                journal.count("open: \(error.code.rawValue)")
                switch error.code {
                case .cancelled where plan.cancelsOpening != nil: break
                case .invalidHandshake where plan.faults.contains(.wrongAcceptKey): break
                case .closed where plan.releases: break
                case _ where plan.releases && !(plan.isFaultless && plan.server.isOrderly): break
                default: journal.problem(socket, "it could not be opened: \(error.code.rawValue) \(error)")
                }
            } catch {
                journal.problem(socket, "\(error)")
            }
            if hasArrived { await endings.wait { $0[socket] != nil } }
            journal.judge(socket)
            journal.end(socket)
        }

        /// Opens a socket, and keeps no reference to it.
        private static func open(_ plan: StormPlan, _ session: SocketSessionManager, _ url: URL) async throws -> WebSocket {
            let ignoresCloses = plan.faults.contains(.ignoresCloses)
            let opening = Task {
                try await session.webSocket(
                    for: url,
                    options: WebSocketOptions {
                        $0.compression = plan.compression
                        $0.pingInterval = nil
                        $0.closeTimeout = ignoresCloses ? .milliseconds(20) : closeTimeout
                    })
            }
            if let pause = plan.cancelsOpening {
                await StormActor.yield(pause)
                opening.cancel()
            }
            return try await opening.value
        }
    }
#endif
