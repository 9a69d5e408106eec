#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.minutes(10)), .alsoOnEventLoops)
    struct EngineTimeoutTests {
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
            for (path, phases) in [
                ("/never", [TransportError.Phase.firstByte]), ("/head", [.receive, .firstByte]), ("/body", [.receive]),
            ] {
                // On a busy machine, the timeout may expire before the server has sent what it sends.
                let phase = try await withTimeouts(from: .milliseconds(120)) { idle -> TransportError.Phase? in
                    let session = SocketSessionManager(configuration: SessionConfiguration { $0.idleTimeout = idle })
                    var phase: TransportError.Phase?
                    let duration = try await elapsed {
                        let error = try await failure(of: session, server.request(path))
                        #expect(error.code == .timedOut && error.isTimeout && error.message.contains("idle"), "\(error)")
                        phase = error.phase
                    }
                    #expect(duration > idle - .milliseconds(10))
                    return phase.flatMap { phases.contains($0) ? $0 : nil }
                }
                #expect(phase != nil, "\(path)")
            }
        }

        @Test func `received bytes restart the idle timeout`() async throws {
            // On a busy machine, a pause may last longer than a short timeout.
            let count = try await withTimeouts(from: .seconds(1)) { idle -> Int? in
                let server = try LoopbackServer { _ in
                    LoopbackResponse.text(String(repeating: "x", count: 20)).fault(.drip(bytes: 1, every: idle * 6 / 100))
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.idleTimeout = idle })
                var count: Int?
                let duration = try await elapsed { count = try? await session.response(for: server.request("/")).data.count }
                if count != nil { #expect(duration > idle) }
                return count
            }
            #expect(count == 20)
        }

        @Test func `the total timeout applies even if bytes are received continuously`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.text(String(repeating: "x", count: 100_000)).fault(.drip(bytes: 1, every: .milliseconds(5)))
            }
            // On a busy machine, a short timeout may expire before the first byte is received.
            let phase = try await withTimeouts(from: .milliseconds(500)) { total -> TransportError.Phase? in
                var phase: TransportError.Phase?
                let duration = try await elapsed {
                    let request = server.request("/", timeouts: RequestTimeouts(total: total))
                    let error = try await failure(of: SocketSessionManager(), request)
                    #expect(error.code == .timedOut && error.message.contains("total"))
                    phase = error.phase
                }
                #expect(duration > total - .milliseconds(10))
                return phase == .receive ? phase : nil
            }
            #expect(phase == .receive)
        }

        @Test func `the total timeout applies to a request on an idle session manager`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/" ? .text("ok") : LoopbackResponse.text("x").fault(.stall)
            }
            let session = SocketSessionManager()
            // An idle thread waits for one second; an earlier deadline must wake it, so that the request ends before a shorter pause
            // does. One attempt in which it does is enough: on a busy machine, others are late.
            var isFirst = false
            for _ in 0..<200 where !isFirst {
                #expect(try await session.response(for: server.request("/")).statusCode == 200)
                let request = server.request("/stall", timeouts: RequestTimeouts(total: .milliseconds(100)))
                let hasEnded = Locked(false)
                let late = Task {
                    let error = try await failure(of: session, request)
                    hasEnded.withLock { $0 = true }
                    return error
                }
                try await Task.sleep(for: .milliseconds(600))
                isFirst = hasEnded.withLock { $0 }
                #expect(try await late.value.isTimeout)
            }
            #expect(isFirst)
        }

        @Test func `the total timeout includes redirects`() async throws {
            let server = try LoopbackServer { _ in
                LoopbackResponse.status(302, headers: ["Location": "/again"]).delayed(by: .milliseconds(60))
            }
            let request = server.request("/", timeouts: RequestTimeouts(total: .milliseconds(200)))
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumRedirects = 1000 })
            let error = try await failure(of: session, request)
            // If each redirect restarted the timeout, it would hardly expire, and the last redirect would be the error.
            #expect(error.code == .timedOut)
            #expect(server.requestCount < 1000)
        }

        @Test func `the time a request waits for a connection counts only towards the total timeout`() async throws {
            // On a busy machine, the exchange after the wait may take longer than a short timeout.
            let found = try await withTimeouts(from: .milliseconds(500)) { timeout -> NetworkResponse? in
                let (gate, open) = AsyncStream.makeStream(of: Void.self)
                let server = try LoopbackServer {
                    LoopbackRoute(.get, "/slow") { _ in
                        for await _ in gate {}
                        return .text("slow")
                    }
                    LoopbackRoute(.get, "/fast") { _ in .text("fast") }
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
                session.response(for: server.request("/slow", timeouts: RequestTimeouts(idle: .seconds(600)))) { _ in }
                _ = await server.waitForRequests(count: 1)
                let (responses, patient) = AsyncStream.makeStream(of: NetworkResponse.self)
                let timeouts = RequestTimeouts(connect: timeout, idle: timeout)
                session.response(for: server.request("/fast", timeouts: timeouts)) { result in
                    if case .success(let response) = result { patient.yield(response) }
                    patient.finish()
                }
                let total = RequestTimeouts(total: timeout + .milliseconds(200))
                let error = try await failure(of: session, server.request("/fast", timeouts: total))
                #expect(error.code == .timedOut && error.phase == .queued)
                open.finish()
                var iterator = responses.makeAsyncIterator()
                guard let response = await iterator.next() else { return nil }
                #expect(response.timings.queued ?? .zero > timeout + .milliseconds(100))
                return response
            }
            let response = try #require(found)
            #expect(response.statusCode == 200)
        }

        @Test func `a connection that is not established in time fails with a connect timeout`() async throws {
            // The listener's backlog is full, so the system drops further SYN packets.
            let listener = try StuckListener()
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.connectTimeout = .milliseconds(150) })
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
            // On a busy machine, the timeout may expire before the connection is established.
            let found = try await withTimeouts(from: .milliseconds(150)) { timeout -> TransportError? in
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.connectTimeout = timeout })
                let error = try await failure(of: session, NetworkRequest(url: url))
                return error.phase == .connect ? nil : error
            }
            let error = try #require(found)
            #expect(error.code == .timedOut && error.phase == .tls && error.isConnectivity, Comment(rawValue: error.description))
        }

        @Test func `the timeouts of a request override those of the session`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(100)) }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.idleTimeout = .milliseconds(20) })
            let request = server.request("/", timeouts: RequestTimeouts(idle: .seconds(60)))
            #expect(try await session.response(for: request).statusCode == 200)
        }
    }
#endif
