#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport
    import NetworkURLSession

    @Suite(.timeLimit(.minutes(10)))
    struct EngineTotalLimitTests {
        private func session(_ change: (inout SessionConfiguration) -> Void) -> SocketSessionManager {
            SocketSessionManager(configuration: SessionConfiguration(change))
        }

        @Test(arguments: [1, 3])
        func `the total number of connections, including idle ones, does not exceed the limit`(loops: Int) async throws {
            let open = Locked((now: 0, most: 0))
            let servers = try (0..<8).map { _ in
                try LoopbackServer { _ in
                    open.withLock { counts in
                        counts.now += 1
                        counts.most = max(counts.most, counts.now)
                    }
                    for _ in 0..<50 { await Task.yield() }
                    open.withLock { $0.now -= 1 }
                    return .text("x")
                }
            }
            let session = session {
                $0.eventLoops = loops
                $0.maximumConnections = 5
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<400 {
                    group.addTask { try await session.response(for: servers[number % 8].request("/")).statusCode }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(open.withLock { $0.most } <= 5)
            // The server detects a closed connection after a short delay.
            #expect(await servers.haveOpenConnections(atMost: 5))
        }

        @Test func `an idle connection is closed if a connection to another host needs its slot`() async throws {
            let servers = try (0..<20).map { _ in try LoopbackServer { _ in .text("x") } }
            let session = session { $0.maximumConnections = 2 }
            for server in servers + servers { #expect(try await session.response(for: server.request("/")).statusCode == 200) }
            // libcurl chooses which connections to close; its clock has a resolution of one millisecond.
            #expect(await servers.haveOpenConnections(atMost: 2))
        }

        @Test func `many queued requests to one host do not delay a request to another host`() async throws {
            let (first, later) = (AsyncGate(), AsyncGate())
            let arrived = Locked(0)
            let busy = try LoopbackServer { _ in
                await first.wait()
                let number = arrived.withLock { count in
                    count += 1
                    return count
                }
                // The other request needs a connection after about 3 of the 400.
                if number > 20 { await later.wait() }
                return .text("x")
            }
            let other = try LoopbackServer { _ in .text("y") }
            let session = session {
                $0.maximumConnections = 2
                $0.maximumConnectionsPerHost = 2
            }
            for _ in 0..<400 { session.response(for: busy.request("/")) { _ in } }
            _ = await busy.waitForRequests(count: 2)
            let (texts, done) = AsyncStream.makeStream(of: String.self)
            session.response(for: other.request("/", timeouts: RequestTimeouts(total: .seconds(60)))) { result in
                if case .success(let response) = result { done.yield(response.text) }
                done.finish()
            }
            first.open()
            var iterator = texts.makeAsyncIterator()
            #expect(await iterator.next() == "y")
            later.open()
        }

        @Test(arguments: [1, 2])
        func `the time a request waits in the queue counts only towards the total timeout`(loops: Int) async throws {
            // On a busy machine, the exchange after the wait may take longer than a short timeout.
            let found = try await withTimeouts(from: .milliseconds(500)) { timeout -> NetworkResponse? in
                let gate = AsyncGate()
                let slow = try LoopbackServer { _ in
                    await gate.wait()
                    return .text("slow")
                }
                let fast = try LoopbackServer { _ in .text("fast") }
                let session = session {
                    $0.eventLoops = loops
                    $0.maximumConnections = loops
                    $0.maximumConnectionsPerHost = loops
                }
                let blocking = slow.request("/", timeouts: RequestTimeouts(idle: .seconds(600)))
                for _ in 0..<loops { session.response(for: blocking) { _ in } }
                _ = await slow.waitForRequests(count: loops)
                let (responses, patient) = AsyncStream.makeStream(of: NetworkResponse.self)
                session.response(for: fast.request("/", timeouts: RequestTimeouts(connect: timeout, idle: timeout))) { result in
                    if case .success(let response) = result { patient.yield(response) }
                    patient.finish()
                }
                for total in [timeout + .milliseconds(200), .milliseconds(100)] {
                    let error = try await failure(of: session, fast.request("/", timeouts: RequestTimeouts(total: total)))
                    #expect(error.code == .timedOut && error.phase == .queued && error.message.contains("total"))
                }
                #expect(fast.requestCount == 0)
                gate.open()
                var iterator = responses.makeAsyncIterator()
                guard let response = await iterator.next() else { return nil }
                #expect(response.timings.queued ?? .zero > timeout + .milliseconds(200))
                return response
            }
            let response = try #require(found)
            #expect(response.statusCode == 200)
        }

        @Test func `a request that is cancelled in the queue does not block later requests`() async throws {
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let slow = try LoopbackServer { _ in
                for await _ in gate {}
                return .text("slow")
            }
            let fast = try LoopbackServer { _ in .text("fast") }
            let session = session { $0.maximumConnections = 1 }
            let blocker = Task { try await session.response(for: slow.request("/")).statusCode }
            _ = await slow.waitForRequests(count: 1)
            let queued = (0..<50).map { _ in Task { try await failure(of: session, fast.request("/never")) } }
            for _ in 0..<100 { await Task.yield() }
            for task in queued { task.cancel() }
            for task in queued { #expect(try await task.value.isCancelled) }
            let last = Task { try await session.response(for: fast.request("/")).statusCode }
            open.finish()
            #expect(try await blocker.value == 200)
            #expect(try await last.value == 200)
            #expect(!fast.requests.contains { $0.path == "/never" })
        }

        @Test func `connections are closed after each request if no idle connections are allowed`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = session { $0.maximumIdleConnections = 0 }
            for _ in 0..<5 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connectionCount == 5)
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test func `the total connection limit also applies to a URLSessionManager`() async throws {
            let inside = Locked((now: 0, most: 0))
            let servers = try (0..<4).map { _ in
                try LoopbackServer { _ in
                    inside.withLock { counts in
                        counts.now += 1
                        counts.most = max(counts.most, counts.now)
                    }
                    for _ in 0..<50 { await Task.yield() }
                    inside.withLock { $0.now -= 1 }
                    return .text("x")
                }
            }
            let session = URLSessionManager(configuration: SessionConfiguration { $0.maximumConnections = 3 })
            try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<80 {
                    group.addTask { try await session.response(for: servers[number % 4].request("/")).statusCode }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(inside.withLock { $0.most } <= 3)
        }
    }

    extension [LoopbackServer] {
        /// Waits until the servers together have at most `limit` open connections. Returns `false` if the test is cancelled, as
        /// by its time limit.
        fileprivate func haveOpenConnections(atMost limit: Int) async -> Bool {
            while map(\.openConnectionCount).reduce(0, +) > limit {
                if Task.isCancelled { return false }
                await Task.yield()
            }
            return true
        }
    }
#endif
