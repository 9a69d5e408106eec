#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport
    @testable import NetworkURLSession

    @Suite(.timeLimit(.minutes(10)), .alsoOverURLSession, .alsoOnEventLoops)
    struct NetworkBodySendingTests {
        let session = testedSession()

        private func echoServer() throws -> LoopbackServer {
            try LoopbackServer { request in .data(request.body) }
        }

        private func request(_ server: LoopbackServer, _ path: String = "/", method: RequestMethod = .post, body: NetworkBody)
            -> NetworkRequest
        {
            NetworkRequest(method: method, url: server.url(path), body: body)
        }

        private func bytes(_ count: Int) -> Data {
            .pattern(count)
        }

        @Test(arguments: [0, 1, 131_072, 131_073, 5_000_000])
        func `a file is sent with its Content-Length`(count: Int) async throws {
            let server = try echoServer()
            let file = try TemporaryFile(bytes(count))
            let response = try await session.response(for: request(server, body: .file(file.url)))
            #expect(response.data == bytes(count))
            #expect(server.requests.first?.headers.values(for: "Content-Length") == ["\(count)"])
            #expect(server.requests.first?.headers.contains("Transfer-Encoding") == false)
            #expect(server.requests.first?.headers.contains("Content-Type") == false)
            #expect(response.timings.bytesSent == Int64(count))
        }

        @Test(
            .notOverURLSession(.sequences), arguments: [RequestMethod.post, .put, .patch, RequestMethod("PROPPATCH")],
            [0, 1, 1000, 3_000_000])
        func `a sequence of unknown length is sent in chunks`(method: RequestMethod, count: Int) async throws {
            let server = try echoServer()
            let body = bytes(count)
            let response = try await session.response(
                for: request(server, method: method, body: .stream(Pieces(of: body, size: 70_001))))
            #expect(response.data == body)
            #expect(server.requests.first?.method == method)
            #expect(server.requests.first?.headers.values(for: "Transfer-Encoding") == ["chunked"])
            #expect(server.requests.first?.headers.contains("Content-Length") == false)
        }

        @Test(arguments: [0, 1, 100_000])
        func `a sequence of known length is sent with its Content-Length`(count: Int) async throws {
            let server = try echoServer()
            let body = bytes(count)
            let response = try await session.response(
                for: request(server, body: .stream(Pieces(of: body, size: 7000), length: Int64(count))))
            #expect(response.data == body)
            #expect(server.requests.first?.headers.values(for: "Content-Length") == ["\(count)"])
        }

        @Test func `a reused handle keeps no data of the previous body`() async throws {
            let server = try echoServer()
            let session = testedSession { $0.maximumConnectionsPerHost = 1 }
            let file = try TemporaryFile(bytes(200_000))
            let contents: [NetworkBody?] = [
                .data(bytes(10)), .stream(Pieces(of: bytes(50), size: 9)), nil, .file(file.url), .data(bytes(100_000)),
                .stream(Pieces(of: bytes(60), size: 9), length: 60), .data(Data()), .file(file.url),
            ]
            for content in contents {
                let body = try await content?.collected() ?? Data()
                var content = content
                if content?.isReplayable == false { content = .stream(Pieces(of: body, size: 9)) }
                let sent = NetworkRequest(method: .post, url: server.url("/"), body: content)
                #expect(try await session.response(for: sent).data == body)
            }
            #expect(server.connectionCount == 1)
        }

        @Test func `a body of known length is complete with its last byte, even if its sequence has not ended`() async throws {
            let server = try echoServer()
            let session = testedSession()
            for _ in 0..<10 {
                let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
                continuation.yield(bytes(60))
                let body = NetworkBody.stream(length: 60) { pieces }
                #expect(try await session.response(for: request(server, body: body)).data == bytes(60))
                continuation.finish()
            }
            #expect(server.connectionCount == 1)
        }

        @Test(.notOverURLSession(.sequences))
        func `a sequence is read no faster than the server reads`() async throws {
            let total = 64 << 20
            let pieces = Pieces(of: Data(count: total), size: 64 << 10)
            // On a busy machine, a short timeout may expire while the body is being sent.
            let moved = try await withTimeouts(from: .seconds(1)) { idle -> Int? in
                let server = try FlowServer(sending: nil)
                let lead = Locked(0)
                let body = NetworkBody.stream(length: Int64(total)) {
                    pieces.watched { produced in
                        // The first 256 KiB fit into the socket buffers.
                        if produced >= 256 << 10 { server.startReading() }
                        let ahead = produced - server.moved
                        lead.withLock { $0 = max($0, ahead) }
                    }
                }
                let error = try await failure(
                    of: session,
                    NetworkRequest(method: .post, url: server.url, body: body, timeouts: RequestTimeouts(idle: idle)))
                // Otherwise its thread would wait forever.
                server.startReading()
                #expect(error.isTimeout, "the server never responds")
                #expect(lead.withLock { $0 } < 16 << 20, "\(lead.withLock { $0 }) bytes were ahead")
                return server.moved == total ? total : nil
            }
            #expect(moved == total)
        }

        @Test func `an error thrown by a sequence is the underlying error of the failure`() async throws {
            struct Broken: Error {}
            let server = try echoServer()
            let body = AsyncThrowingStream<Data, any Error> { continuation in
                continuation.yield(Data("half".utf8))
                continuation.finish(throwing: Broken())
            }
            let error = try await failure(of: session, request(server, body: .stream(body)))
            #expect(error.code == .bodyFailed && error.underlying is Broken && error.phase == .send, "\(error)")
            #expect(await server.waitForOpenConnections(count: 0))
        }

        @Test(arguments: [(10, 11, "ended after 10 of the 11"), (12, 11, "more than the 11")])
        func `a sequence longer or shorter than announced is an error`(made: Int, announced: Int64, reason: String) async throws {
            let server = try echoServer()
            let body = NetworkBody.stream(Pieces(of: bytes(made), size: 100), length: announced)
            let error = try await failure(of: session, request(server, body: body))
            #expect(error.code == .bodyFailed && error.message.contains(reason), "\(error)")
        }

        @Test func `a path that is missing or not a regular file is an error before a byte is sent`() async throws {
            let server = try echoServer()
            for path in ["/nowhere/at/all", "/dev/zero", "/tmp"] {
                let error = try await failure(of: session, request(server, body: .file(URL(fileURLWithPath: path))))
                #expect(error.code == .bodyFailed, "\(error)")
            }
            let web = try #require(URL(string: "https://a.example/b"))
            #expect(try await failure(of: session, request(server, body: .file(web))).code == .invalidRequest)
            let negative = NetworkBody.stream(Pieces(of: Data(), size: 1), length: -1)
            #expect(try await failure(of: session, request(server, body: negative)).code == .invalidRequest)
            #expect(server.connectionCount == 0)
        }

        @Test(.notOverURLSession(.sequences))
        func `a redirect that keeps the method sends the body again, and is an error if the body can be read only once`()
            async throws
        {
            let server = try LoopbackServer {
                LoopbackRoute(.post, "/a") { _ in LoopbackResponse(status: 307, headers: ["Location": "/b"]) }
                LoopbackRoute(.post, "/b") { request in .data(request.body) }
                LoopbackRoute(.post, "/c") { _ in LoopbackResponse(status: 303, headers: ["Location": "/d"]) }
                LoopbackRoute(.get, "/d") { _ in .text("d") }
            }
            let file = try TemporaryFile(bytes(300_000))
            #expect(try await session.response(for: request(server, "/a", body: .file(file.url))).data == bytes(300_000))
            let again = NetworkBody.stream { Pieces(of: Data("again".utf8), size: 2) }
            #expect(try await session.response(for: request(server, "/a", body: again)).data == Data("again".utf8))
            #expect(try await session.response(for: request(server, "/a", body: again)).data == Data("again".utf8))

            let once = NetworkBody.stream(Pieces(of: Data("once".utf8), size: 2))
            let error = try await failure(of: session, request(server, "/a", body: once))
            #expect(error.code == .bodyNotReplayable, "\(error)")
            #expect(try await failure(of: session, request(server, "/b", body: once)).code == .bodyNotReplayable)
            let other = NetworkBody.stream(Pieces(of: Data("once".utf8), size: 2))
            #expect(try await session.response(for: request(server, "/c", body: other)).data == Data("d".utf8))
        }

        @Test(.notOverURLSession(.sequences))
        func `cancelling releases the sequence`() async throws {
            let server = try echoServer()
            let (ended, report) = AsyncStream.makeStream(of: Void.self)
            do {
                let body = AsyncStream<Data> { continuation in
                    continuation.yield(Data("x".utf8))
                    continuation.onTermination = { _ in report.finish() }
                }
                let handle = session.response(for: request(server, body: .stream(body))) { _ in }
                #expect(await server.waitForOpenConnections(count: 1))
                handle.cancel()
                #expect(await server.waitForOpenConnections(count: 0))
            }
            // Its task ends, or it is released if the task had not begun.
            for await _ in ended {}
        }

        @Test(.notOverURLSession(.sequences))
        func `a response can be received while the request body is still being sent`() async throws {
            // The server responds while the body is still being produced.
            let server = try FlowServer(sending: 100)
            let (chunks, sink) = AsyncStream.makeStream(of: Data.self)
            sink.yield(Data("a".utf8))
            let response = try await session.stream(for: NetworkRequest(method: .post, url: server.url, body: .stream(chunks)))
            sink.finish()
            #expect(response.statusCode == 200)
            #expect(try await response.body.collected().count == 100)
        }

        @Test(.notOverURLSession(.earlyResponses))
        func `a response that arrives before the server has read the whole body is returned`() async throws {
            // The server responds, and then resets the connection instead of reading the rest.
            let server = try FlowServer(sending: 5, thenResets: true)
            let body = NetworkBody.stream(Pieces(of: Data(count: 64 << 20), size: 64 << 10))
            let response = try await session.response(for: NetworkRequest(method: .post, url: server.url, body: body))
            #expect(response.statusCode == 200 && response.data.count == 5)
        }
    }
#endif
