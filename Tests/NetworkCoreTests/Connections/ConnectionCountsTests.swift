#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// The numbers of connections and of waiting requests, and the events of connections.
    @Suite(.timeLimit(.minutes(10)))
    struct ConnectionCountsTests {
        private func session(_ change: (inout SessionConfiguration) -> Void) -> SocketSessionManager {
            SocketSessionManager(configuration: SessionConfiguration(change))
        }

        private func origin(_ server: LoopbackServer) -> String { server.request("/").origin }

        @Test(arguments: [1, 2]) func `active, waiting and idle connections are counted by origin and in all`(loops: Int)
            async throws
        {
            let gate = AsyncGate()
            let held = try LoopbackServer { _ in
                await gate.wait()
                return .text("x")
            }
            let other = try LoopbackServer { _ in .text("x") }
            let session = session {
                $0.maximumConnectionsPerHost = 2
                $0.eventLoops = loops
            }
            #expect(await session.connectionCounts() == PoolCounts())
            _ = try await session.response(for: other.request("/"))
            let requests = (0..<5).map { _ in Task { try await session.response(for: held.request("/")).statusCode } }
            await held.waitForRequests(count: 2)
            // The others may not have begun.
            var counts = await session.connectionCounts()
            while counts.total.waiting < 3 {
                await Task.yield()
                counts = await session.connectionCounts()
            }
            #expect(
                counts
                    == PoolCounts(byOrigin: [
                        origin(held): ConnectionCounts(active: 2, waiting: 3), origin(other): ConnectionCounts(idle: 1),
                    ]))
            #expect(counts.total == ConnectionCounts(idle: 1, active: 2, waiting: 3))
            #expect(counts.total.open == 3)
            gate.open()
            for request in requests { #expect(try await request.value == 200) }
            counts = await session.connectionCounts()
            #expect(counts.byOrigin[origin(held)] == ConnectionCounts(idle: 2))
            #expect(counts.total.open == 3)
        }

        @Test func `a connection that is being made is counted as connecting, and is not open`() async throws {
            let listener = try StuckListener()
            let session = session { $0.connectTimeout = .seconds(600) }
            let request = NetworkRequest(url: listener.url)
            let task = Task { try await session.response(for: request) }
            var counts = await session.connectionCounts()
            while counts.total == ConnectionCounts() {
                await Task.yield()
                counts = await session.connectionCounts()
            }
            #expect(counts.total == ConnectionCounts(connecting: 1))
            #expect(counts.total.open == 0)
            task.cancel()
            _ = await task.result
        }

        @Test func `the stream of events ends although the handle of an ended request is kept`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let hasEnded = Watched(false)
            let (events, handle) = {
                let session = self.session { $0.maximumConnectionsPerHost = 1 }
                let events = session.connectionEvents()
                return (events, session.response(for: server.request("/")) { _ in hasEnded.withLock { $0 = true } })
            }()
            await hasEnded.wait { $0 }
            // The session manager was released.
            for await _ in events {}
            withExtendedLifetime(handle) {}
        }

        @Test func `events that a task on the event loop asks for begin with its next request`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = session { $0.maximumConnectionsPerHost = 1 }
            _ = try await session.response(for: server.request("/"))
            let events = try await session.run {
                let events = session.connectionEvents()
                _ = try await session.response(for: server.request("/"))
                return events
            }
            _ = await session.close(grace: .seconds(60))
            #expect(await events.first { _ in true }?.kind == .reused)
        }

        @Test func `the events of a connection are in order, and name the reason for which it was closed`() async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/") { _ in .text("x") }
                LoopbackRoute(.get, "/last") { _ in LoopbackResponse.text("x").header("close", for: "Connection") }
            }
            let session = session { $0.maximumConnectionsPerHost = 1 }
            let events = session.connectionEvents()
            for path in ["/", "/", "/last", "/"] { _ = try await session.response(for: server.request(path)) }
            _ = await session.close(grace: .seconds(60))
            let origin = origin(server)
            var seen: [ConnectionEvent] = []
            for await event in events { seen.append(event) }
            #expect(
                seen == [
                    ConnectionEvent(.opened, origin: origin), ConnectionEvent(.becameIdle, origin: origin),
                    ConnectionEvent(.reused, origin: origin), ConnectionEvent(.becameIdle, origin: origin),
                    ConnectionEvent(.reused, origin: origin), ConnectionEvent(.closed, origin: origin, reason: .notReusable),
                    ConnectionEvent(.opened, origin: origin), ConnectionEvent(.becameIdle, origin: origin),
                    ConnectionEvent(.closed, origin: origin, reason: .sessionClosed),
                ])
        }

        @Test func `requests in the queue are reported when they are queued, admitted and withdrawn`() async throws {
            let gate = AsyncGate()
            let server = try LoopbackServer { _ in
                await gate.wait()
                return .text("x")
            }
            let session = session { $0.maximumConnectionsPerHost = 1 }
            let events = session.connectionEvents()
            let first = Task { try await session.response(for: server.request("/")).statusCode }
            await server.waitForRequests(count: 1)
            var iterator = events.makeAsyncIterator()
            #expect(await iterator.next()?.kind == .opened)
            let second = Task { try await session.response(for: server.request("/")).statusCode }
            #expect(await iterator.next()?.kind == .queued)
            let third = Task { try await session.response(for: server.request("/")).statusCode }
            #expect(await iterator.next()?.kind == .queued)
            third.cancel()
            #expect(await iterator.next()?.kind == .withdrawn)
            gate.open()
            #expect(try await first.value == 200)
            #expect(try await second.value == 200)
            #expect(await iterator.next()?.kind == .becameIdle)
            #expect(await iterator.next()?.kind == .admitted)
            #expect(await iterator.next()?.kind == .reused)
            _ = await third.result
        }

        @Test func `a reader that is late misses events, which are counted`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = session { _ in }
            let late = session.connectionEvents(maximumBuffered: 2)
            let whole = session.connectionEvents()
            // Each request causes two events.
            for _ in 0..<10 { _ = try await session.response(for: server.request("/")) }
            var iterator = late.makeAsyncIterator()
            #expect(await iterator.next()?.missed == 0)
            #expect(await iterator.next()?.missed == 0)
            _ = try await session.response(for: server.request("/"))
            #expect(await iterator.next()?.missed == 18)
            _ = await session.close(grace: .zero)
            var count = 0
            for await event in whole {
                count += 1
                #expect(event.missed == 0)
            }
            #expect(count == 23)
        }

        @Test func `without an observer, the engine has no events to report`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = session { _ in }
            let sockets = try session.session
            do {
                let events = session.connectionEvents()
                _ = try await session.response(for: server.request("/"))
                withExtendedLifetime(events) { #expect(sockets.events.isObserved) }
            }
            while sockets.events.isObserved { await Task.yield() }
        }

        @Test func `the stream of events ends when the session manager is released`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let events: AsyncStream<ConnectionEvent>
            do {
                let session = session { _ in }
                events = session.connectionEvents()
                _ = try await session.response(for: server.request("/"))
            }
            var last: ConnectionEvent?
            for await event in events { last = event }
            #expect(last?.reason == .sessionClosed)
        }
    }
#endif
