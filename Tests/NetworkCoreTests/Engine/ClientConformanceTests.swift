#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import TestSupport
    import Testing
    import TransferTestSupport

    /// The rules that the conformance suite of Swift's HTTP API checks (Docs/HTTPAPIs.md), with the names of its cases; `testETag` is a test of the cache.
    @Suite(.timeLimit(.minutes(5)), .alsoOnEventLoops)
    struct ClientConformanceTests {
        private let server: RawServer
        private let session: any ClosableSessionManager

        init() throws {
            server = try RawServer { try Self.serve($0) }
            session = testedSession { $0.cookies = .separate }
        }

        // MARK: The server

        private static func head(_ status: String, _ fields: String...) -> String {
            "HTTP/1.1 \(status)\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
        }

        /// What is sent for a path, after which the connection is closed.
        private static let raw = [
            "/not-http": "FOOBAR", "/lowercase": "Http/1.1 200 OK\r\n\r\n", "/no-reason": "HTTP/1.1 200\r\n\r\n",
            "/204": head("204 No Content", "Content-Length: 1000"), "/304": head("304 Not Modified", "Content-Length: 1000"),
            "/incomplete": head("200 OK", "Content-Length: 1000") + "1234", "/no-length": head("200 OK") + "1234",
            "/conflicting": head("200 OK", "Content-Length: 10, 4") + "1234",
        ]

        /// A text in each content coding.
        private static let coded: [String: [UInt8]] = [
            "gzip": [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 11, 113, 13, 14, 225, 2, 0, 190, 215, 131, 247, 5, 0, 0, 0],
            "deflate": [120, 156, 11, 113, 13, 14, 225, 2, 0, 4, 104, 1, 75], "br": [11, 2, 128, 84, 69, 83, 84, 10, 3],
        ]

        private static func serve(_ connection: RawConnection) throws {
            while let request = try connection.head() {
                let path = String(request.target.prefix { $0 != "?" })
                let name = String(path.dropFirst())
                if let text = raw[path] {
                    _ = try connection.body(of: request)
                    return try connection.send(text)
                }
                switch path {
                case "/echo": try echo(request, connection)
                case "/speak": try speak(request, connection)
                case "/stall": connection.waitForHangUp()
                case "/stall-body":
                    try connection.send(head("200 OK", "Content-Length: 10") + "1")
                    connection.waitForHangUp()
                case "/large":
                    try connection.send(head("200 OK", "Content-Length: 1000000"))
                    try connection.send([UInt8](repeating: UInt8(ascii: "A"), count: 1_000_000))
                case "/gzip", "/deflate", "/br":
                    let body = coded[name] ?? []
                    try connection.send(head("200 OK", "Content-Encoding: \(name)", "Content-Length: \(body.count)"))
                    try connection.send(body)
                case "/301", "/308", "/ping", "/pong":
                    let target = ["/ping": "/pong", "/pong": "/ping"][path] ?? "/request"
                    let status = Int(name) ?? 302
                    try connection.send(head("\(status) Moved", "Location: \(target)", "Content-Length: 0"))
                case "/many": try connection.send(head("200 OK", "X-Test: one", "X-Test: two", "Content-Length: 0"))
                case "/cookie": try connection.send(head("200 OK", "Set-Cookie: foo=7; Path=/", "Content-Length: 0"))
                case "/head": try connection.send(head("200 OK", "Content-Length: 1000"))
                case "/trailers":
                    try connection.send(
                        head("200 OK", "Transfer-Encoding: chunked")
                            + "d\r\nResponse body\r\n0\r\nX-Trailer-One: first\r\nX-Checksum: abc\r\n\r\n"
                    )
                case "/request":
                    // The request as it was received: its head, and its body with trailers.
                    let body = try connection.body(of: request)
                    let text = Data(request.text.utf8) + body
                    try connection.send(head("200 OK", "Content-Length: \(text.count)"))
                    try connection.send(text)
                default:
                    _ = try connection.body(of: request)
                    try connection.send(head("\(name) Status", "Content-Length: 0"))
                }
            }
        }

        /// Sends each chunk of the body back as soon as it has arrived.
        private static func echo(_ request: RawRequest, _ connection: RawConnection) throws {
            try connection.send(head("200 OK", "Transfer-Encoding: chunked"))
            guard request.isChunked else {
                let body = try connection.take(request.length)
                return try connection.send(Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n0\r\n\r\n".utf8))
            }
            while let chunk = try nextChunk(connection) {
                try connection.send(Data("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Data("\r\n".utf8))
            }
            try connection.send("0\r\n\r\n")
        }

        /// Sends a byte first, and another one after each that has arrived, a hundred in all.
        private static func speak(_ request: RawRequest, _ connection: RawConnection) throws {
            try connection.send(head("200 OK", "Transfer-Encoding: chunked") + "1\r\nA\r\n")
            for _ in 1..<100 {
                _ = try nextChunk(connection)
                try connection.send("1\r\nA\r\n")
            }
            try connection.send("0\r\n\r\n")
            while try nextChunk(connection) != nil {}
        }

        private static func nextChunk(_ connection: RawConnection) throws -> [UInt8]? {
            func line() throws -> String {
                var line: [UInt8] = []
                while let byte = try connection.take(1).first, byte != 0x0A { if byte != 0x0D { line.append(byte) } }
                return String(decoding: line, as: UTF8.self)
            }
            let count = try #require(Int(try line(), radix: 16))
            let chunk = try connection.take(count)
            _ = try line()
            return count == 0 ? nil : chunk
        }

        private func text(_ path: String, _ method: RequestMethod = .get, _ headers: HeaderFields = [:], _ body: String? = nil)
            async throws -> String
        {
            let request = server.request(path, method: method, headers: headers, body: body.map { Data($0.utf8) })
            let response = try await session.response(for: request)
            #expect(response.statusCode == 200)
            return response.text
        }

        // MARK: Responses

        /// `testNotHTTP`, `testBadHTTPCase`, `testIncompleteBody`, `testConflictingContentLength`
        @Test(arguments: [
            ("/not-http", TransportError.Code.malformedResponse), ("/lowercase", .malformedResponse),
            ("/incomplete", .incompleteBody),
            ("/conflicting", .malformedResponse),
        ])
        func `what is not HTTP, ends early or has two lengths is an error`(
            path: String, code: TransportError.Code
        ) async {
            let error = await #expect(throws: TransportError.self) { try await session.response(for: server.request(path)) }
            #expect(error?.code == code)
        }

        /// `testNoReason`, `testNoLengthHint`, `test204WithContentLength`, `test304WithContentLength`, `testNotFound`, `testStatusOutOfRangeButValid`
        @Test(arguments: [
            ("/no-reason", 200, ""), ("/no-length", 200, "1234"), ("/204", 204, ""), ("/304", 304, ""), ("/404", 404, ""),
            ("/999", 999, ""),
        ])
        func `statuses have a body or none`(
            path: String, status: Int, text: String
        ) async throws {
            let response = try await session.response(for: server.request(path))
            #expect(response.statusCode == status && response.text == text)
        }

        /// `testOk`
        @Test(arguments: [RequestMethod.head, .get, .put, .post, .delete])
        func `an empty response is one for each method`(method: RequestMethod) async throws {
            let response = try await session.response(for: server.request("/200", method: method))
            #expect(response.statusCode == 200 && response.data.isEmpty && response.trailers.fields.isEmpty)
        }

        /// `testHeadWithContentLength`
        @Test func `the response to HEAD has a length and no body`() async throws {
            let response = try await session.response(for: server.request("/head", method: .head))
            #expect(response.data.isEmpty && response.headers["Content-Length"] == "1000")
        }

        /// `testGzip`, `testDeflate`, `testBrotli`
        @Test(arguments: ["gzip", "deflate", "br"])
        func `content codings are undone`(coding: String) async throws {
            let response = try await session.response(for: server.request("/" + coding))
            #expect(response.text == "TEST\n" && response.headers["Content-Encoding"] == coding)
        }

        /// `testServerSendsMultiValueHeader`
        @Test func `a field with several lines has all values`() async throws {
            let response = try await session.response(for: server.request("/many"))
            #expect(response.headers.values(for: "X-Test") == ["one", "two"])
        }

        /// `testTrailerRead`
        @Test func `trailers follow the body`() async throws {
            let response = try await session.response(for: server.request("/trailers"))
            #expect(response.text == "Response body" && response.trailers["X-Trailer-One"] == "first")
            #expect(response.trailers["X-Checksum"] == "abc")
        }

        // MARK: Requests

        /// `testCustomHeader`, `testClientSendsEmptyHeaderValue`, `testClientSendsMultiValueHeader`
        @Test func `fields are sent as they are, also empty ones and several of a name`()
            async throws
        {
            var headers: HeaderFields = ["X-Foo": "BARbaz", "X-Empty": ""]
            headers.add("one", for: "X-Test")
            headers.add("two", for: "X-Test")
            let request = RawRequest(Array(try await text("/request", .post, headers, "Hello World").utf8)[...])
            #expect(request["x-foo"] == "BARbaz" && request["x-empty"]?.isEmpty == true)
            #expect(request.fields.filter { $0.name == "x-test" }.flatMap { $0.value.split(separator: ", ") } == ["one", "two"])
        }

        /// `testEchoString`, `testEcho1MBBody`, `testIdentity`, `testGetConvenience`, `testPostConvenience`
        @Test func `bodies are sent whole`()
            async throws
        {
            let large = String(repeating: "A", count: 1_000_000)
            #expect(try await text("/echo", .post, [:], large) == large)
            #expect(try await text("/echo", .post, [:], "Hello World") == "Hello World")
            #expect(try await text("/request").hasPrefix("GET /request HTTP/1.1\r\n"))
            let posted = try await text("/request", .post, [:], "Hello World")
            #expect(posted.hasPrefix("POST /request ") && posted.hasSuffix("Hello World"))
        }

        /// `testEmptyChunkedBody`
        @Test func `a stream without elements is an empty body`() async throws {
            let body = NetworkBody.stream(AsyncStream<Data> { $0.finish() }, length: nil)
            let request = NetworkRequest(method: .post, url: server.request("/echo").url, body: body)
            #expect(try await session.response(for: request).data.isEmpty)
        }

        /// `testURLParams`
        @Test func `the query is sent as it is`() async throws {
            let text = try await text("/request?foo=bar&bar=baz&qux=&foo=phew")
            #expect(text.hasPrefix("GET /request?foo=bar&bar=baz&qux=&foo=phew HTTP/1.1\r\n"))
        }

        /// `testTrailerWrite`
        @Test func `trailers of a request follow its body`() async throws {
            let body = NetworkBody.stream(
                AsyncStream<Data> { continuation in
                    continuation.yield(Data("Hello World".utf8))
                    continuation.finish()
                }, length: nil
            ).withTrailers { ["X-One": "first", "X-Two": "second"] }
            let sent = Locked("")
            let server = try RawServer { connection in
                guard let request = try connection.head() else { return }
                sent.withLock { $0 = request.text }
                var lines = ""
                while !lines.hasSuffix("\r\n\r\n") { lines += String(decoding: try connection.take(1), as: UTF8.self) }
                sent.withLock { $0 += lines }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
            let request = NetworkRequest(method: .post, url: server.request("/").url, body: body)
            #expect(try await session.response(for: request).statusCode == 200)
            let text = sent.withLock(\.self)
            #expect(text.contains("Hello World\r\n0\r\nX-One: first\r\nX-Two: second\r\n\r\n"), "\(text)")
        }

        // MARK: Redirects and cookies

        /// `testBasicRedirect`
        @Test(arguments: ["/301", "/308"]) func `redirects are followed`(path: String) async throws {
            #expect(try await text(path).hasPrefix("GET /request "))
        }

        /// `testInfiniteRedirect`
        @Test func `redirects without end are an error`() async {
            let error = await #expect(throws: TransportError.self) { try await session.response(for: server.request("/ping")) }
            #expect(error?.code == .tooManyRedirects)
        }

        /// `testBasicCookieSetAndUse`
        @Test func `a cookie is sent back`() async throws {
            _ = try await session.response(for: server.request("/cookie"))
            #expect(RawRequest(Array(try await text("/request").utf8)[...])["cookie"] == "foo=7")
        }

        // MARK: Streams and cancellation

        /// `testStressTest`
        @Test func `a hundred requests at the same time succeed`() async throws {
            let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<100 { group.addTask { try await !text("/request").isEmpty } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(count == 100)
        }

        /// `testEchoInterleave`
        @Test func `each piece of a body is echoed before the next one is sent`() async throws {
            let (pieces, continuation) = AsyncStream<Data>.makeStream()
            continuation.yield(Data("A".utf8))
            let url = server.request("/echo").url
            let response = try await session.stream(
                for: NetworkRequest(method: .post, url: url, body: .stream(pieces, length: nil)))
            var count = 0
            for try await chunk in response.body {
                #expect(chunk == Data("A".utf8))
                count += 1
                if count == 1000 { continuation.finish() } else { continuation.yield(chunk) }
            }
            #expect(count == 1000)
        }

        /// `testSpeakInterleave`
        @Test func `the server may speak first`() async throws {
            let (pieces, continuation) = AsyncStream<Data>.makeStream()
            let url = server.request("/speak").url
            let response = try await session.stream(
                for: NetworkRequest(method: .post, url: url, body: .stream(pieces, length: nil)))
            var count = 0
            for try await chunk in response.body {
                count += chunk.count
                if count < 100 { continuation.yield(chunk) }
            }
            continuation.finish()
            #expect(count == 100)
        }

        /// `testUnderRead`, `testDripRead`
        @Test func `a body is read in part, or in small pieces`() async throws {
            let request = server.request("/large")
            do {
                var chunks = try await session.stream(for: request).body.makeAsyncIterator()
                #expect(try await chunks.next()?.first == UInt8(ascii: "A"))
            }
            var body = Data()
            for try await byte in try await session.stream(for: request).body {
                body += byte
                await Task.yield()
            }
            #expect(body == Data(repeating: UInt8(ascii: "A"), count: 1_000_000))
        }

        /// `testCancelPreHeaders`, `testCancelPreBody`
        @Test func `a call is cancelled before the head, and during the body`() async throws {
            let waiting = Task { try await session.response(for: server.request("/stall")) }
            while server.arrivals.isEmpty { await Task.yield() }
            waiting.cancel()
            let early = await #expect(throws: TransportError.self) { try await waiting.value }
            #expect(early?.code == .cancelled)
            let response = try await session.stream(for: server.request("/stall-body"))
            let reading = Task {
                var count = 0
                for try await chunk in response.body { count += chunk.count }
                return count
            }
            reading.cancel()
            let late = await #expect(throws: TransportError.self) { try await reading.value }
            #expect(late?.code == .cancelled)
        }
    }
#endif
