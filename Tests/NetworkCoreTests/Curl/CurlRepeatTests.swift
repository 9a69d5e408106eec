#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    /// A server may close a kept connection just as the next request goes out on it (RFC 9110 §9.2.2).
    @Suite(.timeLimit(.minutes(10)))
    struct CurlRepeatTests {
        static let deaths: [LoopbackFault] = [.reset, .truncateHead(after: 0)]

        /// Creates a server that responds to the first request of each connection, reads the second, and then ends the connection.
        private func server(_ death: LoopbackFault) throws -> LoopbackServer {
            let used = Locked<Set<Int>>([])
            return try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                return isFirst ? .text("ok") : LoopbackResponse.text("").fault(death)
            }
        }

        @Test(arguments: deaths, [0, 10, 2_000_000])
        func `a method that is not idempotent is sent once, even on a connection that dies`(
            death: LoopbackFault, size: Int
        ) async throws {
            for method in [HTTPMethod.post, .patch, HTTPMethod(rawValue: "LOCK")] {
                let server = try server(death)
                let session = CurlSessionManager()
                _ = try await session.response(for: server.request("/first"))
                let request = server.request("/second", method: method, body: Data(repeating: 1, count: size))
                let error = try await failure(of: session, request)
                #expect(error.code == .connectionLost && [.send, .firstByte].contains(error.phase), "\(error)")
                #expect(server.requests.map(\.path) == ["/first", "/second"])
                #expect(try await session.response(for: request).statusCode == 200, "the next one has a separate connection")
            }
        }

        @Test(arguments: deaths, [HTTPMethod.get, .head, .put, .delete, .options])
        func `an idempotent method is repeated once`(death: LoopbackFault, method: HTTPMethod) async throws {
            let server = try server(death)
            let session = CurlSessionManager()
            let body = method == .put ? Data(repeating: 1, count: 2_000_000) : nil
            for round in 1...10 {
                _ = try await session.response(for: server.request("/first"))
                let response = try await session.response(for: server.request("/second", method: method, body: body))
                #expect(response.statusCode == 200 && response.timings.isReusedConnection == false)
                // The first request of a later round finds the connection of the repeated one, and is repeated itself.
                #expect(server.requestCount == round * 4 - 1)
            }
        }

        @Test func `a request is repeated on a fresh connection, not on the next one that dies`() async throws {
            let used = Locked<Set<Int>>([])
            let server = try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                return isFirst
                    ? LoopbackResponse.text("ok").delayed(by: .milliseconds(50)) : LoopbackResponse.text("").fault(.reset)
            }
            let session = CurlSessionManager()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { _ = try? await session.response(for: server.request("/first")) } }
            }
            #expect(server.connectionCount == 6)
            #expect(try await session.response(for: server.request("/second")).statusCode == 200)
            #expect(server.requests.filter { $0.path == "/second" }.count == 2)
        }

        @Test(arguments: [HTTPMethod.get, .post])
        func `a repeated request that fails again is not repeated again`(method: HTTPMethod) async throws {
            let server = try LoopbackServer { request in
                request.path == "/first" ? .text("ok") : LoopbackResponse.text("").fault(.reset)
            }
            let session = CurlSessionManager()
            for _ in 0..<10 {
                _ = try await session.response(for: server.request("/first"))
                let before = server.requestCount
                #expect(try await failure(of: session, server.request("/second", method: method)).code == .connectionLost)
                #expect(server.requestCount == before + (method == .get ? 2 : 1))
            }
        }

        @Test func `each request of a redirect may be repeated, and a POST of a later one may not`() async throws {
            let used = Locked<Set<Int>>([])
            let server = try LoopbackServer { request in
                let isFirst = used.withLock { $0.insert(request.connectionID).inserted }
                guard isFirst else { return LoopbackResponse.text("").fault(.reset) }
                return request.path == "/from" ? .status(307, headers: ["Location": "/to"]) : .text("ok")
            }
            let session = CurlSessionManager()
            #expect(try await session.response(for: server.request("/from")).statusCode == 200)
            #expect(server.requests.map(\.path) == ["/from", "/to", "/to"])
            let fresh = CurlSessionManager()
            #expect(try await failure(of: fresh, server.request("/from", method: .post)).code == .connectionLost)
            #expect(server.requests.map(\.path).dropFirst(3) == ["/from", "/to"])
        }

        @Test func `a POST that was sent is a lost connection, though the server is gone by now`() async throws {
            let box = Locked<LoopbackServer?>(nil)
            let server = try LoopbackServer { request in
                guard request.path == "/second" else { return .text("ok") }
                // No further connection is accepted, and the one that is open ends.
                box.withLock { $0 }?.stop()
                return LoopbackResponse.text("").fault(.reset)
            }
            box.withLock { $0 = server }
            let session = CurlSessionManager()
            _ = try await session.response(for: server.request("/first"))
            let error = try await failure(of: session, server.request("/second", method: .post, body: Data("x".utf8)))
            #expect(error.code == .connectionLost, "\(error)")
        }
    }
#endif
