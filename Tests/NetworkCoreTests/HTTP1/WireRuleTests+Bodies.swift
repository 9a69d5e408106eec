#if os(Linux)
    import Endpoints
    import Dispatch
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    // Bodies are complete or an error, and every received byte is delivered.
    extension WireRuleTests {
        /// How a body of 600,000 bytes ends after 300,000.
        struct Break: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var head: String
            var isReset: Bool
            var codes: Set<TransportError.Code>

            static let all = [
                Break(
                    testDescription: "length, closed", head: "Content-Length: 600000", isReset: false, codes: [.incompleteBody]),
                Break(
                    testDescription: "length, reset", head: "Content-Length: 600000", isReset: true,
                    codes: [.incompleteBody, .connectionLost]),
                Break(
                    testDescription: "chunks, closed", head: "Transfer-Encoding: chunked", isReset: false,
                    codes: [.incompleteBody]),
                Break(
                    testDescription: "chunks, reset", head: "Transfer-Encoding: chunked", isReset: true,
                    codes: [.incompleteBody, .connectionLost]),
                Break(
                    testDescription: "until the end, reset", head: "X-A: b", isReset: true,
                    codes: [.incompleteBody, .connectionLost]),
            ]
        }

        @Test(arguments: Break.all, [false, true])
        func `an interrupted body delivers every byte that arrived`(way: Break, isSlow: Bool) async throws {
            let body = Data.pattern(300_000)
            let (breaks, broken) = AsyncStream.makeStream(of: Void.self)
            let server = try RawServer { connection in
                _ = try connection.request()
                try connection.send("HTTP/1.1 200 OK\r\n\(way.head)\r\n\r\n")
                if way.head.contains("chunked") { try connection.send("\(String(600_000, radix: 16))\r\n") }
                try connection.send(body)
                connection.flush(within: 60)
                if way.isReset { connection.reset() } else { connection.close() }
                broken.finish()
            }
            let response = try await SocketSessionManager().stream(for: server.request("/"))
            // Without back-pressure, the whole body fits into the buffers of the engine and the two sockets.
            if isSlow { for await _ in breaks {} }
            var received = Data()
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { received.append(chunk) }
            }
            #expect(received.count == 300_000 && received == body)
            #expect(error.map { way.codes.contains($0.code) } == true, "\(String(describing: error))")
        }

        @Test(arguments: Break.all)
        func `an interrupted body is an error for a buffered response`(way: Break) async throws {
            let server = try RawServer { connection in
                _ = try connection.request()
                let start = way.head.contains("chunked") ? "A\r\n" : ""
                try connection.send("HTTP/1.1 200 OK\r\n\(way.head)\r\n\r\n\(start)hello")
                connection.flush()
                if way.isReset { connection.reset() }
            }
            let error = try await failure(of: SocketSessionManager(), server.request("/"))
            #expect(way.codes.contains(error.code) && server.targets == ["/"], "\(error)")
        }

        /// The system reports a reset only once: if sending reports it, reading only reports the end of the stream.
        @Test(arguments: [100_000, 300_000], [RequestMethod.post, .put])
        func `a reset that is reported to the upload does not make a truncated body look complete`(
            count: Int, method: RequestMethod
        ) async throws {
            let body = Data.pattern(count)
            let (resets, reset) = AsyncStream.makeStream(of: Void.self)
            let server = try RawServer { connection in
                _ = try connection.head()
                try connection.send("HTTP/1.1 200 OK\r\n\r\n")
                try connection.send(body)
                connection.flush()
                connection.reset()
                reset.finish()
            }
            var request = server.request("/", method: method)
            let chunks = AsyncStream(unfolding: { () async -> Data? in
                for await _ in resets {}
                return Data(count: 100_000)
            })
            request.body = .stream(chunks)
            let response = try await SocketSessionManager().stream(for: request)
            for await _ in resets {}
            // Meanwhile the upload continues, and the reader does not read.
            try await Task.sleep(for: .milliseconds(100))
            var received = Data()
            let error = await #expect(throws: TransportError.self) {
                for try await chunk in response.body { received.append(chunk) }
            }
            #expect(error?.code == .connectionLost || error?.code == .incompleteBody, "\(String(describing: error))")
            #expect(body.prefix(received.count) == received)
        }

        @Test func `an endless body of an error response is truncated at 1 MiB, and its connection is closed`() async throws {
            let (ends, ended) = AsyncStream.makeStream(of: Void.self)
            let server = try RawServer { connection in
                defer { ended.finish() }
                _ = try connection.request()
                try connection.send("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n")
                let piece = "10000\r\n\(String(repeating: "x", count: 0x10000))\r\n"
                while true { try connection.send(piece) }
            }
            let service = DefaultNetworkService(
                configuration: APIConfiguration(baseURL: server.url), sessionManager: SocketSessionManager())
            let error = await #expect(throws: NetworkError.self) {
                try await service.stream(for: Endpoint<Data>(path: "x", responseDecoder: .rawData))
            }
            #expect(error?.statusCode == 500 && error?.response?.data.count == 1 << 20)
            for await _ in ends {}
        }

        @Test(arguments: ["xyz", "", "-1", "0x5", "5 x", "ffffffffffffffff", "10000000000000000", "5;\u{0}", "+5"])
        func `an invalid chunk size is malformed, and the request is sent once (RFC 9112 §7.1)`(size: String) async throws {
            let server = try RawServer { connection in
                _ = try connection.request()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n\(size)\r\nhello\r\n0\r\n\r\n")
                connection.finish()
                connection.drain()
            }
            let error = try await failure(of: SocketSessionManager(), server.request("/"))
            #expect(error.code == .malformedResponse, "\(error)")
            #expect(server.targets == ["/"])
        }

        @Test func `chunk extensions, leading zeros and upper case do not change the content`() async throws {
            let server = try RawServer { connection in
                _ = try connection.request()
                try connection.send(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "0003;a=b;c=\"d\"\r\nabc\r\nA ;x\r\n0123456789\r\n000;last\r\nX-Sum: 13\r\n\r\n")
            }
            let response = try await SocketSessionManager().response(for: server.request("/"))
            #expect(response.data == Data("abc0123456789".utf8) && response.trailers["X-Sum"] == "13")
        }
    }

    // Content codings.
    extension WireRuleTests {
        private func server(_ coding: String, _ body: Data, status: Int = 200) throws -> RawServer {
            try RawServer { connection in
                while try connection.request() != nil {
                    try connection.send(
                        "HTTP/1.1 \(status) Said\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n")
                    try connection.send(body)
                }
            }
        }

        /// The numbers of bytes that are removed from the end of an encoded body of 3,000 bytes.
        static let cuts = [1, 4, 8, 1_500, 3_000]

        @Test(arguments: StoredCoding.allCases, cuts)
        func `a truncated encoded body is an error, even if Content-Length is right`(coding: StoredCoding, cut: Int)
            async throws
        {
            let server = try server(coding.rawValue, coding.encoded(Data.pattern(3_000)).dropLast(cut))
            let session = SocketSessionManager()
            let codes: Set<TransportError.Code> = [.incompleteBody, .undecodableContent]
            let error = try await failure(of: session, server.request("/"))
            #expect(codes.contains(error.code), "\(error)")
            let streamed = await #expect(throws: TransportError.self) {
                try await session.stream(for: server.request("/")).body.collected()
            }
            #expect(streamed.map { codes.contains($0.code) } == true)
        }

        @Test(arguments: StoredCoding.allCases)
        func `a complete encoded body is decoded, and its Content-Encoding field is kept`(coding: StoredCoding) async throws {
            let body = Data.pattern(300_000)
            let server = try server(coding.rawValue, coding.encoded(body))
            let session = SocketSessionManager()
            let response = try await session.response(for: server.request("/"))
            #expect(response.data == body && response.headers["Content-Encoding"] == coding.rawValue)
            #expect(try await session.stream(for: server.request("/")).body.collected() == body)
            #expect(server.connections == 1)
        }

        @Test func `the contents of two gzip members are concatenated (RFC 1952 §2.2)`() async throws {
            let parts = [Data.pattern(1_000), Data.pattern(2_000, seed: 9)]
            let server = try server("gzip", parts.map(StoredCoding.gzip.encoded).reduce(Data(), +))
            let session = SocketSessionManager()
            #expect(try await session.response(for: server.request("/")).data == parts[0] + parts[1])
            #expect(try await session.stream(for: server.request("/")).body.collected() == parts[0] + parts[1])
        }

        @Test func `a damaged gzip body is undecodable, and the request is sent once`() async throws {
            var coded = StoredCoding.gzip.encoded(Data.pattern(3_000))
            coded[coded.count - 6] ^= 1
            let server = try server("gzip", coded)
            #expect(try await failure(of: SocketSessionManager(), server.request("/")).code == .undecodableContent)
            #expect(server.arrivals.count == 1)
        }

        @Test(arguments: ["aws-chunked", "UTF-8", "banana", "identity"], [200, 500])
        func `a body with an unknown coding is returned unchanged`(coding: String, status: Int) async throws {
            let body = Data.pattern(1_000)
            let server = try server(coding, body, status: status)
            let session = SocketSessionManager()
            let response = try await session.response(for: server.request("/"))
            #expect(response.statusCode == status && response.data == body && response.headers["Content-Encoding"] == coding)
            #expect(try await session.stream(for: server.request("/")).body.collected() == body)
        }

        @Test(arguments: [204, 304])
        func `a response without a body may have a Content-Encoding field`(status: Int) async throws {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    let status = request.method == "HEAD" ? 200 : status
                    let length = status == 204 ? "" : "Content-Length: 100\r\n"
                    try connection.send("HTTP/1.1 \(status) Said\r\nContent-Encoding: gzip\r\n\(length)\r\n")
                }
            }
            let session = SocketSessionManager()
            for method in [RequestMethod.get, .head, .get] {
                let response = try await session.response(for: server.request("/", method: method))
                #expect(response.data.isEmpty && response.headers["Content-Encoding"] == "gzip")
            }
            #expect(server.connections == 1)
        }
    }

    // Redirects, whose bodies are ignored.
    extension WireRuleTests {
        struct UnusedBody: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var fields: String
            var send: @Sendable (RawConnection) throws -> Void

            static let all = [
                UnusedBody(testDescription: "10 MB, dripping", fields: "Content-Length: 10000000") { connection in
                    while !connection.waitForBytes(20) { try connection.send("xxxxxxxxxx") }
                },
                UnusedBody(testDescription: "70 MB", fields: "Content-Length: 70000000") { connection in
                    let piece = Data(count: 100_000)
                    for _ in 0..<700 { try connection.send(piece) }
                },
                UnusedBody(testDescription: "endless", fields: "Transfer-Encoding: chunked") { connection in
                    let piece = "10000\r\n\(String(repeating: "x", count: 0x10000))\r\n"
                    while true { try connection.send(piece) }
                },
                UnusedBody(testDescription: "nothing of it", fields: "Content-Length: 5") { _ = $0.waitForBytes(10_000) },
                UnusedBody(testDescription: "truncated", fields: "Content-Length: 5") { try $0.send("xx") },
                UnusedBody(testDescription: "broken chunks", fields: "Transfer-Encoding: chunked") { try $0.send("zz\r\nxx") },
                UnusedBody(testDescription: "broken gzip", fields: "Content-Encoding: gzip\r\nContent-Length: 5") {
                    try $0.send("xxxxx")
                },
                UnusedBody(testDescription: "reset", fields: "Content-Length: 5") { connection in
                    try connection.send("xx")
                    connection.flush()
                    connection.reset()
                },
            ]
        }

        @Test(arguments: UnusedBody.all)
        func `a redirect is followed immediately, even if its body is slow, endless or invalid`(body: UnusedBody) async throws {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    guard request.target == "/from" else {
                        try connection.send(Self.ok("there"))
                        continue
                    }
                    try connection.send("HTTP/1.1 302 Found\r\nLocation: /to\r\n\(body.fields)\r\n\r\n")
                    return try body.send(connection)
                }
            }
            let session = SocketSessionManager()
            let request = server.request("/from", timeouts: RequestTimeouts(total: .seconds(150)))
            let duration = try await elapsed {
                let buffered = try await session.response(for: request).data
                let streamed = try await session.stream(for: request).body.collected()
                #expect(buffered == Data("there".utf8) && streamed == buffered)
            }
            #expect(duration < .seconds(300), "\(duration)")
        }

        @Test func `while a redirect is decided, the body of the request continues, and the response does not`() async throws {
            let (isFirst, isOver) = (Locked(true), DispatchSemaphore(value: 0))
            let server = try RawServer { connection in
                guard
                    isFirst.withLock({ isFirst in
                        defer { isFirst = false }; return isFirst
                    })
                else {
                    while try connection.request() != nil { try connection.send(Self.ok("there")) }
                    return
                }
                while !connection.waitForBytes(1000) {}
                try connection.send("HTTP/1.1 307 Moved\r\nLocation: /to\r\nContent-Length: 5\r\n\r\nmoved")
                isOver.wait()
            }
            defer { isOver.signal() }
            let session = SocketSessionManager()
            let (stream, chunks) = AsyncStream<Data>.makeStream()
            chunks.yield(Data("a".utf8))
            var request = server.request("/from")
            request.method = .put
            request.body = .stream(stream)
            request.redirects = .decide { [other = server.request("/other")] _ in
                chunks.yield(Data("b".utf8))
                // When this has ended, the loop has continued the body.
                let done = DispatchSemaphore(value: 0)
                session.response(for: other) { _ in done.signal() }
                done.wait()
                return .follow
            }
            let result = await withCheckedContinuation { continuation in
                _ = session.response(for: request) { continuation.resume(returning: $0) }
            }
            guard case .failure(let error) = result else { return #expect(Bool(false), "\(result)") }
            #expect(error.code == .bodyNotReplayable, "\(error)")
        }

        @Test func `the connection of a redirect with a small body is reused`() async throws {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    let isFrom = request.target == "/from"
                    try connection.send(
                        isFrom ? "HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 5\r\n\r\nmoved" : Self.ok("there"))
                }
            }
            _ = try await SocketSessionManager().response(for: server.request("/from"))
            #expect(server.connections == 1)
        }
    }
#endif
