#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Tests with a name server that never responds.
    @Suite(
        .needs(
            "a name server that never responds", ProcessInfo.processInfo.environment["DATA_TRANSFER_SILENT_RESOLVER"] == "1",
            run: "Scripts/with-silent-resolver swift test --filter SilentResolverTests"),
        .timeLimit(.minutes(10)))
    struct SilentResolverTests {
        private func nowhere(_ number: Int, _ timeouts: RequestTimeouts) throws -> NetworkRequest {
            NetworkRequest(url: try #require(URL(string: "http://host\(number).example/")), timeouts: timeouts)
        }

        // The resolver gives up after 150 seconds.

        @Test func `a name lookup that exceeds its timeout is a typed error and does not delay later requests`() async throws {
            let server = try LoopbackServer { _ in .text("good") }
            let session = SocketSessionManager()
            let clock = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<30 {
                    let isTotal = number.isMultiple(of: 2)
                    let timeouts = RequestTimeouts(
                        connect: isTotal ? nil : .seconds(3), total: isTotal ? .seconds(3) : nil)
                    group.addTask {
                        let error = try await failure(of: session, try nowhere(number, timeouts))
                        #expect(error.isTimeout && error.phase == .nameLookup && error.isConnectivity, "\(error)")
                    }
                }
                try await group.waitForAll()
            }
            for _ in 0..<1000 {
                #expect(try await session.response(for: server.request("/")).data == Data("good".utf8))
            }
            #expect(ContinuousClock.now - clock < .seconds(120))
        }

        @Test func `name lookups in progress do not delay other requests`() async throws {
            let server = try LoopbackServer { _ in .text("good") }
            let session = SocketSessionManager()
            let ended = Locked(0)
            let handles = try (0..<30).map { number in
                session.response(for: try nowhere(number, RequestTimeouts(connect: .seconds(600)))) { _ in
                    ended.withLock { $0 += 1 }
                }
            }
            for _ in 0..<100 {
                #expect(try await session.response(for: server.request("/")).data == Data("good".utf8))
            }
            #expect(ended.withLock { $0 } == 0, "requests without a lookup did not wait")
            for handle in handles { handle.cancel() }
        }

        @Test func `a name lookup is cancelled immediately`() async throws {
            let session = SocketSessionManager()
            let clock = ContinuousClock.now
            let tasks = try (0..<30).map { number in
                let request = try nowhere(number, RequestTimeouts(connect: .seconds(600)))
                return Task { try await failure(of: session, request) }
            }
            await Task.yield()
            for task in tasks {
                task.cancel()
                #expect(try await task.value.isCancelled)
            }
            let server = try LoopbackServer { _ in .text("good") }
            #expect(try await session.response(for: server.request("/")).data == Data("good".utf8))
            #expect(ContinuousClock.now - clock < .seconds(120))
        }

        @Test func `a process can exit while name lookups are in progress`() async throws {
            let clock = ContinuousClock.now
            await #expect(processExitsWith: .success) {
                let session = SocketSessionManager()
                for number in 0..<30 {
                    guard let url = URL(string: "http://host\(number).example/") else { exit(1) }
                    session.response(for: NetworkRequest(url: url)) { _ in }
                }
                let server = try LoopbackServer { _ in .text("good") }
                _ = try await session.response(for: server.request("/"))
                exit(0)
            }
            #expect(ContinuousClock.now - clock < .seconds(120))
        }
    }
#endif
