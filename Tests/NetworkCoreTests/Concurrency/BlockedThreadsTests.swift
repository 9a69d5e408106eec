#if os(macOS) || os(Linux)
    import Endpoints
    import Foundation
    import NetworkLogging
    import NetworkTesting
    import Testing
    import TransferTestSupport

    import NetworkCore
    @testable import NetworkTransport
    @testable import NetworkURLSession

    /// Runs in separate processes, because these tests block threads that all other tests need.
    @Suite(.timeLimit(.minutes(10))) struct BlockedThreadsTests {
        private static func body(_ session: some NetworkSessionManager, _ request: NetworkRequest) async throws -> String {
            String(decoding: try await session.response(for: request).data, as: UTF8.self)
        }

        private static func show(_ result: ExitTest.Result?) {
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            for line in output.split(separator: "\n") where line.hasPrefix("measured: ") { print(line) }
        }

        @Test func `while 60 completion handlers block, the next one runs immediately`() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try LoopbackServer { _ in .text("x") }
                let session = DefaultSessionManager()
                let blockers = ThreadBlockers()
                for _ in 0..<60 { session.response(for: NetworkRequest(url: server.url("/"))) { _ in blockers.block() } }
                await blockers.waitUntilEntered(60)
                let begin = ContinuousClock.now
                let completed = Watched<ContinuousClock.Instant?>(nil)
                session.response(for: NetworkRequest(url: server.url("/"))) { _ in completed.withLock { $0 = .now } }
                await completed.wait { $0 != nil }
                let time = begin.duration(to: completed.withLock { $0 } ?? begin)
                print("measured: the 61st completion came after \(time)")
                // Without a free thread, the completion would never be called: this is a guard, not a measurement.
                #expect(time < .seconds(30))
                await blockers.release(60)
            }
            BlockedThreadsTests.show(result)
        }

        @Test func `while 1,000 completion handlers block, async calls, files and timers continue`() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
                let server = try LoopbackServer { request in .text(String(decoding: request.body, as: UTF8.self)) }
                let session = DefaultSessionManager()
                let blockers = ThreadBlockers()
                for _ in 0..<1000 { session.response(for: NetworkRequest(url: server.url("/"))) { _ in blockers.block() } }
                await blockers.waitUntilEntered(64)
                while BackgroundThreads.completions.waitingCount < 936 { await Task.yield() }
                #expect(BackgroundThreads.completions.count == 64)
                let late = Watched(false)
                session.response(for: NetworkRequest(url: server.url("/"))) { _ in late.withLock { $0 = true } }

                let begin = ContinuousClock.now
                var request = NetworkRequest(method: .post, url: server.url("/"))
                request.body = .data(Data("async".utf8))
                #expect(try await BlockedThreadsTests.body(session, request) == "async")
                #expect(try await BlockedThreadsTests.body(URLSessionManager(), request) == "async")
                let stub = StubSessionManager(returning: .text("stub"))
                #expect(try await BlockedThreadsTests.body(stub, request) == "stub")
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("blocked-\(UUID())")
                try Data("from a file".utf8).write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                request.body = .file(file)
                #expect(try await BlockedThreadsTests.body(session, request) == "from a file")
                #expect(try await BlockedThreadsTests.body(URLSessionManager(), request) == "from a file")
                let stream = try await session.stream(for: request)
                #expect(try await stream.body.collected() == Data("from a file".utf8))
                let asleep = ContinuousClock.now
                try await Task.sleep(for: .milliseconds(10))
                let sleep = asleep.duration(to: .now)
                print("measured: 10 ms of sleep took \(sleep), and all \(begin.duration(to: .now))")
                #expect(sleep < .seconds(30))
                #expect(!late.withLock { $0 })

                await blockers.release(1000)
                await late.wait { $0 }
            }
            BlockedThreadsTests.show(result)
        }

        @Test func `while all file threads are blocked, completion handlers and transfers continue`() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in .text("x") }
                let session = DefaultSessionManager()
                let blockers = ThreadBlockers()
                for _ in 0..<100 { BackgroundThreads.files.run { blockers.block() } }
                await blockers.waitUntilEntered(64)
                let completed = Watched(false)
                session.response(for: NetworkRequest(url: server.url("/"))) { _ in completed.withLock { $0 = true } }
                await completed.wait { $0 }
                #expect(try await BlockedThreadsTests.body(session, NetworkRequest(url: server.url("/"))) == "x")
                try await Task.sleep(for: .milliseconds(1))
                await blockers.release(100)
            }
        }

        /// All operations on a file wait for a file thread.
        @Test func `the file of a body is opened on a file thread, in async calls and in calls with a completion handler`() async
        {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { request in .text("\(request.body.count)") }
                let file = FileManager.default.temporaryDirectory.appendingPathComponent("blocked-\(UUID())")
                try Data(count: 100).write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                let blockers = ThreadBlockers()
                for _ in 0..<64 { BackgroundThreads.files.run { blockers.block() } }
                await blockers.waitUntilEntered(64)
                let request = NetworkRequest(method: .put, url: server.url("/"), body: .file(file))
                let session = DefaultSessionManager()
                let response = Watched<String?>(nil)
                async let one = BlockedThreadsTests.body(session, request)
                session.response(for: request) { result in
                    response.withLock { $0 = (try? result.get()).map { String(decoding: $0.data, as: UTF8.self) } }
                }
                while BackgroundThreads.files.waitingCount < 2 { await Task.yield() }
                #expect(server.requests.isEmpty)
                await blockers.release(64)
                #expect(try await one == "100")
                await response.wait { $0 == "100" }
            }
        }

        @Test func `the maximum number of threads can be set, and is at least 1`() async {
            await #expect(processExitsWith: .success) {
                #expect(BackgroundThreads.completions.maximumCount == 64)
                BackgroundThreads.completions.maximumCount = Int.min
                #expect(BackgroundThreads.completions.maximumCount == 1)
                #expect(BackgroundThreads.files.maximumCount == 64)
                let blockers = ThreadBlockers()
                for _ in 0..<10 { BackgroundThreads.completions.run { blockers.block() } }
                await blockers.waitUntilEntered(1)
                #expect(BackgroundThreads.completions.count == 1)
                #expect(BackgroundThreads.completions.waitingCount == 9)
                await blockers.release(10)
            }
        }

        @Test func `transfers continue while writing to standard error blocks`() async {
            await #expect(processExitsWith: .success) {
                let server = try LoopbackServer { _ in .text("x") }
                var ends: [Int32] = [0, 0]
                guard pipe(&ends) == 0, dup2(ends[1], STDERR_FILENO) >= 0 else { exit(2) }
                for _ in 0..<1000 { StandardError.write(String(repeating: "x", count: 100)) }
                let service = DefaultNetworkService(
                    configuration: APIConfiguration(baseURL: server.url), sessionManager: DefaultSessionManager(),
                    logger: ConsoleLogger())
                for _ in 0..<20 {
                    let endpoint = Endpoint<Data>(path: "x", responseDecoder: .rawData)
                    guard let response = try? await service.response(for: endpoint), response.statusCode == 200 else { exit(3) }
                }
                // The process waits at most 2 seconds for standard error before it exits.
                exit(0)
            }
        }

    }
#endif
