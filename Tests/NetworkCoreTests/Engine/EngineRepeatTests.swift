#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Retries after the server closes a reused connection while the next request is being sent on it (RFC 9110 §9.2.2).
    @Suite(.timeLimit(.minutes(10)))
    struct EngineRepeatTests {
        static let endings: [LoopbackFault] = [.reset, .truncateHead(after: 0)]

        /// Creates a server that responds to the first request of each connection, reads the second, and then ends the
        /// connection.
        private func server(_ ending: LoopbackFault) throws -> LoopbackServer {
            let used = Locked<Set<Int>>([])
            return try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                return isFirst ? .text("ok") : LoopbackResponse.text("").fault(ending)
            }
        }

        @Test(arguments: endings, [0, 10, 2_000_000])
        func `a request with a method that is not idempotent is not retried if its reused connection is closed`(
            ending: LoopbackFault, size: Int
        ) async throws {
            for method in [RequestMethod.post, .patch, RequestMethod(rawValue: "LOCK")] {
                let server = try server(ending)
                let session = SocketSessionManager()
                _ = try await session.response(for: server.request("/first"))
                let request = server.request("/second", method: method, body: Data(repeating: 1, count: size))
                let error = try await failure(of: session, request)
                #expect(error.code == .connectionLost && [.send, .firstByte].contains(error.phase), "\(error)")
                #expect(server.requests.map(\.path) == ["/first", "/second"])
                #expect(try await session.response(for: request).statusCode == 200, "the next request uses a new connection")
            }
        }

        @Test(arguments: endings, [RequestMethod.get, .head, .put, .delete, .options])
        func `a request with an idempotent method is retried once`(ending: LoopbackFault, method: RequestMethod) async throws {
            let server = try server(ending)
            let session = SocketSessionManager()
            let body = method == .put ? Data(repeating: 1, count: 2_000_000) : nil
            for round in 1...10 {
                _ = try await session.response(for: server.request("/first"))
                let response = try await session.response(for: server.request("/second", method: method, body: body))
                #expect(response.statusCode == 200 && response.timings.isReusedConnection == false)
                // The first request of each later round reuses the connection of the retried request, so it is retried as well.
                #expect(server.requestCount == round * 4 - 1)
            }
        }

        @Test func `a request is retried on a new connection and not on another idle one`() async throws {
            let used = Watched<Set<Int>>([])
            let server = try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                // Responds to no request before all six connections are open.
                if request.path == "/first" { await used.wait { $0.count >= 6 } }
                return isFirst ? .text("ok") : LoopbackResponse.text("").fault(.reset)
            }
            let session = SocketSessionManager()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try? await session.response(for: server.request("/first")) } }
            }
            #expect(server.connectionCount == 6)
            #expect(try await session.response(for: server.request("/second")).statusCode == 200)
            #expect(server.requests.filter { $0.path == "/second" }.count == 2)
        }

        @Test(arguments: [RequestMethod.get, .post])
        func `a retried request that fails again is not retried a second time`(method: RequestMethod) async throws {
            let server = try LoopbackServer { request in
                request.path == "/first" ? .text("ok") : LoopbackResponse.text("").fault(.reset)
            }
            let session = SocketSessionManager()
            for _ in 0..<10 {
                _ = try await session.response(for: server.request("/first"))
                let before = server.requestCount
                #expect(try await failure(of: session, server.request("/second", method: method)).code == .connectionLost)
                #expect(server.requestCount == before + (method == .get ? 2 : 1))
            }
        }

        @Test func `each GET in a chain of redirects may be retried, but a redirected POST may not`() async throws {
            let used = Locked<Set<Int>>([])
            let server = try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                guard isFirst else { return LoopbackResponse.text("").fault(.reset) }
                return request.path == "/from" ? .status(307, headers: ["Location": "/to"]) : .text("ok")
            }
            let session = SocketSessionManager()
            #expect(try await session.response(for: server.request("/from")).statusCode == 200)
            #expect(server.requests.map(\.path) == ["/from", "/to", "/to"])
            let fresh = SocketSessionManager()
            #expect(try await failure(of: fresh, server.request("/from", method: .post)).code == .connectionLost)
            #expect(server.requests.map(\.path).dropFirst(3) == ["/from", "/to"])
        }

        @Test func `a sent POST fails with a lost connection even if the server has stopped since then`() async throws {
            let box = Locked<LoopbackServer?>(nil)
            let server = try LoopbackServer { request in
                guard request.path == "/second" else { return .text("ok") }
                // No further connection is accepted, and the open connection is closed.
                box.withLock { $0 }?.stop()
                return LoopbackResponse.text("").fault(.reset)
            }
            box.withLock { $0 = server }
            let session = SocketSessionManager()
            _ = try await session.response(for: server.request("/first"))
            let error = try await failure(of: session, server.request("/second", method: .post, body: Data("x".utf8)))
            #expect(error.code == .connectionLost, "\(error)")
        }
    }
#endif
