#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Rules of HTTP/1.1 on the wire, each against a server that responds with raw bytes.
    @Suite(.timeLimit(.minutes(10)), .alsoOnEventLoops)
    struct WireRuleTests {
        static func ok(_ body: String, _ fields: String = "") -> String {
            "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }

        func elapsed(_ body: () async throws -> Void) async throws -> Duration {
            let start = ContinuousClock.now
            try await body()
            return ContinuousClock.now - start
        }
    }

    /// How a connection ends in the middle of an exchange.
    struct Death: Sendable, CustomTestStringConvertible {
        /// The part of the response that was sent before.
        var sent: String
        var isReset: Bool
        var codes: Set<TransportError.Code>
        var testDescription: String { "\(isReset ? "reset" : "closed") after \(sent.utf8.count) bytes" }

        static let all = [true, false].flatMap { isReset in
            [
                Death(sent: "", isReset: isReset, codes: [.connectionLost]),
                Death(sent: "HTTP/1.1 200 OK\r\nCon", isReset: isReset, codes: [.connectionLost]),
                Death(
                    sent: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nv", isReset: isReset,
                    codes: isReset ? [.connectionLost, .incompleteBody] : [.incompleteBody]),
            ]
        }

        func happen(on connection: RawConnection) throws {
            try connection.send(sent)
            connection.flush()
            if isReset { connection.reset() }
        }
    }

    /// Unrequested bytes that a server sends on an idle connection.
    struct Push: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: String
        var closes = false

        static let all = [
            Push(testDescription: "a response", bytes: WireRuleTests.ok("unasked")),
            Push(
                testDescription: "a 408 and the end",
                bytes: "HTTP/1.1 408 Late\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                closes: true),
            Push(testDescription: "half a head", bytes: "HTTP/1.1 200 OK\r\nContent-Le"),
            Push(testDescription: "one byte", bytes: "H"),
            Push(testDescription: "an interim response", bytes: "HTTP/1.1 103 Early Hints\r\n\r\n"),
        ]
    }

    // MARK: - Reuse and retries

    extension WireRuleTests {
        @Test(arguments: Death.all, [RequestMethod.post, .patch])
        func `a request that is not idempotent is sent once, even if its connection is lost`(death: Death, method: RequestMethod)
            async throws
        {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    guard request.target == "/kept" else { return try death.happen(on: connection) }
                    try connection.send(Self.ok("kept"))
                }
            }
            let session = SocketSessionManager()
            let paths = ["/fresh", "/kept1", "/kept2", "/kept3", "/kept4"]
            for (path, body) in zip(paths, [nil, nil, Data("x".utf8), Data(count: 300_000), nil]) {
                let error = try await failure(of: session, server.request(path, method: method, body: body))
                #expect(death.codes.contains(error.code), "\(error)")
                // A retry policy may repeat a request that was never sent, even with this method.
                #expect([.send, .firstByte, .receive].contains(error.phase), "\(error)")
                _ = try await session.response(for: server.request("/kept"))
            }
            #expect(server.targets.filter { $0 != "/kept" } == paths)
        }

        @Test(arguments: [true, false], [RequestMethod.get, .put, .post])
        func `if all idle connections are lost, an idempotent request is retried once on a new one (RFC 9110 §9.2.2)`(
            isReset: Bool, method: RequestMethod
        ) async throws {
            let together = DispatchGroup()
            for _ in 0..<5 { together.enter() }
            let server = try RawServer { connection in
                guard try connection.request()?.target == "/first" else { return try connection.send(Self.ok("fresh")) }
                together.leave()
                _ = together.wait(timeout: .now() + 50)
                try connection.send(Self.ok("kept"))
                _ = try connection.request()
                if isReset { connection.reset() }
            }
            let session = SocketSessionManager()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<5 { group.addTask { _ = try? await session.response(for: server.request("/first")) } }
            }
            let request = server.request("/second", method: method, body: method == .get ? nil : Data("x".utf8))
            if method == .post {
                #expect(try await failure(of: session, request).code == .connectionLost)
            } else {
                #expect(try await session.response(for: request).data == Data("fresh".utf8))
            }
            let arrivals = server.arrivals.filter { $0.request.target == "/second" }
            #expect(arrivals.count == (method == .post ? 1 : 2))
            #expect(method == .post || arrivals.last?.connection == 5)
        }

        @Test(arguments: Death.all.filter { !$0.sent.isEmpty })
        func `a request is not retried after the first byte of its response`(death: Death) async throws {
            let server = try RawServer { connection in
                guard try connection.request() != nil else { return }
                try connection.send(Self.ok("kept"))
                guard try connection.request() != nil else { return }
                try death.happen(on: connection)
            }
            let session = SocketSessionManager()
            _ = try await session.response(for: server.request("/first"))
            let error = try await failure(of: session, server.request("/second"))
            #expect(death.codes.contains(error.code), "\(error)")
            #expect(server.targets == ["/first", "/second"])
        }

        @Test(arguments: [true, false], [RequestMethod.get, .post])
        func `an idle connection that was closed or reset is not reused`(isReset: Bool, method: RequestMethod) async throws {
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let server = try RawServer { connection in
                guard try connection.request() != nil else { return }
                try connection.send(Self.ok("one"))
                connection.flush()
                if isReset { connection.reset() } else { connection.close() }
                end.yield()
            }
            let session = SocketSessionManager()
            var ended = ends.makeAsyncIterator()
            for round in 1...20 {
                let response = try await session.response(for: server.request("/\(round)", method: method))
                #expect(response.data == Data("one".utf8))
                await ended.next()
            }
            #expect(server.targets == (1...20).map { "/\($0)" } && server.connections == 20)
        }

        @Test(arguments: Push.all, [RequestMethod.get, .post])
        func `unrequested bytes are not used as a response (RFC 9112 §9.2)`(push: Push, method: RequestMethod) async throws {
            for isJoined in [true, false] {
                let (pushes, pushed) = AsyncStream.makeStream(of: Void.self)
                let server = try RawServer { connection in
                    while let request = try connection.request() {
                        let reply = Self.ok(request.target)
                        guard request.target.hasSuffix("first") else {
                            try connection.send(reply)
                            continue
                        }
                        if isJoined {
                            try connection.send(reply + push.bytes)
                        } else {
                            try connection.send(reply)
                            connection.flush()
                            try connection.send(push.bytes)
                        }
                        if push.closes { connection.finish() }
                        connection.flush()
                        pushed.yield()
                        // A request that nevertheless arrives on this connection is recorded, and gets no response.
                        _ = try? connection.request()
                        return
                    }
                }
                let session = SocketSessionManager()
                var done = pushes.makeAsyncIterator()
                for round in 0..<5 {
                    #expect(try await session.response(for: server.request("/\(round)first")).data == Data("/\(round)first".utf8))
                    await done.next()
                    for path in ["/\(round)a", "/\(round)b"] {
                        let response = try await session.response(for: server.request(path, method: method))
                        #expect(response.statusCode == 200 && response.data == Data(path.utf8))
                    }
                }
                for number in Set(server.connectionNumbers) {
                    let targets = server.arrivals.filter { $0.connection == number }.map(\.request.target)
                    #expect(targets.firstIndex { $0.hasSuffix("first") } ?? targets.count - 1 == targets.count - 1)
                }
            }
        }

        @Test(arguments: [
            ("Connection: close\r\n", true), ("Connection: x, CLOSE\r\n", true), ("Connection: x\r\nConnection: close\r\n", true),
            ("Connection: keep-alive\r\n", false), ("", false),
        ])
        func `a connection is reused unless the response has the close option (RFC 9112 §9.6)`(
            fields: String, isLast: Bool
        ) async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x", fields)) }
            }
            let session = SocketSessionManager()
            for _ in 0..<3 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connections == (isLast ? 3 : 1))
        }

        @Test func `a connection is not reused after a request with the close option (RFC 9112 §9.6)`() async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x")) }
            }
            let session = SocketSessionManager()
            _ = try await session.response(for: server.request("/a"))
            _ = try await session.response(for: server.request("/b", headers: ["Connection": "close"]))
            _ = try await session.response(for: server.request("/c"))
            #expect(server.connectionNumbers == [0, 0, 1])
        }

        @Test(arguments: [("", true), ("Connection: keep-alive\r\n", false)])
        func `an HTTP 1.0 connection is reused only if the response has the keep-alive option (RFC 9112 §9.3)`(
            fields: String, isLast: Bool
        ) async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil {
                    try connection.send("HTTP/1.0 200 OK\r\n\(fields)Content-Length: 1\r\n\r\nx")
                }
            }
            let session = SocketSessionManager()
            for _ in 0..<2 { _ = try await session.response(for: server.request("/")) }
            #expect(server.connections == (isLast ? 2 : 1))
        }

        @Test(arguments: [
            ("timeout=600", [0, 0]), ("timeout=1", [0, 1]), ("timeout=0", [0, 1]), ("timeout=600, max=0", [0, 1]),
        ])
        func `a connection is not reused beyond the limits of its Keep-Alive field`(field: String, used: [Int]) async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x", "Keep-Alive: \(field)\r\n")) }
            }
            let other = try RawServer { connection in
                _ = try connection.request()
                _ = connection.waitForBytes(1_200)
                try connection.send(Self.ok("x"))
            }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.idleConnectionLifetime = .seconds(3600) })
            _ = try await session.response(for: server.request("/a"))
            // The server keeps the connection open: the test checks whether the client reuses it.
            _ = try await SocketSessionManager().response(for: other.request("/wait"))
            _ = try await session.response(for: server.request("/a", method: .post))
            #expect(server.connectionNumbers == used)
        }

        @Test func `a connection is not reused after an unrequested upgrade (RFC 9110 §15.2.2)`() async throws {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    guard request.target == "/upgrade" else {
                        try connection.send(Self.ok("x"))
                        continue
                    }
                    try connection.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: chat\r\nConnection: Upgrade\r\n\r\n")
                    try connection.send(Self.ok("chat"))
                    connection.finish()
                    _ = try? connection.request()
                    return
                }
            }
            let session = SocketSessionManager()
            for _ in 0..<3 {
                _ = try? await session.response(for: server.request("/upgrade"))
                #expect(try await session.response(for: server.request("/x")).data == Data("x".utf8))
            }
            let upgraded = Set(server.arrivals.filter { $0.request.target == "/upgrade" }.map(\.connection))
            for number in upgraded {
                #expect(server.arrivals.last { $0.connection == number }?.request.target == "/upgrade")
            }
        }

        @Test(arguments: [true, false])
        func `a connection that is lost during the TLS handshake is a retryable error, even for a POST`(isReset: Bool)
            async throws
        {
            let server = try RawServer { connection in
                _ = try connection.receive()
                if isReset { connection.reset() }
            }
            let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
            let error = try await failure(of: SocketSessionManager(), NetworkRequest(method: .post, url: url))
            #expect(error.code == .connectionLost && error.isRetryable, "\(error)")
        }

        @Test func `a refused connection is not reported as reused`() async throws {
            // No server listens on this port, and the system never assigns it to a test.
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let error = try await failure(of: SocketSessionManager(), NetworkRequest(url: url))
            #expect(error.code == .cannotConnect && error.timings?.isReusedConnection != true)
        }
    }

    // MARK: - Timeouts

    extension WireRuleTests {
        @Test func `an upload that the server does not read fails with the idle timeout`() async throws {
            let server = try RawServer { connection in
                _ = try connection.head()
                // Reads nothing until the client closes the connection.
                connection.waitForHangUp()
            }
            let request = server.request(
                "/", method: .put, body: Data(count: 32 << 20), timeouts: RequestTimeouts(idle: .seconds(4)))
            let duration = try await elapsed {
                let error = try await failure(of: SocketSessionManager(), request)
                #expect(error.code == .timedOut)
            }
            // The upper limits guard against hangs: a busy machine may need minutes.
            #expect(duration > .milliseconds(3_950) && duration < .seconds(300), "\(duration)")
        }

        @Test func `a flood of tiny chunks delays neither the total timeout nor other transfers`() async throws {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    guard request.target == "/flood" else {
                        try connection.send(Self.ok("x"))
                        continue
                    }
                    try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                    let chunks = String(repeating: "1\r\nx\r\n", count: 10_000)
                    while true { try connection.send(chunks) }
                }
            }
            let session = SocketSessionManager()
            let flood = Task {
                try await elapsed {
                    let request = server.request("/flood", timeouts: RequestTimeouts(total: .seconds(2)))
                    let error = try await failure(of: session, request)
                    #expect(error.code == .timedOut || error.code == .bodyTooLarge, "\(error)")
                }
            }
            var longest = Duration.zero
            for _ in 0..<10 {
                longest = max(longest, try await elapsed { _ = try await session.response(for: server.request("/")) })
            }
            #expect(longest < .seconds(300), "\(longest)")
            let duration = try await flood.value
            #expect(duration < .seconds(300), "\(duration)")
        }
    }
#endif
