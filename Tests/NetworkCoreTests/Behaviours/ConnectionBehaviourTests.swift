#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// Which connection a request uses, and how often it is sent (RFC 9112 §9; RFC 9110 §9.2.2).
    @Suite(.timeLimit(.minutes(10)))
    struct ConnectionBehaviourTests {
        @Test(arguments: reuse + limits + ends)
        func `connections are reused and closed as in other HTTP clients`(row: Story) async throws {
            try await row.run()
        }

        private static let text = Data("text".utf8)

        /// Sends requests one after another, and returns the number of the connection of each.
        private static func connections(
            _ requests: [(path: String, method: RequestMethod)],
            change: (inout SessionConfiguration) -> Void = { _ in },
            respond: @escaping @Sendable (RawRequest) -> String
        ) async throws -> [Int] {
            let server = try RawServer.responding { request, _ in respond(request) }
            let session = SocketSessionManager(configuration: SessionConfiguration(change))
            for (path, method) in requests {
                let body = method == .post || method == .put ? text : nil
                _ = try await session.response(for: server.request(path, method: method, body: body))
            }
            return server.connectionNumbers
        }

        private static let reuse: [Story] = [
            .row("each port has separate connections", "Go TestTransportIdleCacheKeys") {
                let servers = [
                    try RawServer.responding { _, _ in WireRuleTests.ok("a") }, try .responding { _, _ in WireRuleTests.ok("b") },
                ]
                let session = SocketSessionManager()
                for round in 0..<4 {
                    let response = try await session.response(for: servers[round % 2].request("/"))
                    #expect(response.data == Data((round % 2 == 0 ? "a" : "b").utf8))
                }
                #expect(servers.map(\.connections) == [1, 1])
            },
            .row("a request with another Host field shares the connection", "curl test2504") {
                let server = try RawServer.responding { _, _ in WireRuleTests.ok("x") }
                let session = SocketSessionManager()
                for host in ["a.example", "b.example"] {
                    _ = try await session.response(for: server.request("/", headers: ["Host": host]))
                }
                #expect(server.connections == 1 && server.arrivals.map { $0.request["host"] } == ["a.example", "b.example"])
            },
        ]

        private static let limits: [Story] = [
            .row("without idle connections, each request uses a new connection", "OkHttp connectionsAreNotReusedIfPoolIsSizeZero")
            {
                let used = try await connections([("/", .get), ("/", .get)], change: { $0.maximumIdleConnections = 0 }) { _ in
                    WireRuleTests.ok("x")
                }
                #expect(used == [0, 1])
            },
            .row("one connection in total is enough for a redirect to another port", "Go TestTransportMaxConnsPerHost") {
                let target = try RawServer.responding { _, _ in WireRuleTests.ok("there") }
                let server = try RawServer.responding { [port = target.port] _, _ in
                    "HTTP/1.1 302 Moved\r\nLocation: http://127.0.0.1:\(port)/\r\nContent-Length: 0\r\n\r\n"
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnections = 1 })
                for face in Face.allCases {
                    #expect(await face.outcome(of: session, for: server.request("/")).words == "200 there")
                }
            },
            .row("a Cookie field has no more than 8190 bytes", "curl test443") {
                let fields = (0..<45).map { "Set-Cookie: c\($0)=\(String(repeating: "x", count: 300))\r\n" }.joined()
                let server = try RawServer.responding { _, _ in WireRuleTests.ok("x", fields) }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.cookies = .separate })
                for _ in 0..<2 { _ = try await session.response(for: server.request("/")) }
                let sent = try #require(server.arrivals.last?.request["cookie"])
                #expect((7000...8190).contains(sent.utf8.count))
            },
            .row("no more idle connections are kept than allowed", "curl test1510") {
                let servers = [
                    try RawServer.responding { _, _ in WireRuleTests.ok("a") }, try .responding { _, _ in WireRuleTests.ok("b") },
                ]
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumIdleConnections = 1 })
                for server in [servers[0], servers[1], servers[1], servers[0]] {
                    _ = try await session.response(for: server.request("/"))
                }
                #expect(servers.map(\.connections) == [2, 1])
            },
            .row("no more connections are made to a host than allowed", "Go TestTransportMaxConnsPerHost") {
                let server = try RawServer.responding { _, _ in WireRuleTests.ok("x") }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 2 })
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 { group.addTask { _ = try? await session.response(for: server.request("/")) } }
                }
                #expect(server.arrivals.count == 20 && (1...2).contains(server.connections))
            },
            .row("a request waits for the response before it on a connection", "RFC 9112 §9.3.2") {
                let server = try RawServer { connection in
                    while let request = try connection.request() {
                        // No byte of the next request may arrive before the response.
                        try connection.send(WireRuleTests.ok(connection.waitForBytes(30) ? "too soon" : request.target))
                    }
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 1 })
                async let first = session.response(for: server.request("/1")).data
                async let second = session.response(for: server.request("/2")).data
                #expect(try await [first, second] == [Data("/1".utf8), Data("/2".utf8)] && server.connections == 1)
            },
        ]

        private static let ends: [Story] = [
            .row(
                "a connection is closed when its body is not read to the end",
                "OkHttp earlyDisconnectDoesntHarmPoolingWithFixedLengthEncoding"
            ) {
                let server = try RawServer { connection in
                    while let request = try connection.request() {
                        guard request.target == "/long" else {
                            try connection.send(WireRuleTests.ok("x"))
                            continue
                        }
                        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nbegin")
                    }
                }
                let session = SocketSessionManager()
                let response = try await session.stream(for: server.request("/long"))
                #expect(response.statusCode == 200)
                response.body.stop()
                _ = try await session.response(for: server.request("/x"))
                #expect(server.connectionNumbers == [0, 1])
            },
            .row("a late response closes its connection", "Go TestTransportResponseHeaderTimeout") {
                // On a busy machine, a short timeout may expire before the request is received.
                let numbers = try await withTimeouts(from: .milliseconds(50)) { idle -> [Int]? in
                    let server = try RawServer.responding { request, _ in request.target == "/late" ? "" : WireRuleTests.ok("x") }
                    let session = SocketSessionManager()
                    _ = try await session.response(for: server.request("/x"))
                    let late = server.request("/late", timeouts: RequestTimeouts(idle: idle))
                    #expect(try await failure(of: session, late).code == .timedOut)
                    _ = try await session.response(for: server.request("/x"))
                    return server.targets == ["/x", "/late", "/x"] ? server.connectionNumbers : nil
                }
                #expect(numbers == [0, 0, 1])
            },
            .row("a second response that is not HTTP is malformed, and is not requested again", "curl test1479") {
                let server = try RawServer.responding { request, _ in
                    request.target == "/1" ? WireRuleTests.ok("x") : "yes, HTTP/0.9\r\n"
                }
                let session = SocketSessionManager()
                _ = try await session.response(for: server.request("/1"))
                #expect(try await failure(of: session, server.request("/2")).code == .malformedResponse)
                #expect(server.targets == ["/1", "/2"])
            },
            .row("a POST with an Idempotency-Key is sent again when its kept connection ends", "Go Request.isReplayable") {
                let server = try RawServer { connection in
                    _ = try connection.request()
                    try connection.send(WireRuleTests.ok("x"))
                    _ = try connection.request()
                }
                let session = SocketSessionManager()
                _ = try await session.response(for: server.request("/1"))
                let headers: HeaderFields = ["Idempotency-Key": "k"]
                let request = server.request("/2", method: .post, headers: headers, body: text)
                #expect(try await session.response(for: request).statusCode == 200)
                #expect(server.connectionNumbers == [0, 0, 1])
            },
            .row(
                "a request is lost if the server only closes its side before the response",
                "OkHttp serverHalfClosingBeforeResponse"
            ) {
                let server = try RawServer { connection in
                    _ = try connection.request()
                    connection.finish()
                    connection.drain()
                }
                #expect(try await failure(of: SocketSessionManager(), server.request("/")).code == .connectionLost)
                #expect(server.connections == 1)
            },
            .row("a head and a body are read byte by byte", "curl test1540") {
                let server = try RawServer { connection in
                    while try connection.request() != nil {
                        let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\n"
                        for byte in bytes.utf8 {
                            try connection.send([byte])
                            connection.flush()
                        }
                    }
                }
                let session = SocketSessionManager()
                for face in Face.allCases {
                    let (words, response) = await face.outcome(of: session, for: server.request("/"))
                    #expect(words == "200 abc" && response?.trailers["X"] == "1")
                }
                #expect(server.connections == 1)
            },
            .row("a 408, a 421 and a 503 are returned", "OkHttp getClientRequestTimeout") {
                for status in [408, 421, 425, 429, 503] {
                    let server = try RawServer.responding { _, _ in
                        "HTTP/1.1 \(status) Later\r\nRetry-After: 0\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                    }
                    let response = try await SocketSessionManager().response(for: server.request("/"))
                    #expect(response.statusCode == status && server.targets == ["/"])
                }
            },
        ]
    }
#endif
