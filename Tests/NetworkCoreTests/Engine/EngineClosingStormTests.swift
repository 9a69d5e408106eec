#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Requests of all kinds while the session manager is closed at a random time.
    @Suite(.timeLimit(.ofStorm))
    struct EngineClosingStormTests {
        /// How a request has ended.
        private struct End: Sendable {
            var number: Int
            var code: TransportError.Code?
            var phase: TransportError.Phase?
            /// Whether its task was cancelled while its body was read: the reader and the engine may then see different ends.
            var isAmbiguous = false
            /// Whether it began after another one was refused.
            var beganLate: Bool

            var isRefused: Bool { code == .sessionClosed && phase == nil }
            var isCutOff: Bool { code == .sessionClosed && phase != nil }
        }

        private func makeServer() throws -> LoopbackServer {
            try LoopbackServer {
                LoopbackRoute(.get, "/now/{number}") { _ in .text("x") }
                LoopbackRoute(.get, "/slow/{number}") { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(8)) }
                LoopbackRoute(.get, "/never/{number}") { _ in LoopbackResponse.text("x").fault(.stall) }
                LoopbackRoute(.get, "/large/{number}") { _ in .data(Data(count: 600_000)) }
                LoopbackRoute(.get, "/endless/{number}") { _ in LoopbackResponse.text("x").fault(.endlessBody) }
                LoopbackRoute(.get, "/lost/{number}") { _ in LoopbackResponse.text("hello").fault(.truncateBody(after: 3)) }
                LoopbackRoute(.get, "/from/{number}") { request in
                    .status(302, headers: ["Location": request.path.replacingOccurrences(of: "from", with: "slow")])
                }
                LoopbackRoute(.post, "/echo/{number}") { request in .data(request.body) }
            }
        }

        /// Sends a request, which may be streamed, cancelled, or sent with a completion.
        private func send(
            _ number: Int, _ session: SocketSessionManager, _ servers: [LoopbackServer], _ refused: Locked<Bool>, seed: UInt64,
            cancels: Bool
        ) async -> End {
            var random = SeededGenerator(seed: seed &* 100_000 &+ UInt64(number))
            let kind = random.pick(["now", "now", "slow", "slow", "never", "large", "endless", "lost", "from", "echo"])
            var request = random.pick(servers).request("/\(kind)/\(number)?secret=1", method: kind == "echo" ? .post : .get)
            if kind == "echo" {
                let size = random.below(100_000)
                request.body = .stream { Pieces(of: Data(count: size), size: 30_000) }
            }
            if random.chance(10) { request.timeouts.total = .milliseconds(1 + random.below(40)) }
            request.priority = random.pick([.low, .normal, .high])
            let isStreamed = kind == "endless" || random.chance(30)
            let cancelsAfter = cancels && random.chance(20) ? random.below(60) : nil
            let usesCompletion = !isStreamed && random.chance(30)
            let beganLate = refused.withLock(\.self)
            let task = Task { [request] () async -> (error: TransportError?, calls: Int) in
                if usesCompletion {
                    let calls = Locked(0)
                    let result: Result<NetworkResponse, TransportError> = await outcome { done in
                        let handle = session.response(for: request) { result in
                            if calls.withLock({
                                $0 += 1; return $0
                            }) == 1 {
                                done(result)
                            }
                        }
                        if cancelsAfter != nil { handle.cancel() }
                    }
                    if case .failure(let error) = result { return (error, calls.withLock(\.self)) }
                    return (nil, calls.withLock(\.self))
                }
                do {
                    guard isStreamed else {
                        _ = try await session.response(for: request)
                        return (nil, 1)
                    }
                    for try await _ in try await session.stream(for: request).body { await Task.yield() }
                    return (nil, 1)
                } catch {
                    let error: any Error = error
                    return (error as? TransportError, 1)
                }
            }
            if let cancelsAfter, !usesCompletion {
                for _ in 0..<cancelsAfter { await Task.yield() }
                task.cancel()
            }
            let (error, calls) = await task.value
            #expect(calls == 1)
            let end = End(
                number: number, code: error?.code, phase: error?.phase, isAmbiguous: isStreamed && cancelsAfter != nil,
                beganLate: beganLate)
            if end.isRefused { refused.withLock { $0 = true } }
            return end
        }

        /// Checks what each snapshot has to fulfil.
        private func check(_ counts: PoolCounts, _ limits: SessionConfiguration) {
            for part in Array(counts.byOrigin.values) + [counts.total] {
                #expect(
                    [part.idle, part.active, part.connecting, part.waiting, part.streams, part.multiplexed].allSatisfy { $0 >= 0 }
                )
                #expect(part.open == part.idle + part.active)
            }
            #expect(counts == PoolCounts(byOrigin: counts.byOrigin))
            for part in counts.byOrigin.values { #expect(part.active <= limits.maximumConnectionsPerHost) }
            #expect(counts.total.open + counts.total.connecting <= limits.maximumConnections)
        }

        /// The number at the end of a path, which a query, or a mark in its place, may follow.
        private func number(in text: String) -> Int? {
            text.split(separator: "/").last.flatMap { part in Int(part.prefix(while: \.isNumber)) }
        }

        /// The sums of the events of one session manager.
        private func sums(_ events: AsyncStream<ConnectionEvent>) async -> [String: [ConnectionEvent.Kind: Int]] {
            var sums: [String: [ConnectionEvent.Kind: Int]] = [:]
            for await event in events {
                sums[event.origin, default: [:]][event.kind, default: 0] += 1
                #expect((event.kind == .closed) == (event.reason != nil))
                #expect(event.missed == 0)
            }
            return sums
        }

        private func run(seed: UInt64, loops: Int) async throws {
            let servers = try (0..<3).map { _ in try makeServer() }
            var random = SeededGenerator(seed: seed)
            let perHost = 1 + random.below(4)
            let limits = SessionConfiguration {
                $0.eventLoops = loops
                $0.maximumConnectionsPerHost = perHost
                $0.maximumConnections = max(loops, 1 + random.below(8))
                $0.completions = random.chance(30) ? .onEventLoop : .inBackground
            }
            let session = SocketSessionManager(configuration: limits)
            // Not in the expression of `async let`, which is evaluated on another thread, after the first connection perhaps.
            let events = session.connectionEvents(maximumBuffered: 1_000_000)
            async let totals = sums(events)
            let (refused, isOver) = (Locked(false), Locked(false))
            let observer = Task {
                while !isOver.withLock(\.self) {
                    check(await session.connectionCounts(), limits)
                    await Task.yield()
                }
            }
            let grace = Duration.milliseconds(random.pick([0, 1, 10, 60]))
            let closers = 1 + random.below(3)
            let (closesAfter, closesOnLoop, isCancelled) = (random.below(60), random.chance(30), random.chance(20))
            let cancels = random.chance(50)
            let begun = Watched(0)
            let closing = Task { () async -> [ClosingReport] in
                await begun.wait { $0 >= closesAfter }
                return await withTaskGroup(of: ClosingReport.self) { group in
                    for _ in 0..<closers {
                        if closesOnLoop {
                            group.addTask { await session.run { await session.close(grace: grace) } }
                        } else {
                            group.addTask { await session.close(grace: grace) }
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            if isCancelled {
                Task {
                    await begun.wait { $0 >= closesAfter + 10 }
                    closing.cancel()
                }
            }
            let ends = await withTaskGroup(of: End.self) { group in
                var ends: [End] = []
                for number in 0..<110 {
                    if number >= 60, let end = await group.next() { ends.append(end) }
                    group.addTask {
                        begun.withLock { $0 += 1 }
                        return await send(number, session, servers, refused, seed: seed, cancels: cancels)
                    }
                }
                for await end in group { ends.append(end) }
                return ends
            }
            let reports = await closing.value
            #expect(await session.connectionCounts() == PoolCounts())
            isOver.withLock { $0 = true }
            await observer.value

            let report = try #require(reports.first)
            for other in reports { #expect(other.cancelledCount == report.cancelledCount && other.completed == report.completed) }
            #expect(ends.count == 110)
            // No request is accepted after another one was refused.
            for end in ends where end.beganLate { #expect(end.isRefused || end.code == .cancelled, "\(end)") }
            // The requests that were cut off are those in the report.
            let listed = report.cancelled.compactMap { number(in: $0.request ?? "") }
            #expect(listed.count == report.cancelledCount)
            #expect(Set(listed).count == listed.count)
            for error in report.cancelled {
                #expect(error.code == .sessionClosed && error.phase != nil && !"\(error)".contains("secret"))
            }
            let cutOff = Set(ends.filter(\.isCutOff).map(\.number))
            let ambiguous = Set(ends.filter(\.isAmbiguous).map(\.number))
            #expect(cutOff.symmetricDifference(listed).subtracting(ambiguous).isEmpty, "\(cutOff.symmetricDifference(listed))")
            #expect(report.completed >= 0 && report.completed + report.cancelledCount + ends.count(where: \.isRefused) <= 110)
            // A refused request is not sent.
            let sent = Set(servers.flatMap(\.requests).compactMap { number(in: $0.path) })
            #expect(sent.isDisjoint(with: ends.filter(\.isRefused).map(\.number)))
            for server in servers { #expect(await server.waitForOpenConnections(count: 0)) }
            for sum in await totals.values {
                #expect(sum[.opened, default: 0] == sum[.closed, default: 0], "\(sum)")
                // The last events of callers' threads may follow the end of the stream.
                if loops > 1 || cancels { continue }
                #expect(sum[.queued, default: 0] == sum[.admitted, default: 0] + sum[.withdrawn, default: 0], "\(sum)")
            }
            #expect(await session.error(for: servers[0].request("/now/1"))?.code == .sessionClosed)
        }

        @Test(arguments: [1, 3]) func `each request has one outcome, and those that are cut off are the ones in the report`(
            loops: Int
        ) async throws {
            for seed in 0..<UInt64(runs(8, slow: 160)) {
                try await run(seed: seed &* 2 &+ UInt64(loops), loops: loops)
            }
        }
    }
#endif
