#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing
    import TestSupport

    @Suite(.timeLimit(.minutes(10)))
    struct CurlTimeoutTests {
        private func elapsed(_ body: () async throws -> Void) async throws -> Duration {
            let start = ContinuousClock.now
            try await body()
            return ContinuousClock.now - start
        }

        @Test func `the error of an idle timeout reports the phase in which the server was idle`() async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/never") { _ in LoopbackResponse.text("x").fault(.stall) }
                LoopbackRoute(.get, "/head") { _ in LoopbackResponse.text("x").fault(.stallHead(after: 20)) }
                LoopbackRoute(.get, "/body") { _ in LoopbackResponse.text("xxxxx").fault(.stallBody(after: 2)) }
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
                #expect(duration > .milliseconds(110))
            }
        }

        @Test func `received bytes restart the idle timeout`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text(String(repeating: "x", count: 20)).fault(.drip(bytes: 1, every: .milliseconds(60)))
            }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .seconds(1) })
            let duration = try await elapsed {
                let response = try await session.response(for: server.request("/"))
                #expect(response.data.count == 20)
            }
            #expect(duration > .seconds(1))
        }

        @Test func `the total timeout applies even if bytes are received continuously`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text(String(repeating: "x", count: 1000)).fault(.drip(bytes: 1, every: .milliseconds(5)))
            }
            let duration = try await elapsed {
                let request = server.request("/", timeouts: RequestTimeouts(total: .milliseconds(500)))
                let error = try await failure(of: CurlSessionManager(), request)
                #expect(error.code == .timedOut && error.phase == .receive && error.message.contains("total"))
            }
            #expect(duration > .milliseconds(140))
        }

        @Test func `the total timeout applies to a request on an idle session manager`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/" ? .text("ok") : LoopbackResponse.text("x").fault(.stall)
            }
            let session = CurlSessionManager()
            var shortest = Duration.seconds(30)
            // One attempt in time is enough: on a busy machine, others are late.
            for _ in 0..<60 where shortest >= .milliseconds(900) {
                #expect(try await session.response(for: server.request("/")).statusCode == 200)
                let request = server.request("/stall", timeouts: RequestTimeouts(total: .milliseconds(100)))
                let duration = try await elapsed {
                    let error = try await failure(of: session, request)
                    #expect(error.isTimeout)
                }
                shortest = min(shortest, duration)
            }
            // An idle thread waits for one second; an earlier deadline must wake it.
            #expect(shortest < .milliseconds(900))
        }

        @Test func `the total timeout includes redirects`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.status(302, headers: ["Location": "/again"]).delayed(by: .milliseconds(60))
            }
            let request = server.request("/", timeouts: RequestTimeouts(total: .milliseconds(200)))
            let error = try await failure(of: CurlSessionManager(), request)
            // If each redirect restarted the timeout, it would never expire, and the tenth redirect would be the error.
            #expect(error.code == .timedOut)
            #expect((1...4).contains(server.requestCount))
        }

        @Test func `the time a request waits for a connection counts only towards the total timeout`() async throws {
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/slow") { _ in
                    for await _ in gate {}
                    return .text("slow")
                }
                LoopbackRoute(.get, "/fast") { _ in .text("fast") }
            }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
            session.response(for: server.request("/slow", timeouts: RequestTimeouts(idle: .seconds(600)))) { _ in }
            _ = await server.waitForRequests(count: 1)
            let (responses, patient) = AsyncStream.makeStream(of: NetworkResponse.self)
            // Shorter than the wait, and long enough for the exchange on a busy machine.
            let timeouts = RequestTimeouts(connect: .milliseconds(1500), idle: .milliseconds(1500))
            session.response(for: server.request("/fast", timeouts: timeouts)) { result in
                if case .success(let response) = result { patient.yield(response) }
                patient.finish()
            }
            let error = try await failure(
                of: session, server.request("/fast", timeouts: RequestTimeouts(total: .milliseconds(1700))))
            #expect(error.code == .timedOut && error.phase == .queued)
            open.finish()
            var iterator = responses.makeAsyncIterator()
            let response = try #require(await iterator.next())
            #expect(response.statusCode == 200 && response.timings.queued ?? .zero > .milliseconds(1600))
        }

        @Test func `a connection that is not established in time fails with a connect timeout`() async throws {
            // The listener's backlog is full, so the system drops further SYN packets.
            let listener = try StuckListener()
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.connectTimeout = .milliseconds(150) })
            let duration = try await elapsed {
                let error = try await failure(of: session, NetworkRequest(url: listener.url))
                #expect(error.code == .timedOut && error.phase == .connect && error.isConnectivity, "\(error)")
            }
            #expect(duration > .milliseconds(140))
        }

        @Test func `a TLS handshake without a response fails with a connect timeout in the TLS phase`() async throws {
            let silent = LoopbackServerConfiguration(behavior: .neverRespond)
            let server = try LoopbackServer(configuration: silent) { _ in .text("") }
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.connectTimeout = .milliseconds(150) })
            let error = try await failure(of: session, NetworkRequest(url: url))
            #expect(error.code == .timedOut && error.phase == .tls && error.isConnectivity, Comment(rawValue: error.description))
        }

        @Test func `the timeouts of a request override those of the session`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(100)) }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(20) })
            let request = server.request("/", timeouts: RequestTimeouts(idle: .seconds(60)))
            #expect(try await session.response(for: request).statusCode == 200)
        }
    }
#endif
