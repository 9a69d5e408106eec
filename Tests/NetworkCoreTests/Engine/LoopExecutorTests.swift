#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Tasks on the thread of an event loop.
    @Suite(.timeLimit(.ofStorm))
    struct LoopExecutorTests {
        private func session(loops: Int = 1, _ change: (inout SessionConfiguration) -> Void = { _ in }) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.eventLoops = loops
                    change(&$0)
                })
        }

        /// The number of the event loop whose thread is the current one.
        private static var loop: Int? { EventLoop.ofThisThread?.inbox.number }

        private static func echo() throws -> LoopbackServer {
            try LoopbackServer { request in .text(request.path + " " + String(decoding: request.body, as: UTF8.self)) }
        }

        @Test func `a task starts, waits for responses and continues on the thread of its event loop`() async throws {
            let server = try Self.echo()
            let session = session()
            #expect(Self.loop == nil)
            try await session.run { () async throws in
                for number in 0..<50 {
                    #expect(Self.loop == 0)
                    #expect(try await session.response(for: server.request("/\(number)")).data == Data("/\(number) ".utf8))
                }
                #expect(Self.loop == 0)
                async let child = Self.loop
                #expect(await child == 0)
            }
            #expect(Self.loop == nil)
            #expect(server.connectionCount == 1)
        }

        @Test func `a request is sent while jobs that take long wait`() async throws {
            let server = try Self.echo()
            let session = session()
            _ = try await session.response(for: server.request("/first"))
            try await session.run { () async throws in
                async let second = session.response(for: server.request("/second"))
                let sawRequest = await withTaskGroup(of: Bool.self) { group in
                    // Fewer than the loop runs in a round.
                    for _ in 0..<200 {
                        group.addTask {
                            let end = ContinuousClock.now + .milliseconds(5)
                            while server.requests.count < 2, ContinuousClock.now < end {}
                            return server.requests.count == 2
                        }
                    }
                    return await group.reduce(false) { $0 || $1 }
                }
                #expect(sawRequest, "the request was sent only after all jobs")
                #expect(try await second.statusCode == 200)
            }
        }

        @Test(arguments: [1, 3]) func `concurrent tasks on event loops each receive their own response`(loops: Int) async throws {
            let server = try Self.echo()
            let session = session(loops: loops) { $0.maximumConnectionsPerHost = 16 }
            #expect(session.executors.count == loops)
            let used = try await withThrowingTaskGroup(of: Int?.self, returning: Set<Int?>.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        try await session.run { () async throws in
                            let loop = Self.loop
                            let response = try await session.response(for: server.request("/\(number)"))
                            #expect(response.data == Data("/\(number) ".utf8))
                            #expect(Self.loop == loop)
                            return loop
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.insert($1) }
            }
            #expect(used == Set(0..<loops))
            #expect(server.connectionCount <= 16)
        }

        @Test func `cancellation, timeouts, streams, uploads, redirects and completions work on an event loop`() async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/never") { _ in LoopbackResponse.text("x").delayed(by: .seconds(600)) }
                LoopbackRoute(.get, "/large") { _ in LoopbackResponse(body: Data(count: 3_000_000)) }
                LoopbackRoute(.post, "/count") { request in .text("\(request.body.count)") }
                LoopbackRoute(.get, "/from") { _ in .status(302, headers: ["Location": "/to"]) }
                LoopbackRoute(.get, "/to") { _ in .text("arrived") }
            }
            let session = session()
            try await session.run { () async throws in
                let cancelled = Task(executorPreference: session.executor) { () async throws(TransportError) in
                    try await session.response(for: server.request("/never"))
                }
                _ = await server.waitForRequests(count: 1)
                cancelled.cancel()
                #expect(await #expect(throws: TransportError.self) { try await cancelled.value }?.code == .cancelled)

                var late = server.request("/never")
                late.timeouts.total = .milliseconds(50)
                #expect(try await failure(of: session, late).code == .timedOut)

                var streamed = server.request("/large")
                streamed.isStreamed = true
                var received = 0
                for try await piece in try await session.response(for: streamed).body { received += piece.count }
                #expect(received == 3_000_000)

                var upload = server.request("/count", method: .post)
                upload.body = .stream { Pieces(of: Data(count: 700_000), size: 9000) }
                #expect(try await session.response(for: upload).data == Data("700000".utf8))

                #expect(try await session.response(for: server.request("/from")).data == Data("arrived".utf8))

                let completed = await withUnsafeContinuation { continuation in
                    session.response(for: server.request("/to")) { continuation.resume(returning: try? $0.get().data) }
                }
                #expect(completed == Data("arrived".utf8))
                #expect(Self.loop == 0)
            }
        }

        @Test func `threads outside and tasks on an event loop use it at the same time`() async throws {
            let server = try Self.echo()
            let session = session { $0.maximumConnectionsPerHost = 4 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    let isInside = number % 2 == 0
                    group.addTask {
                        let work = { @Sendable () async throws in
                            for round in 0..<100 {
                                let path = "/\(number)/\(round)"
                                #expect(try await session.response(for: server.request(path)).data == Data("\(path) ".utf8))
                            }
                        }
                        if isInside { try await session.run(work) } else { try await work() }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test func `a task on an event loop uses another session manager, and the loop of that one`() async throws {
            let server = try Self.echo()
            let (first, second) = (session(), session())
            try await first.run { () async throws in
                let outer = EventLoop.ofThisThread.map(ObjectIdentifier.init)
                #expect(try await second.response(for: server.request("/a")).data == Data("/a ".utf8))
                #expect(EventLoop.ofThisThread.map(ObjectIdentifier.init) == outer)
                try await second.run { () async throws in
                    #expect(EventLoop.ofThisThread.map(ObjectIdentifier.init) != outer)
                    #expect(try await first.response(for: server.request("/b")).data == Data("/b ".utf8))
                    #expect(try await second.response(for: server.request("/c")).data == Data("/c ".utf8))
                }
                #expect(EventLoop.ofThisThread.map(ObjectIdentifier.init) == outer)
            }
        }

        @Test func `a session manager may be released on its event loop, and its executor may be used afterwards`() async throws {
            let server = try Self.echo()
            do {
                let executor = try await withSession(server)
                #expect(await withTaskExecutorPreference(executor) { Self.loop } == 0)
            }
            // The thread closes the idle connection when it ends; otherwise the connection would be kept for a minute.
            #expect(await server.waitForOpenConnections(count: 0))
        }

        /// Sends a request from an event loop, releases the session manager there, and returns the executor.
        private func withSession(_ server: LoopbackServer) async throws -> any TaskExecutor {
            let executor = session().executor
            try await withTaskExecutorPreference(executor) { () async throws in
                var session: SocketSessionManager? = self.session()
                try await withTaskExecutorPreference(session?.executor) { () async throws in
                    #expect(try await session?.response(for: server.request("/a")).data == Data("/a ".utf8))
                    session = nil
                    await Task.yield()
                    #expect(Self.loop == 0)
                }
            }
            return executor
        }

        @Test func `an endless series of jobs does not delay other requests of the event loop`() async throws {
            let server = try Self.echo()
            let session = session()
            let busy = Task(executorPreference: session.executor) { while !Task.isCancelled { await Task.yield() } }
            for _ in 0..<20 { #expect(try await session.response(for: server.request("/a")).data == Data("/a ".utf8)) }
            busy.cancel()
            await busy.value
        }

        @Test func `an observer of progress may send requests while its transfer runs on the event loop`() async throws {
            final class Observer: TransferProgressObserver {
                let session: SocketSessionManager
                let request: NetworkRequest
                let done = Promise<Void>()

                init(_ session: SocketSessionManager, _ request: NetworkRequest) {
                    self.session = session
                    self.request = request
                }

                func transferDidProgress(_ progress: TransferProgress) {
                    session.response(for: request) { result in
                        if (try? result.get()) != nil { self.done.resolve(()) }
                    }
                }
            }
            let server = try Self.echo()
            let session = session()
            let observer = Observer(session, server.request("/other"))
            try await session.run { () async throws in
                var request = server.request("/a", method: .post, body: Data(count: 100_000))
                request.progress = observer
                #expect(try await session.response(for: request).data.count == 100_003)
            }
            await observer.done.value()
        }

        @Test func `without a valid configuration, operations run and their requests fail`() async throws {
            let server = try Self.echo()
            let session = session { $0.eventLoops = 0 }
            #expect(session.executors.isEmpty)
            let error = try await session.run { try await failure(of: session, server.request("/a")) }
            #expect(error.code == .invalidConfiguration)
        }

        @Test(arguments: [1, 2])
        func `completions run on an event loop if the configuration says so, and may send requests there`(
            loops: Int
        ) async throws {
            let server = try Self.echo()
            let session = session(loops: loops) { $0.completions = .onEventLoop }
            for round in 0..<50 {
                let (first, second) = await withUnsafeContinuation { (continuation: UnsafeContinuation<(Int?, Int?), Never>) in
                    session.response(for: server.request("/\(round)")) { result in
                        let loop = Self.loop
                        #expect((try? result.get())?.data == Data("/\(round) ".utf8))
                        session.response(for: server.request("/again")) { result in
                            #expect((try? result.get())?.data == Data("/again ".utf8))
                            continuation.resume(returning: (loop, Self.loop))
                        }
                    }
                }
                #expect(first != nil && second != nil)
            }
            let cancelled = await withUnsafeContinuation { (continuation: UnsafeContinuation<(Bool, Int?), Never>) in
                session.response(for: server.request("/a")) { result in
                    continuation.resume(returning: ((try? result.get()) == nil, Self.loop))
                }.cancel()
            }
            #expect(cancelled.1 != nil)
        }

        @Test func `a completion on an event loop is called after the session manager was released`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("late").delayed(by: .milliseconds(50)) }
            for _ in 0..<20 {
                let loop = await withUnsafeContinuation { (continuation: UnsafeContinuation<Int?, Never>) in
                    session { $0.completions = .onEventLoop }.response(for: server.request("/")) { result in
                        #expect((try? result.get())?.data == Data("late".utf8))
                        continuation.resume(returning: Self.loop)
                    }
                }
                #expect(loop == 0)
            }
        }

        #if DEBUG
            @Test func `a task that blocks its event loop is reported once, also while it blocks`() async throws {
                for _ in 0..<100 {
                    let session = session()
                    let watch = try #require(await session.run { EventLoop.ofThisThread?.jobs.monitor })
                    await session.run { await Task.yield() }
                    // On a busy machine, even a short job may take so long that it is reported.
                    if watch.hasReported { continue }
                    // The report comes while the task blocks, or else it would never come for a task that blocks forever.
                    let blocked = Task(executorPreference: session.executor) {
                        for _ in 0..<10_000 where !watch.hasReported { usleep(10_000) }
                        return watch.hasReported
                    }
                    #expect(await blocked.value)
                    return
                }
                Issue.record("a short job was reported in each session manager")
            }
        #endif

        /// The invariant: each request that is not cancelled receives the response to itself, wherever its task runs and whatever others do.
        @Test(arguments: 1...4) func `tasks that move between event loops and the pool at random receive their own responses`(
            seed: Int
        ) async throws {
            let server = try Self.echo()
            let sessions = [session(loops: 1) { $0.maximumConnectionsPerHost = 3 }, session(loops: 3)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<24 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(seed * 1000 + worker))
                        for round in 0..<(isSlowRun ? 200 : isSanitized ? 6 : 10) {
                            let session = sessions[Int.random(in: 0...1, using: &random)]
                            let place = [nil, sessions[0].executor, sessions[1].executor][Int.random(in: 0...2, using: &random)]
                            let kind = Int.random(in: 0..<6, using: &random)
                            let turns = Int.random(in: 0..<30, using: &random)
                            try await withTaskExecutorPreference(place) { () async throws in
                                try await Self.send(kind, path: "/\(worker)/\(round)", turns: turns, to: server, with: session)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        private static func send(
            _ kind: Int, path: String, turns: Int, to server: LoopbackServer, with session: SocketSessionManager
        ) async throws {
            let expected = Data("\(path) ".utf8)
            switch kind {
            case 0:
                let task = Task { try await session.response(for: server.request(path)).data }
                for _ in 0..<turns { await Task.yield() }
                task.cancel()
                if let data = try? await task.value { #expect(data == expected) }
            case 1:
                var request = server.request(path)
                request.isStreamed = true
                let response = try await session.response(for: request)
                #expect(try await response.body.collected() == expected)
            case 2:
                async let first = session.response(for: server.request(path)).data
                async let second = session.response(for: server.request(path + "/b")).data
                #expect(try await first == expected)
                #expect(try await second == Data("\(path)/b ".utf8))
            case 3:
                try await session.run { () async throws in
                    #expect(try await session.response(for: server.request(path)).data == expected)
                }
            default:
                #expect(try await session.response(for: server.request(path)).data == expected)
            }
        }
    }
#endif
