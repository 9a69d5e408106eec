#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import Testing
    import TransferTestSupport

    /// Request bodies that wait for a 100 (RFC 9110 §10.1.1).
    @Suite(.timeLimit(.minutes(10)))
    struct ExpectBehaviourTests {
        @Test(arguments: expectations)
        func `a request body waits for a 100 as in other HTTP clients`(row: Story) async throws {
            try await row.run()
        }

        private static let text = Data("text".utf8)
        private static let expecting: HeaderFields = ["Expect": "100-continue"]

        /// Repeats an exchange until it is as expected. A client waits for a 100 for only one second; on a busy machine, the server may be
        /// later.
        private static func expectOnce(_ exchange: () async throws -> Bool) async throws {
            for _ in 0..<20 { if try await exchange() { return } }
            Issue.record("no exchange was as expected")
        }

        private static let expectations: [Story] = [
            .row("the body waits for a 100", "OkHttp expect100ContinueNonEmptyRequestBody") {
                for face in Face.allCases {
                    try await expectOnce {
                        let server = try RawServer { connection in
                            while let head = try connection.head() {
                                let isTooSoon = connection.waitForBytes(30)
                                try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                                let body = try connection.body(of: head)
                                try connection.send(
                                    WireRuleTests.ok(isTooSoon ? "too soon" : String(decoding: body, as: UTF8.self)))
                            }
                        }
                        let request = server.request("/", method: .post, headers: expecting, body: text)
                        let session = SocketSessionManager()
                        let first = await face.outcome(of: session, for: request).words
                        let second = await face.outcome(of: session, for: request).words
                        return first == "200 text" && second == "200 text" && server.connections == 1
                    }
                }
            },
            .row("a 102 before the 100 does not start the body", "OkHttp serverRespondsWithProcessing") {
                try await expectOnce {
                    let server = try RawServer { connection in
                        guard let head = try connection.head() else { return }
                        try connection.send("HTTP/1.1 102 Processing\r\n\r\n")
                        let isTooSoon = connection.waitForBytes(30)
                        try connection.send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n")
                        let body = try connection.body(of: head)
                        try connection.send(WireRuleTests.ok(isTooSoon ? "too soon" : String(decoding: body, as: UTF8.self)))
                    }
                    let request = server.request("/", method: .put, headers: expecting, body: text)
                    return try await SocketSessionManager().response(for: request).data == text
                }
            },
            .row("after a 417 the request is sent without its expectation", "curl test357, RFC 9110 §10.1.1") {
                for face in Face.allCases {
                    try await expectOnce {
                        let server = try RawServer { connection in
                            while let head = try connection.head() {
                                if head["expect"] != nil {
                                    try connection.send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
                                    continue
                                }
                                let body = try connection.body(of: head)
                                try connection.send(WireRuleTests.ok(String(decoding: body, as: UTF8.self)))
                            }
                        }
                        let request = server.request("/", method: .post, headers: expecting, body: text)
                        let words = await face.outcome(of: SocketSessionManager(), for: request).words
                        return words == "200 text" && server.arrivals.count == 2
                    }
                }
            },
            .row("without a 100 the body is sent after one second", "OkHttp expect100ContinueTimesOutWithoutContinue") {
                let server = try RawServer.responding { _, body in
                    "HTTP/1.1 100 Continue\r\n\r\n" + WireRuleTests.ok(String(decoding: body, as: UTF8.self))
                }
                let request = server.request("/", method: .post, headers: expecting, body: text)
                #expect(try await SocketSessionManager().response(for: request).data == text)
            },
            .row("a request without a body expects nothing", "OkHttp expect100ContinueEmptyRequestBody") {
                let server = try RawServer.responding { _, _ in WireRuleTests.ok("x") }
                for body in [nil, Data()] as [Data?] {
                    let request = server.request("/", method: .post, headers: expecting, body: body)
                    #expect(try await SocketSessionManager().response(for: request).statusCode == 200)
                }
                #expect(server.arrivals.allSatisfy { $0.request["expect"] == nil })
            },
            .row("a refusal instead of the 100 is the response, and the body is not sent", "curl test1129") {
                for status in [200, 400, 404, 413] {
                    let server = try RawServer { connection in
                        while let head = try connection.head() {
                            guard head["expect"] != nil else {
                                try connection.send(WireRuleTests.ok("next"))
                                continue
                            }
                            try connection.send("HTTP/1.1 \(status) No\r\nContent-Length: 2\r\n\r\nno")
                            // Any sent part of the body would be read as a head.
                            if try connection.head() != nil || connection.partialHead != nil { try connection.send("?") }
                            return
                        }
                    }
                    let session = SocketSessionManager()
                    let request = server.request("/", method: .post, headers: expecting, body: Data(count: 100_000))
                    #expect(await Face.whole.outcome(of: session, for: request).words == "\(status) no")
                    #expect(await Face.whole.outcome(of: session, for: server.request("/next")).words == "200 next")
                    #expect(server.connectionNumbers == [0, 1])
                }
            },
            .row("after a redirect instead of the 100, the body is sent to its target", "Go TestTransportExpect100Continue") {
                let server = try RawServer { connection in
                    while let head = try connection.head() {
                        guard head.target == "/to" else {
                            try connection.send("HTTP/1.1 307 Moved\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n")
                            connection.drain()
                            return
                        }
                        try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                        let body = try connection.body(of: head)
                        try connection.send(WireRuleTests.ok(String(decoding: body, as: UTF8.self)))
                    }
                }
                let request = server.request("/from", method: .post, headers: expecting, body: text)
                #expect(try await SocketSessionManager().response(for: request).data == text)
                #expect(
                    server.connectionNumbers == [0, 1] && server.arrivals.allSatisfy { $0.request["expect"] != nil })
            },
            .row("a body that can be read only once is not read before the 100", "Go TestTransportExpect100Continue") {
                try await expectOnce {
                    let server = try RawServer { connection in
                        while let head = try connection.head() {
                            guard head.target == "/to" else {
                                try connection.send("HTTP/1.1 308 Moved\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n")
                                connection.drain()
                                return
                            }
                            try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                            let body = try connection.body(of: head)
                            try connection.send(WireRuleTests.ok(String(decoding: body, as: UTF8.self)))
                        }
                    }
                    var request = server.request("/from", method: .post, headers: expecting)
                    request.body = .stream(
                        AsyncStream<Data> { stream in
                            stream.yield(text)
                            stream.finish()
                        })
                    return await Face.whole.outcome(of: SocketSessionManager(), for: request).words == "200 text"
                }
            },
            .row("a GET after a redirected POST expects nothing", "RFC 9110 §10.1.1") {
                let server = try RawServer.responding { request, _ in
                    guard request.method == "GET" else { return "" }
                    return WireRuleTests.ok("there")
                }
                let from = try RawServer { [port = server.port] connection in
                    _ = try connection.head()
                    try connection.send("HTTP/1.1 302 Moved\r\nLocation: http://127.0.0.1:\(port)/\r\nContent-Length: 0\r\n\r\n")
                    connection.drain()
                }
                let request = from.request("/", method: .post, headers: expecting, body: text)
                #expect(try await SocketSessionManager().response(for: request).data == Data("there".utf8))
                #expect(server.arrivals.first?.request["expect"] == nil)
            },
        ]
    }
#endif
