#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Runs in separate processes, because threads and descriptors of other tests would be counted otherwise.
    @Suite(.timeLimit(.ofStorm))
    struct EngineLifetimeTests {
        @Test(arguments: [1, 2])
        func `released session managers leak no thread, descriptor or memory`(loops: Int) async {
            await #expect(processExitsWith: .success) { [loops = loops as Int] in
                let server = try nonRecordingServer()
                let count = runs(60, slow: 1200)
                var warm: ProcessUse?
                for number in 0..<count {
                    if number == count / 3 { warm = try await ProcessUse.settled(server) }
                    try await use(SocketSessionManager(configuration: SessionConfiguration { $0.eventLoops = loops }), server)
                }
                try await ProcessUse.expectNoLeak(since: try #require(warm), server)
            }
        }

        @Test(arguments: [1, 3])
        func `closed session managers have no thread or descriptor left when the call returns`(loops: Int) async {
            await #expect(processExitsWith: .success) { [loops = loops as Int] in
                let server = try nonRecordingServer()
                let closed = Locked<[SocketSessionManager]>([])
                var warm: ProcessUse?
                let count = runs(30, slow: 100)
                for number in 0..<count {
                    if number == count / 2 { warm = try await ProcessUse.settled(server) }
                    let session = SocketSessionManager(configuration: SessionConfiguration { $0.eventLoops = loops })
                    for _ in 0..<20 { session.response(for: server.request("/")) { _ in } }
                    if number % 3 == 0 { try await use(session, server) }
                    _ = await session.close(grace: number % 2 == 0 ? .zero : .seconds(60))
                    // They are retained: the threads end because they were closed.
                    closed.withLock { $0.append(session) }
                }
                try await ProcessUse.expectNoLeak(since: try #require(warm), server)
            }
        }

        @Test func `session managers that are released during transfers leak no thread, descriptor or memory`() async {
            await #expect(processExitsWith: .success) {
                let server = try nonRecordingServer()
                var warm: ProcessUse?
                let count = runs(40, slow: 200)
                for number in 0..<count {
                    // Waits regularly, because otherwise all session managers would exist at the same time and need much memory.
                    if number % 10 == 0 { _ = await server.waitForOpenConnections(count: 0) }
                    if number == count / 2 { warm = try await ProcessUse.settled(server) }
                    let session = SocketSessionManager(configuration: SessionConfiguration { $0.eventLoops = 3 })
                    for _ in 0..<20 {
                        let handle = session.response(for: server.request("/")) { _ in }
                        if number % 2 == 0 { handle.cancel() }
                    }
                }
                try await ProcessUse.expectNoLeak(since: try #require(warm), server)
            }
        }
    }

    private func nonRecordingServer() throws -> LoopbackServer {
        try LoopbackServer(configuration: LoopbackServerConfiguration(maximumRecordedRequests: 0)) { _ in .text("x") }
    }

    private func use(_ session: SocketSessionManager, _ server: LoopbackServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await session.response(for: server.request("/")) } }
            try await group.waitForAll()
        }
    }

    /// The threads, descriptors and memory that a process uses.
    private struct ProcessUse {
        var threads: Int
        var descriptors: Int
        var residentBytes: Int

        /// Measures after the connections of released session managers are closed; their threads then end shortly after.
        static func settled(_ server: LoopbackServer) async throws -> ProcessUse {
            _ = await server.waitForOpenConnections(count: 0)
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
            return ProcessUse(
                threads: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count,
                descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
                residentBytes: (Int(pages) ?? 0) * 4096)
        }

        /// At least 30 session managers were used between the two measurements. The tolerance is for threads that are
        /// ending, and threads of the runtime. On a busy machine, threads end late, so the second is repeated for up to a minute.
        static func expectNoLeak(since before: ProcessUse, _ server: LoopbackServer) async throws {
            var after = try await settled(server)
            for _ in 0..<600 where !after.isWithinTolerance(of: before) {
                try await Task.sleep(for: .milliseconds(100))
                after = try await settled(server)
            }
            #expect(after.isWithinTolerance(of: before), "\(before) -> \(after)")
        }

        private func isWithinTolerance(of before: ProcessUse) -> Bool {
            threads < before.threads + 10 && descriptors < before.descriptors + 30
                // The memory that a sanitizer itself uses grows during the test.
                && (isSanitized || residentBytes < before.residentBytes + (8 << 20))
        }
    }
#endif
