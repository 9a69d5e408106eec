#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.ofStorm), .alsoOnEventLoops)
    struct EngineCancellationTests {
        private func stallingServer() throws -> LoopbackServer {
            try LoopbackServer {
                LoopbackRoute(.get, "/never") { _ in LoopbackResponse.text("x").fault(.stall) }
                LoopbackRoute(.get, "/body") { _ in LoopbackResponse.text("xxxxx").fault(.stallBody(after: 2)) }
                LoopbackRoute(.get, "/good") { _ in .text("good") }
            }
        }

        @Test func `a task that is cancelled before it starts sends no request`() async throws {
            let server = try stallingServer()
            let session = SocketSessionManager()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await failure(of: session, server.request("/good"))
            }
            #expect(try await task.value.isCancelled)
            #expect(try await session.response(for: server.request("/good")).statusCode == 200)
            #expect(server.requestCount == 1)
        }

        @Test(arguments: ["/never", "/body"])
        func `cancelling a task closes its connection`(path: String) async throws {
            let server = try stallingServer()
            let session = SocketSessionManager()
            let task = Task { try await failure(of: session, server.request(path)) }
            _ = await server.waitForRequests(count: 1)
            task.cancel()
            let error = try await task.value
            #expect(error.code == .cancelled && error.isCancelled && !error.isRetryable)
            #expect(await server.waitForOpenConnections(count: 0))
            #expect(try await session.response(for: server.request("/good")).statusCode == 200)
        }

        @Test func `cancelling the handle calls the completion handler once, with a cancellation error`() async throws {
            let server = try stallingServer()
            let session = SocketSessionManager()
            let (stream, results) = AsyncStream.makeStream(of: Result<NetworkResponse, TransportError>.self)
            let handle = session.response(for: server.request("/never")) { results.yield($0) }
            _ = await server.waitForRequests(count: 1)
            handle.cancel()
            handle.cancel()
            var iterator = stream.makeAsyncIterator()
            guard case .failure(let error) = await iterator.next() else { throw TransportError(.other, "no failure") }
            #expect(error.isCancelled)
            #expect(await server.waitForOpenConnections(count: 0))
            // A second completion would be in the stream before the result of this request.
            session.response(for: server.request("/good")) { results.yield($0) }
            guard case .success = await iterator.next() else { throw TransportError(.other, "completed twice") }
        }

        @Test func `cancelling a request while it connects ends the connection attempt`() async throws {
            let listener = try StuckListener()
            let session = SocketSessionManager()
            let request = NetworkRequest(url: listener.url, timeouts: RequestTimeouts(connect: .seconds(600)))
            let task = Task { try await failure(of: session, request) }
            await Task.yield()
            task.cancel()
            #expect(try await task.value.isCancelled)
        }

        @Test func `cancelling requests that wait for a connection removes them from the queue`() async throws {
            let server = try stallingServer()
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
            let blocker = Task { try await failure(of: session, server.request("/never")) }
            _ = await server.waitForRequests(count: 1)
            let queued = (0..<50).map { _ in Task { try await failure(of: session, server.request("/never")) } }
            let last = Task { try await session.response(for: server.request("/good")) }
            for task in queued { task.cancel() }
            for task in queued { #expect(try await task.value.isCancelled) }
            blocker.cancel()
            #expect(try await blocker.value.isCancelled)
            #expect(try await last.value.statusCode == 200)
            #expect(server.requests.filter { $0.path == "/never" }.count == 1)
        }

        @Test func `cancelling a completed request has no effect`() async throws {
            let server = try stallingServer()
            let session = SocketSessionManager()
            let (stream, results) = AsyncStream.makeStream(of: Bool.self)
            let handle = session.response(for: server.request("/good")) { result in
                results.yield((try? result.get()) != nil)
                results.finish()
            }
            var outcomes: [Bool] = []
            for await outcome in stream { outcomes.append(outcome) }
            handle.cancel()
            #expect(outcomes == [true])
        }

        @Test func `a request can be cancelled at any time, and the next request succeeds`() async throws {
            let server = try stallingServer()
            let session = SocketSessionManager()
            var random = SeededGenerator(seed: 1)
            for _ in 0..<(runs(150, slow: 3000)) {
                let request = server.request("/good")
                await Self.cancelledTask(session, request, afterTurns: Int.random(in: 0..<30, using: &random))
                #expect(try await session.response(for: request).statusCode == 200)
            }
        }

        @Test func `with many concurrent cancellations, each request completes exactly once`() async throws {
            let server = try LoopbackServer { request in
                LoopbackResponse.text(String(repeating: "x", count: 3000)).delayed(
                    by: .microseconds(Int(request.path.dropFirst()) ?? 0))
            }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 64 })
            let count = runs(1000, slow: 20_000)
            let counts = Locked<[Int: Int]>([:])
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<64 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(worker))
                        for number in stride(from: worker, to: count, by: 64) {
                            let request = server.request("/\(Int.random(in: 0..<2000, using: &random))")
                            let turns = Int.random(in: 0..<60, using: &random)
                            if number % 2 == 0 {
                                await Self.cancelledTask(session, request, afterTurns: turns)
                                counts.withLock { $0[number, default: 0] += 1 }
                            } else {
                                await Self.cancelledHandle(session, request, afterTurns: turns) {
                                    counts.withLock { $0[number, default: 0] += 1 }
                                }
                            }
                        }
                    }
                }
            }
            let result = counts.withLock { $0 }
            #expect(result.count == count && result.values.allSatisfy { $0 == 1 })
            for _ in 0..<(isSlowRun ? 1000 : 50) {
                #expect(try await session.response(for: server.request("/0")).data.count == 3000)
            }
        }

        private static func cancelledTask(_ session: SocketSessionManager, _ request: NetworkRequest, afterTurns turns: Int) async
        {
            let task = Task { try? await session.response(for: request) }
            for _ in 0..<turns { await Task.yield() }
            task.cancel()
            _ = await task.value
        }

        private static func cancelledHandle(
            _ session: SocketSessionManager, _ request: NetworkRequest, afterTurns turns: Int,
            completed: @escaping @Sendable () -> Void
        ) async {
            let (stream, end) = AsyncStream.makeStream(of: Void.self)
            let handle = session.response(for: request) { _ in
                completed()
                end.finish()
            }
            for _ in 0..<turns { await Task.yield() }
            handle.cancel()
            for await _ in stream {}
        }
    }
#endif
