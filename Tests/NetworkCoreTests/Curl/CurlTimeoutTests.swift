#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    @Suite(.timeLimit(.minutes(1)))
    struct CurlTimeoutTests {
        private func elapsed(_ body: () async throws -> Void) async throws -> Duration {
            let start = ContinuousClock.now
            try await body()
            return ContinuousClock.now - start
        }

        @Test func `an idle server runs into the idle timeout, in the phase it is idle in`() async throws {
            let server = try LoopbackServer {
                Route(.get, "/never") { _ in LoopbackResponse.text("x").fault(.stall) }
                Route(.get, "/head") { _ in LoopbackResponse.text("x").fault(.stallHead(after: 20)) }
                Route(.get, "/body") { _ in LoopbackResponse.text("xxxxx").fault(.stallBody(after: 2)) }
            }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(120) })
            for (path, phases) in [
                ("/never", [TransportError.Phase.firstByte]), ("/head", [.receive, .firstByte]), ("/body", [.receive]),
            ] {
                let duration = try await elapsed {
                    let error = try await failure(of: session, server.request(path))
                    #expect(error.code == .timedOut && error.isTimeout && error.message.contains("idle"), "\(error)")
                    #expect(phases.contains(try #require(error.phase)), "\(error)")
                }
                #expect(duration > .milliseconds(110) && duration < .seconds(5))
            }
        }

        @Test func `bytes keep an idle timeout from running out`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text(String(repeating: "x", count: 20)).fault(.drip(bytes: 1, every: .milliseconds(20)))
            }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(300) })
            let duration = try await elapsed {
                let response = try await session.response(for: server.request("/"))
                #expect(response.body.count == 20)
            }
            #expect(duration > .milliseconds(300))
        }

        @Test func `a total timeout holds whatever moves`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text(String(repeating: "x", count: 1000)).fault(.drip(bytes: 1, every: .milliseconds(5)))
            }
            let duration = try await elapsed {
                let request = server.request("/", timeouts: RequestTimeouts(total: .milliseconds(150)))
                let error = try await failure(of: CurlSessionManager(), request)
                #expect(error.code == .timedOut && error.phase == .receive && error.message.contains("total"))
            }
            #expect(duration > .milliseconds(140) && duration < .seconds(5))
        }

        @Test func `a total timeout counts over redirects`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.status(302, headers: ["Location": "/again"]).delayed(by: .milliseconds(60))
            }
            let request = server.request("/", timeouts: RequestTimeouts(total: .milliseconds(200)))
            let error = try await failure(of: CurlSessionManager(), request)
            #expect(error.code == .timedOut)
            #expect((2...4).contains(server.requestCount))
        }

        @Test func `waiting for a connection counts against the total timeout alone`() async throws {
            let server = try LoopbackServer {
                Route(.get, "/slow") { _ in LoopbackResponse.text("slow").delayed(by: .milliseconds(400)) }
                Route(.get, "/fast") { _ in .text("fast") }
            }
            let session = CurlSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumConnectionsPerHost = 1
                    $0.connectTimeout = .milliseconds(200)
                })
            async let slow = session.response(for: server.request("/slow"))
            _ = await server.waitForRequests(count: 1)
            async let patient = session.response(
                for: server.request("/fast", timeouts: RequestTimeouts(connect: .milliseconds(200), idle: .milliseconds(200))))
            let hurried = server.request("/fast", timeouts: RequestTimeouts(total: .milliseconds(100)))
            let error = try await failure(of: session, hurried)
            #expect(error.code == .timedOut && error.phase == .queued)
            #expect(try await slow.statusCode == 200)
            let response = try await patient
            #expect(response.statusCode == 200 && response.timings.queued ?? .zero > .milliseconds(100))
        }

        @Test func `a connection that is not made runs into the connect timeout`() async throws {
            // A full backlog: the system accepts nothing more, and SYN packets are dropped.
            let listener = try StuckListener()
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.connectTimeout = .milliseconds(150) })
            let duration = try await elapsed {
                let error = try await failure(of: session, NetworkRequest(url: listener.url))
                #expect(error.code == .timedOut && error.phase == .connect && error.isConnectivity, "\(error)")
            }
            #expect(duration > .milliseconds(140) && duration < .seconds(5))
        }

        @Test func `a request's own timeouts come before the session's`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(100)) }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(20) })
            let request = server.request("/", timeouts: RequestTimeouts(idle: .seconds(5)))
            #expect(try await session.response(for: request).statusCode == 200)
        }
    }
#endif
