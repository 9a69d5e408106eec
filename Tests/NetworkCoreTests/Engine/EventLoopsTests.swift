#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    @Suite(.timeLimit(.ofStorm))
    struct EventLoopsTests {
        private func session(_ change: (inout SessionConfiguration) -> Void) -> SocketSessionManager {
            SocketSessionManager(configuration: SessionConfiguration(change))
        }

        @Test(arguments: [1, 2, 3, 6, 8])
        func `the connection limit per host holds for any number of event loops`(loops: Int) async throws {
            let arrived = Watched(0)
            let server = try LoopbackServer { _ in
                arrived.withLock { $0 += 1 }
                await arrived.wait { $0 >= 6 }
                return LoopbackResponse.text("x").delayed(by: .milliseconds(3))
            }
            let session = session {
                $0.eventLoops = loops
                $0.maximumConnectionsPerHost = 6
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<(isSanitized ? 60 : 200) {
                    group.addTask { try await session.response(for: server.request("/")).statusCode }
                }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.connectionCount == 6)
        }

        @Test func `a connection slot that becomes free is used, in whichever event loop it is`() async throws {
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/slow") { _ in
                    for await _ in gate {}
                    return .text("slow")
                }
                LoopbackRoute(.get, "/fast") { _ in .text("fast") }
            }
            let session = session {
                $0.eventLoops = 4
                $0.maximumConnectionsPerHost = 4
            }
            let slow = (0..<3).map { _ in Task { try await session.response(for: server.request("/slow")).statusCode } }
            _ = await server.waitForRequests(count: 3)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await session.response(for: server.request("/fast")).statusCode } }
                for try await status in group { #expect(status == 200) }
            }
            open.finish()
            for task in slow { #expect(try await task.value == 200) }
        }

        @Test func `a redirect is followed to a host whose connections belong to another event loop`() async throws {
            let targets = try (0..<8).map { number in try LoopbackServer { _ in .text("\(number)") } }
            let sources = try targets.map { target in
                try LoopbackServer { _ in .status(302, headers: ["Location": target.url("/").absoluteString]) }
            }
            let session = session {
                $0.eventLoops = 4
                $0.maximumConnectionsPerHost = 1
            }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<400 {
                    let source = sources[number % 8]
                    group.addTask {
                        try await session.response(for: source.request("/")).data == Data("\(number % 8)".utf8)
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
            for server in targets + sources { #expect(server.connectionCount == 1) }
        }

        @Test func `transfers that move between event loops can be cancelled, paused and resumed at any time`() async throws {
            let targets = try (0..<6).map { _ in try LoopbackServer { request in .text("\(request.body.count)") } }
            let sources = try targets.map { target in
                try LoopbackServer { _ in .status(307, headers: ["Location": target.url("/").absoluteString]) }
            }
            let session = session {
                $0.eventLoops = 4
                $0.maximumConnectionsPerHost = 1
            }
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<24 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(worker))
                        for number in 0..<(isSlowRun ? 300 : 30) {
                            let size = Int.random(in: 0..<200_000, using: &random)
                            var request = sources[number % 6].request("/", method: .post)
                            request.body = .stream { Pieces(of: Data(count: size), size: 20_000) }
                            let task = Task { [request] in try await session.response(for: request) }
                            for _ in 0..<Int.random(in: 0..<60, using: &random) { await Task.yield() }
                            if number % 4 == 0 { task.cancel() }
                            guard case .success(let response) = await task.result else {
                                #expect(number % 4 == 0)
                                continue
                            }
                            #expect(response.data == Data("\(size)".utf8))
                        }
                    }
                }
            }
            for server in targets + sources { #expect(server.connectionCount > 0) }
            for source in sources {
                #expect(try await session.response(for: source.request("/", method: .post)).statusCode == 200)
            }
        }

        @Test func `all event loops share the same cookies`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/login" ? LoopbackResponse(headers: ["Set-Cookie": "id=7; Path=/"]) : .text("")
            }
            let session = session {
                $0.eventLoops = 3
                $0.cookies = .separate
            }
            _ = try await session.response(for: server.request("/login"))
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask {
                        _ = try? await session.response(for: server.request(number % 10 == 0 ? "/login" : "/in"))
                    }
                }
            }
            #expect(server.requests.count == 301)
            #expect(server.requests.dropFirst().allSatisfy { $0.headers["Cookie"] == "id=7" })
        }

        @Test func `an invalid number of event loops is a configuration error`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            for (loops, connections) in [(0, 512), (65, 512), (3, 2)] {
                let session = session {
                    $0.eventLoops = loops
                    $0.maximumConnections = connections
                }
                let error = try await failure(of: session, server.request("/"))
                #expect(error.code == .invalidConfiguration && error.message.contains("eventLoops is \(loops)"))
                #expect(loops != 3 || error.message.contains("maximumConnections 2"))
            }
            #expect(server.requestCount == 0)
        }

        @Test(arguments: [1, 2])
        func `with many concurrent cancellations to several hosts, all requests complete`(loops: Int) async throws {
            let servers = try (0..<6).map { _ in
                try LoopbackServer { request in
                    LoopbackResponse.text("x").delayed(by: .microseconds(Int(request.path.dropFirst()) ?? 0))
                }
            }
            let session = session {
                $0.eventLoops = loops
                $0.maximumConnectionsPerHost = 3
                $0.maximumConnections = 7
            }
            let count = runs(400, slow: 8_000)
            let completed = Locked(0)
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<64 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(worker))
                        for number in stride(from: worker, to: count, by: 64) {
                            let server = servers[Int.random(in: 0..<6, using: &random)]
                            let total = RequestTimeouts(total: .milliseconds(Int.random(in: 1..<40, using: &random)))
                            let path = "/\(Int.random(in: 0..<1000, using: &random))"
                            let request = server.request(path, timeouts: number % 5 == 0 ? total : RequestTimeouts())
                            let task = Task { try? await session.response(for: request) }
                            for _ in 0..<Int.random(in: 0..<40, using: &random) { await Task.yield() }
                            if number % 4 == 0 { task.cancel() }
                            _ = await task.value
                            completed.withLock { $0 += 1 }
                        }
                    }
                }
            }
            #expect(completed.withLock { $0 } == count)
            for server in servers + servers { #expect(try await session.response(for: server.request("/0")).statusCode == 200) }
        }
    }
#endif
