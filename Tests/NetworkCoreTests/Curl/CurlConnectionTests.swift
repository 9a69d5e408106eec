#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    @Suite(.timeLimit(.minutes(10)))
    struct CurlConnectionTests {
        @Test func `connections are kept and used again`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = CurlSessionManager()
            for _ in 0..<20 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connectionCount == 1)
        }

        @Test func `no host gets more connections than allowed`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(5)) }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 3 })
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 { group.addTask { try await session.response(for: server.request("/")).statusCode } }
                for try await status in group { #expect(status == 200) }
            }
            #expect(server.connectionCount == 3)
        }

        @Test func `requests that wait are served in the order they came`() async throws {
            let server = try LoopbackServer { _ in .text("x") }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
            let (stream, done) = AsyncStream.makeStream(of: Void.self)
            for number in 0..<100 {
                session.request(server.request("/\(number)")) { _ in done.yield() }
            }
            var iterator = stream.makeAsyncIterator()
            for _ in 0..<100 { await iterator.next() }
            #expect(server.requests.map(\.path) == (0..<100).map { "/\($0)" })
        }

        @Test func `a connection the server closed between two requests is replaced`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").closeAfter() }
            let session = CurlSessionManager()
            for _ in 0..<50 { #expect(try await session.response(for: server.request("/")).statusCode == 200) }
        }

        @Test func `connections that servers close while idle, among busy ones, are replaced`() async throws {
            let server = try LoopbackServer { request in
                request.path == "/last" ? LoopbackResponse.text("x").closeAfter() : .text("x")
            }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 32 })
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

        @Test(arguments: [HTTPMethod.get, .put, .delete])
        func `a kept connection that dies as it is used again costs no request (RFC 9110 §9.2.2)`(method: HTTPMethod) async throws
        {
            let used = Locked<Set<Int>>([])
            let server = try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                return isFirst ? .text("ok") : LoopbackResponse.text("").fault(.reset)
            }
            let session = CurlSessionManager()
            let body = method == .put ? Data(repeating: 1, count: 2_000_000) : nil
            for _ in 0..<10 {
                #expect(try await session.response(for: server.request("/", method: method, body: body)).statusCode == 200)
            }
        }

        @Test func `a fresh connection that dies is a failure, and is not repeated`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("").fault(.reset) }
            #expect(try await failure(of: CurlSessionManager(), server.request("/")).code == .connectionLost)
            #expect(server.requestCount == 1)
        }

        @Test func `a released session manager ends its transfers, then its thread and descriptors`() async throws {
            let server = try LoopbackServer { _ in LoopbackResponse.text("x").delayed(by: .milliseconds(20)) }
            var session: CurlSessionManager? = CurlSessionManager()
            let (stream, results) = AsyncStream.makeStream(of: Bool.self)
            for _ in 0..<10 {
                session?.request(server.request("/")) { results.yield((try? $0.get()) != nil) }
            }
            session = nil
            var iterator = stream.makeAsyncIterator()
            for _ in 0..<10 { #expect(await iterator.next() == true) }
            #expect(await server.waitForOpenConnections(0), "kept connections are closed")
        }

        @Test func `a session manager that was never used starts no thread`() {
            for _ in 0..<1000 { _ = CurlSessionManager() }
        }
    }
#endif
