#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// `close(grace:)` of the session manager over libcurl.
    @Suite(.timeLimit(.minutes(10)))
    struct EngineClosingTests {
        private func session(loops: Int = 1, _ change: (inout SessionConfiguration) -> Void = { _ in }) -> SocketSessionManager {
            SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.eventLoops = loops
                    change(&$0)
                })
        }

        /// A server that does not respond before the gate is opened.
        private func server(_ gate: AsyncGate) throws -> LoopbackServer {
            try LoopbackServer {
                LoopbackRoute(.get, "/held/{number}") { _ in
                    await gate.wait()
                    return .text("x")
                }
                LoopbackRoute(.get, "/now") { _ in .text("x") }
                LoopbackRoute(.get, "/endless") { _ in LoopbackResponse.text("x").fault(.endlessBody) }
                LoopbackRoute(.get, "/large") { _ in LoopbackResponse(body: Data(count: 3_000_000)) }
            }
        }

        /// Reads a body, and returns the error with which it ends.
        private func endOfBody(_ response: NetworkResponse) async -> TransportError? {
            do {
                for try await _ in response.body {}
                return nil
            } catch {
                let error: any Error = error
                return error as? TransportError
            }
        }

        private func waiting(_ session: SocketSessionManager, _ count: Int) async {
            while await session.connectionCounts().total.waiting < count { await Task.yield() }
        }

        @Test(arguments: [1, 3]) func `requests that are under way or queued end in the grace period, and new ones are refused`(
            loops: Int
        ) async throws {
            let (gate, clock) = (AsyncGate(), ManualClock())
            let server = try server(gate)
            let session = session(loops: loops) { $0.maximumConnectionsPerHost = 1 }
            _ = try await session.response(for: server.request("/now"))
            let requests = (0..<4).map { number in
                Task { try await session.response(for: server.request("/held/\(number)")).statusCode }
            }
            await server.waitForRequests(count: 2)
            await waiting(session, 3)
            async let report = session.close(grace: .seconds(10), on: TimeSource(clock))
            await clock.waitForSleepers(count: 1)
            let error = await session.error(for: server.request("/now?token=a"))
            #expect(error?.code == .sessionClosed)
            #expect(error?.phase == nil)
            #expect(error?.isRetryable == false)
            #expect(
                await outcome { session.response(for: server.request("/now"), completion: $0) }.failure?.code == .sessionClosed)
            gate.open()
            for request in requests { #expect(try await request.value == 200) }
            let result = await report
            #expect(result.completed == 4)
            #expect(result.cancelledCount == 0)
            #expect(result.cancelled.isEmpty)
            #expect(server.requestCount == 5)
            #expect(await session.connectionCounts() == PoolCounts())
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test(arguments: [1, 3]) func `what is left at the end of the grace period is cancelled and reported`(loops: Int)
            async throws
        {
            let (gate, clock) = (AsyncGate(), ManualClock())
            let server = try server(gate)
            let session = session(loops: loops) { $0.maximumConnectionsPerHost = 2 }
            let stream = try await session.stream(for: server.request("/endless"))
            let first = Task { await session.error(for: server.request("/held/1?token=secret")) }
            await server.waitForRequests(count: 2)
            let second = Task { await session.error(for: server.request("/held/2")) }
            await waiting(session, 1)
            async let report = session.close(grace: .seconds(10), on: TimeSource(clock))
            await clock.waitForSleepers(count: 1)
            clock.advance(by: .seconds(10))
            let result = await report
            #expect(result.completed == 0)
            #expect(result.cancelledCount == 3)
            let expected = [
                "GET \(server.url("/endless").absoluteString)": TransportError.Phase.receive,
                "GET \(server.url("/held/1").absoluteString)?…": .firstByte,
                "GET \(server.url("/held/2").absoluteString)": .queued,
            ]
            #expect(Dictionary(uniqueKeysWithValues: result.cancelled.map { ($0.request ?? "", $0.phase) }) == expected)
            #expect(result.cancelled.allSatisfy { $0.code == .sessionClosed })
            #expect(await first.value?.phase == .firstByte)
            #expect(await second.value?.phase == .queued)
            #expect(await endOfBody(stream)?.code == .sessionClosed)
            #expect(await server.waitForOpenConnections(count: 0))
            gate.open()
        }

        @Test func `a streamed body that is still read may be read to its end in the grace period`() async throws {
            let (gate, clock) = (AsyncGate(), ManualClock())
            let server = try server(gate)
            let session = session()
            let stream = try await session.stream(for: server.request("/large"))
            async let report = session.close(grace: .seconds(10), on: TimeSource(clock))
            await clock.waitForSleepers(count: 1)
            #expect(try await stream.body.collected(maximumBytes: 4_000_000).count == 3_000_000)
            #expect(await report.completed == 1)
        }

        @Test func `idle connections are closed at once, while other requests are under way`() async throws {
            let (gate, clock) = (AsyncGate(), ManualClock())
            let (held, idle) = (try server(gate), try server(gate))
            let session = session()
            _ = try await session.response(for: idle.request("/now"))
            let request = Task { try await session.response(for: held.request("/held/1")).statusCode }
            await held.waitForRequests(count: 1)
            async let report = session.close(grace: .seconds(10), on: TimeSource(clock))
            #expect(await idle.waitForOpenConnections(count: 0))
            #expect(held.openConnectionCount == 1)
            gate.open()
            #expect(try await request.value == 200)
            #expect(await report.completed == 1)
        }

        @Test func `a session manager that was not used, or is invalid, is closed at once`() async throws {
            #expect(await session().close(grace: .seconds(600)).completed == 0)
            #expect(await session { $0.maximumConnections = 0 }.close(grace: .seconds(600)).completed == 0)
        }

        @Test func `all calls return the same report, and the grace period that ends first applies`() async throws {
            let (gate, clock) = (AsyncGate(), ManualClock())
            let server = try server(gate)
            let session = session()
            let request = Task { await session.error(for: server.request("/held/1")) }
            await server.waitForRequests(count: 1)
            let calls = [30, 10, 20].map { seconds in
                Task { await session.close(grace: .seconds(seconds), on: TimeSource(clock)) }
            }
            await clock.waitForSleepers(count: 3)
            clock.advance(by: .seconds(10))
            for call in calls { #expect(await call.value.cancelledCount == 1) }
            #expect(await session.close().cancelledCount == 1)
            #expect(await request.value?.code == .sessionClosed)
            gate.open()
        }

        @Test(arguments: [true, false]) func `cancelling the task that waits, or a grace of zero, cancels what is left at once`(
            isCancelled: Bool
        ) async throws {
            let gate = AsyncGate()
            let server = try server(gate)
            let session = session()
            let request = Task { await session.error(for: server.request("/held/1")) }
            await server.waitForRequests(count: 1)
            let call = Task { await session.close(grace: isCancelled ? .seconds(600) : .zero) }
            if isCancelled { call.cancel() }
            #expect(await call.value.cancelledCount == 1)
            #expect(await request.value?.code == .sessionClosed)
            gate.open()
        }

        @Test(arguments: [1, 3]) func `a task on an event loop can close the session manager, and continues there`(
            loops: Int
        ) async throws {
            let gate = AsyncGate()
            let server = try server(gate)
            let session = session(loops: loops)
            await session.run {
                let under = Task(executorPreference: session.executor) { await session.error(for: server.request("/held/1")) }
                await server.waitForRequests(count: 1)
                let close = Task(executorPreference: session.executor) { await session.close(grace: .seconds(600)) }
                while await session.error(for: server.request("/now"))?.code != .sessionClosed { await Task.yield() }
                gate.open()
                #expect(await close.value.completed >= 1)
                #expect(await under.value == nil)
                #expect(EventLoop.ofThisThread != nil)
                // A new thread runs the jobs that follow.
                for _ in 0..<3 {
                    await Task.yield()
                    #expect(await session.close(grace: .zero).cancelledCount == 0)
                    #expect(await session.error(for: server.request("/now"))?.code == .sessionClosed)
                    #expect(EventLoop.ofThisThread != nil)
                }
            }
        }

        @Test func `a task that keeps an event loop busy does not prevent the end of the closing`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = session()
            _ = try await session.response(for: server.request("/"))
            let busy = Task(executorPreference: session.executor) { while !Task.isCancelled { await Task.yield() } }
            _ = await session.close(grace: .seconds(600))
            #expect(await server.waitForOpenConnections(count: 0))
            busy.cancel()
            await busy.value
        }

        @Test func `a completion on an event loop can close the session manager`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = session { $0.completions = .onEventLoop }
            let report: ClosingReport = await outcome { done in
                session.response(for: server.request("/")) { _ in Task { done(await session.close(grace: .seconds(600))) } }
            }
            #expect(report.cancelledCount == 0)
        }

        @Test func `a report lists a limited number of requests, and counts all`() async throws {
            let gate = AsyncGate()
            let server = try server(gate)
            let session = session { $0.maximumConnectionsPerHost = 1 }
            let requests = (0..<150).map { number in Task { await session.error(for: server.request("/held/\(number)")) } }
            await server.waitForRequests(count: 1)
            await waiting(session, 149)
            let report = await session.close(grace: .zero)
            #expect(report.cancelledCount == 150)
            #expect(report.cancelled.count == ClosingReport.maximumListed)
            for request in requests { #expect(await request.value?.code == .sessionClosed) }
            gate.open()
        }
    }

    extension Result {
        fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
    }
#endif
