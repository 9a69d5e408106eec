#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    /// How long connections are kept.
    @Suite(.timeLimit(.minutes(1)))
    struct IdleConnectionTests {
        @Test func `a connection that has been idle for too long is closed, and not used again`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = CurlSessionManager(
                configuration: SessionConfiguration { $0.idleConnectionLifetime = .milliseconds(500) })
            for _ in 0..<3 {
                let start = ContinuousClock.now
                let first = try await session.response(for: server.request("/"))
                #expect(first.timings.isReusedConnection == false)
                let second = try await session.response(for: server.request("/"))
                // On a machine that has much to do, that may have taken longer.
                if ContinuousClock.now - start < .milliseconds(300) { #expect(second.timings.isReusedConnection == true) }
                try await Task.sleep(for: .seconds(1))
            }
        }

        @Test func `a server's word on how long it keeps a connection counts where it is shorter`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").header("Keep-Alive", "timeout=1") }
            let session = CurlSessionManager()
            _ = try await session.response(for: server.request("/"))
            try await Task.sleep(for: .milliseconds(900))
            _ = try await session.response(for: server.request("/"))
            #expect(server.connectionCount == 2)
        }

        @Test func `a connection that was used often enough is replaced`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumUsesPerConnection = 3 })
            for _ in 0..<10 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connectionCount == 4)
        }
    }
#endif
