#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.minutes(10)), .alsoOnEventLoops)
    struct EngineConnectionTests {
        @Test func `connections are kept alive and reused`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = SocketSessionManager()
            for _ in 0..<20 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connectionCount == 1)
        }

        @Test func `the number of connections per host does not exceed the limit`() async throws {
            let arrived = Watched(0)
            let server = try LoopbackServer { _ in
                arrived.withLock { $0 += 1 }
                await arrived.wait { $0 >= 3 }
                return LoopbackResponse.text("x").delayed(by: .milliseconds(5))
            }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 3 })
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 { group.addTask { try await session.response(for: server.request("/")).statusCode } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.connectionCount == 3)
        }

        @Test func `queued requests are sent in the order in which they were submitted`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
            let (stream, done) = AsyncStream.makeStream(of: Void.self)
            for number in 0..<100 {
                session.response(for: server.request("/\(number)")) { _ in done.yield() }
            }
            var iterator = stream.makeAsyncIterator()
            for _ in 0..<100 { await iterator.next() }
            #expect(server.requests.map(\.path) == (0..<100).map { "/\($0)" })
        }

        @Test func `a connection that the server closes between two requests is replaced`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").fault(.closeAfter) }
            let session = SocketSessionManager()
            for _ in 0..<50 { #expect(try await session.response(for: server.request("/")).statusCode == 200) }
        }

        @Test func `idle connections that the server closes are replaced while other connections are busy`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/last" ? LoopbackResponse.text("x").fault(.closeAfter) : .text("x")
            }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 32 })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<32 {
                    group.addTask {
                        for number in 0..<60 {
                            let path = (number + worker) % 7 == 0 ? "/last" : "/"
                            let status = try await session.response(for: server.request(path)).statusCode
                            #expect(status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test(arguments: [RequestMethod.get, .put, .delete])
        func `an idempotent request is retried if the server resets its reused connection (RFC 9110 §9.2.2)`(
            method: RequestMethod
        )
            async throws
        {
            let used = Locked<Set<Int>>([])
            let server = try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                return isFirst ? .text("ok") : LoopbackResponse.text("").fault(.reset)
            }
            let session = SocketSessionManager()
            let body = method == .put ? Data(repeating: 1, count: 2_000_000) : nil
            for _ in 0..<10 {
                #expect(try await session.response(for: server.request("/", method: method, body: body)).statusCode == 200)
            }
        }

        @Test func `a request is not retried if the server resets a new connection`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.reset) }
            #expect(try await failure(of: SocketSessionManager(), server.request("/")).code == .connectionLost)
            #expect(server.requestCount == 1)
        }

        @Test func `a released session manager completes its transfers and then closes its connections`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(20)) }
            var session: SocketSessionManager? = SocketSessionManager()
            let (stream, results) = AsyncStream.makeStream(of: Bool.self)
            for _ in 0..<10 {
                session?.response(for: server.request("/")) { results.yield((try? $0.get()) != nil) }
            }
            session = nil
            var iterator = stream.makeAsyncIterator()
            for _ in 0..<10 { #expect(await iterator.next() == true) }
            #expect(await server.waitForOpenConnections(count: 0), "idle connections are closed")
        }

        @Test func `many session managers can be created without being used`() {
            for _ in 0..<1000 { _ = SocketSessionManager() }
        }
    }
#endif
