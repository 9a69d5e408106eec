#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkTesting
    import Testing

    /// How long connections are kept, and what becomes of their descriptors.
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

        @Test func `children inherit no descriptor, of connections in use, idle and looked up`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/stall" ? LoopbackResponse.text("x").fault(.stallBody(after: 0)) : .text("x")
            }
            let url = server.url("/")
            let named = try #require(URL(string: "http://localhost:\(server.port)/"))
            await #expect(processExitsWith: .success) { [url = url as URL, named = named as URL] in
                let before = IdleConnectionTests.inheritable()
                let session = CurlSessionManager(configuration: SessionConfiguration { $0.eventLoops = 2 })
                let stalled = url.appendingPathComponent("stall")
                for _ in 0..<3 { session.request(NetworkRequest(url: stalled)) { _ in } }
                for url in [url, named, url, named] {
                    for _ in 0..<5 { _ = try await session.response(for: NetworkRequest(url: url)) }
                }
                _ = try? await session.response(for: NetworkRequest(url: try #require(URL(string: "https://localhost:9/"))))
                let new = IdleConnectionTests.inheritable().subtracting(before)
                #expect(new.isEmpty, "\(new)")
                exit(new.isEmpty ? 0 : 1)
            }
        }

        /// The descriptors that a child would have.
        private static func inheritable() -> Set<CInt> {
            Set(
                (0..<1024).filter { descriptor in
                    let bits = fcntl(descriptor, F_GETFD)
                    return bits >= 0 && bits & FD_CLOEXEC == 0
                })
        }
    }
#endif
