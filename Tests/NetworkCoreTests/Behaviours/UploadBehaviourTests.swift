#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    /// Uploads: responses before the end of the body, and bodies that fail (RFC 9112 §9.3, §9.5).
    @Suite(.timeLimit(.minutes(10)))
    struct UploadBehaviourTests {
        @Test(arguments: early + failures)
        func `an upload is sent or stopped as in other HTTP clients`(row: Story) async throws {
            try await row.run()
        }

        private static let text = Data("text".utf8)
        private static let early: [Story] = [
            .row("a response before the end of the upload is returned, and the connection is closed", "curl test1517") {
                for face in Face.allCases {
                    let server = try RawServer { connection in
                        guard let head = try connection.head() else { return }
                        guard head.target == "/large" else { return try connection.send(WireRuleTests.ok("next")) }
                        try connection.send("HTTP/1.1 413 Too large\r\nContent-Length: 2\r\n\r\nno")
                        // The body does not fit into the buffers of the sockets, so that the client cannot send all of it.
                        connection.waitForHangUp()
                    }
                    let session = SocketSessionManager()
                    let request = server.request("/large", method: .put, body: Data(count: 32 << 20))
                    #expect(await face.outcome(of: session, for: request).words == "413 no")
                    #expect(await face.outcome(of: session, for: server.request("/next")).words == "200 next")
                    #expect(server.connectionNumbers == [0, 1])
                }
            },
            .row(
                "a response is returned although the server closes its side at once",
                "Go TestTransportPrefersResponseOverWriteError"
            ) {
                for face in Face.allCases {
                    let server = try RawServer { connection in
                        _ = try connection.head()
                        try connection.send("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
                        connection.finish()
                        connection.drain()
                    }
                    let request = server.request("/", method: .post, body: Data(count: 16 << 20))
                    #expect(await face.outcome(of: SocketSessionManager(), for: request).words == "401 no")
                }
            },
            .row("a response is returned although a reset follows it", "curl test1070") {
                for face in Face.allCases {
                    let server = try RawServer { connection in
                        _ = try connection.head()
                        try connection.send("HTTP/1.1 413 Too large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
                        // Because received bytes were not read, closing the connection is a reset.
                        connection.flush()
                    }
                    let request = server.request("/", method: .post, body: Data(count: 4 << 20))
                    #expect(await face.outcome(of: SocketSessionManager(), for: request).words == "413 no")
                }
            },
            .row("a redirect before the end of the upload is followed", "RFC 9110 §15.4") {
                for (status, method, count) in [(302, "GET", 0), (307, "POST", 32 << 20)] {
                    let server = try RawServer { connection in
                        while let head = try connection.head() {
                            guard head.target == "/to" else {
                                try connection.send("HTTP/1.1 \(status) Moved\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n")
                                connection.waitForHangUp()
                                return
                            }
                            let body = try connection.body(of: head)
                            try connection.send(WireRuleTests.ok("\(head.method) \(body.count)"))
                        }
                    }
                    let request = server.request("/from", method: .post, body: Data(count: 32 << 20))
                    let outcome = await Face.whole.outcome(of: SocketSessionManager(), for: request)
                    #expect(outcome.words == "200 \(method) \(count)")
                }
            },
            .row("a response ends an endless upload", "OkHttp ServerTruncatesRequestTest") {
                let server = try RawServer { connection in
                    _ = try connection.head()
                    try connection.send(WireRuleTests.ok("enough"))
                    connection.drain()
                }
                var request = server.request("/", method: .post)
                request.body = .stream(AsyncStream(unfolding: { Task.isCancelled ? nil : Data(count: 10_000) }))
                #expect(try await SocketSessionManager().response(for: request).data == Data("enough".utf8))
                await server.waitUntilClosed()
            },
            .row("a response before the end of a slow upload is streamed meanwhile", "OkHttp DuplexTest") {
                let (chunks, input) = AsyncStream.makeStream(of: Data.self)
                let server = try RawServer { connection in
                    guard let head = try connection.head() else { return }
                    try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n")
                    _ = try connection.body(of: head)
                    try connection.send("3\r\nbye\r\n0\r\n\r\n")
                    _ = try connection.head()
                }
                var request = server.request("/", method: .post)
                request.body = .stream(chunks)
                let response = try await SocketSessionManager().stream(for: request)
                #expect(response.statusCode == 200)
                input.yield(text)
                input.finish()
                #expect(try await response.body.collected() == Data("hibye".utf8))
            },
        ]

        private struct Torn: Error {}

        private static let failures: [Story] = [
            .row("a body that fails does not look complete", "hyper aborted_body_isnt_completed") {
                let isWhole = Watched<Bool?>(nil)
                let server = try RawServer { connection in
                    guard let head = try connection.head() else { return }
                    let body = try? connection.body(of: head)
                    isWhole.withLock { $0 = body != nil }
                }
                var request = server.request("/", method: .post)
                request.body = .stream(
                    AsyncThrowingStream<Data, any Error> { stream in
                        stream.yield(text)
                        stream.finish(throwing: Torn())
                    })
                #expect(try await failure(of: SocketSessionManager(), request).code == .bodyFailed)
                await isWhole.wait { $0 != nil }
                #expect(isWhole.withLock { $0 } == false)
            },
            .row("a body that is shorter than announced is an error", "OkHttp fullyBufferedPostIsTooShort") {
                let server = try RawServer.responding { _, _ in WireRuleTests.ok("x") }
                var request = server.request("/", method: .post)
                request.body = .stream(AsyncStream(unfolding: { nil as Data? }), length: 4)
                #expect(try await failure(of: SocketSessionManager(), request).code == .bodyFailed)
            },
            .row("a body that can be read only once is not sent twice", "OkHttp cannotRetryOneShotRequestBody") {
                for status in [307, 308] {
                    let server = try RawServer.responding { _, _ in
                        "HTTP/1.1 \(status) Moved\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n"
                    }
                    var request = server.request("/from", method: .post)
                    request.body = .stream(
                        AsyncStream<Data> { stream in
                            stream.yield(text)
                            stream.finish()
                        })
                    #expect(try await failure(of: SocketSessionManager(), request).code == .bodyNotReplayable)
                    #expect(server.targets == ["/from"])
                }
            },
        ]
    }
#endif
