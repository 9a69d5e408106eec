#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    /// Runs in separate processes, because threads and descriptors of other tests would be counted too.
    @Suite(.timeLimit(.minutes(10)))
    struct CurlLifetimeTests {
        @Test(arguments: [1, 2])
        func `many session managers leave no thread, descriptor or memory behind`(loops: Int) async {
            await #expect(processExitsWith: .success) { [loops = loops as Int] in
                let server = try forgetfulServer()
                let count = isSlowRun ? 3000 : 300
                var warm: ProcessUse?
                for number in 0..<count {
                    if number == count / 3 { warm = try await ProcessUse.settled(server) }
                    try await use(CurlSessionManager(configuration: SessionConfiguration { $0.eventLoops = loops }), server)
                }
                try await ProcessUse.settled(server).expectNoLeak(since: try #require(warm))
            }
        }

        @Test func `session managers released with transfers under way leave nothing behind`() async {
            await #expect(processExitsWith: .success) {
                let server = try forgetfulServer()
                var warm: ProcessUse?
                for number in 0..<200 {
                    // Not all at once: their memory would be the most there was at a time.
                    if number % 10 == 0 { _ = await server.waitForOpenConnections(0) }
                    if number == 100 { warm = try await ProcessUse.settled(server) }
                    let session = CurlSessionManager(configuration: SessionConfiguration { $0.eventLoops = 3 })
                    for _ in 0..<20 {
                        let handle = session.request(server.request("/")) { _ in }
                        if number % 2 == 0 { handle.cancel() }
                    }
                }
                try await ProcessUse.settled(server).expectNoLeak(since: try #require(warm))
            }
        }
    }

    private func forgetfulServer() throws -> LoopbackServer {
        try LoopbackServer(configuration: LoopbackServerConfiguration(maximumRecordedRequests: 0)) { _ in .text("x") }
    }

    private func use(_ session: CurlSessionManager, _ server: LoopbackServer) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await session.response(for: server.request("/")) } }
            try await group.waitForAll()
        }
    }

    /// What a process holds.
    private struct ProcessUse {
        var threads: Int
        var descriptors: Int
        var residentBytes: Int

        /// Once the connections of released session managers are closed, and with them their threads about to end.
        static func settled(_ server: LoopbackServer) async throws -> ProcessUse {
            _ = await server.waitForOpenConnections(0)
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")[1]
            return ProcessUse(
                threads: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count,
                descriptors: try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
                residentBytes: (Int(pages) ?? 0) * 4096)
        }

        /// A hundred session managers or more lie in between. Some threads may be about to end, or be the runtime's own.
        func expectNoLeak(since before: ProcessUse) {
            #expect(threads < before.threads + 10, "\(before) -> \(self)")
            #expect(descriptors < before.descriptors + 30, "\(before) -> \(self)")
            // A sanitizer's own memory grows with whatever is new to it.
            if !isSanitized { #expect(residentBytes < before.residentBytes + (8 << 20), "\(before) -> \(self)") }
        }
    }
#endif
