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

    /// Trailers of requests (RFC 9110 §6.5, RFC 9112 §7.1.2), which are made once per attempt after the last byte of the body.
    @Suite(.timeLimit(.ofStorm), .alsoOnEventLoops) struct RequestTrailerTests {
        /// A chunked request as it was received.
        private struct Received: Equatable, Sendable {
            var body = Data()
            var trailers: [String] = []
        }

        /// A server that stores all chunked requests; `respond` gets the head and the number of the request, counted from 0.
        private final class Server: Sendable {
            let server: RawServer
            private let received: Locked<[Received]>

            init(_ respond: @escaping @Sendable (RawRequest, Int) -> String? = { _, _ in WireRuleTests.ok("x") }) throws {
                let received = Locked<[Received]>([])
                self.received = received
                server = try RawServer { connection in
                    while let head = try connection.head() {
                        guard head.isChunked else {
                            _ = try connection.body(of: head)
                            try connection.send(WireRuleTests.ok("plain"))
                            continue
                        }
                        var request = Received()
                        request.body = try connection.chunks()
                        request.trailers = try connection.trailers()
                        let number = received.withLock { received in
                            received.append(request)
                            return received.count - 1
                        }
                        guard let response = respond(head, number) else { return }
                        try connection.send(response)
                    }
                }
            }

            var requests: [Received] { received.withLock(\.self) }

            func request(_ body: NetworkBody, to path: String = "/", headers: HeaderFields = [:]) -> NetworkRequest {
                var request = server.request(path, method: .put, headers: headers)
                request.body = body
                return request
            }
        }

        private static func counting(_ body: NetworkBody, _ names: [String] = []) -> NetworkBody {
            let attempts = Locked(0)
            return body.withTrailers(names) {
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                return ["X-Attempt": "\(attempt)"]
            }
        }

        @Test(arguments: [0, 1, 16_384, 16_385, 600_000])
        func `every kind of body is sent in chunks, with its digest as a trailer`(count: Int) async throws {
            let server = try Server()
            let session = SocketSessionManager()
            let content = Data.pattern(count)
            let file = try TemporaryFile(content)
            let parts = ContentSequence([
                .init(.data(content)), .init(.file(file.url)), .init(.stream(Pieces(of: content, size: 5000))),
            ])
            let bodies: [(NetworkBody, Data)] = [
                (.data(content), content), (.file(file.url), content), (.stream(Pieces(of: content, size: 70_001)), content),
                (.stream(Pieces(of: content, size: 999), length: Int64(count)), content),
                (NetworkBody(source: .sequence(parts)), content + content + content),
            ]
            for (body, bytes) in bodies {
                let response = try await session.response(for: server.request(body.withDigestTrailer()))
                #expect(response.statusCode == 200)
                let digest = Data(SHA256.digest(of: bytes)).base64EncodedString()
                #expect(server.requests.last == Received(body: bytes, trailers: ["Content-Digest: sha-256=:\(digest):"]))
                #expect(response.timings.bytesSent == Int64(bytes.count))
            }
            #expect(server.server.connections == 1)
            for arrival in server.server.arrivals {
                #expect(arrival.request["trailer"] == "Content-Digest" && arrival.request["content-length"] == nil)
            }
        }

        @Test func `an own Trailer field is kept, and nothing is announced without names`() async throws {
            let server = try Server()
            let body = NetworkBody.data(Data("a".utf8))
            let session = SocketSessionManager()
            _ = try await session.response(for: server.request(Self.counting(body, ["X-Attempt"]), headers: ["trailer": "X-Own"]))
            _ = try await session.response(for: server.request(Self.counting(body)))
            _ = try await session.response(for: server.request(Self.counting(body, ["X-Attempt", "X-B"])))
            let announced = server.server.arrivals.map { arrival in
                arrival.request.fields.filter { $0.name == "trailer" }.map(\.value)
            }
            #expect(announced == [["X-Own"], [], ["X-Attempt, X-B"]])
            #expect(server.requests.map(\.trailers) == [["X-Attempt: 1"], ["X-Attempt: 1"], ["X-Attempt: 1"]])
        }

        @Test func `trailers are made after the last byte, after a 100 too`() async throws {
            let server = try RawServer { connection in
                guard let head = try connection.head() else { return }
                try connection.send("HTTP/1.1 100 Continue\r\n\r\n")
                let body = try connection.chunks()
                let trailers = try connection.trailers()
                try connection.send(WireRuleTests.ok("\(head["expect"] ?? "") \(body.count) \(trailers)"))
            }
            let produced = Locked(0)
            var request = server.request("/", method: .post, headers: ["Expect": "100-continue"])
            request.body = .stream(Pieces(of: Data(count: 10), size: 3).watched { count in produced.withLock { $0 = count } })
                .withTrailers { ["X-Produced": "\(produced.withLock(\.self))"] }
            let response = try await SocketSessionManager().response(for: request)
            #expect(String(decoding: response.data, as: UTF8.self) == #"100-continue 10 ["X-Produced: 10"]"#)
        }

        @Test(arguments: [307, 308]) func `a redirect that keeps the body sends trailers that are made again`(status: Int)
            async throws
        {
            let server = try Server { head, _ in
                guard head.target == "/from" else { return WireRuleTests.ok("x") }
                return "HTTP/1.1 \(status) x\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n"
            }
            let content = Data.pattern(50_000)
            let body = Self.counting(.data(content), ["X-Attempt"])
            let response = try await SocketSessionManager().response(for: server.request(body, to: "/from"))
            #expect(response.timings.redirects == 1)
            #expect(
                server.requests == [
                    Received(body: content, trailers: ["X-Attempt: 1"]), Received(body: content, trailers: ["X-Attempt: 2"]),
                ])
        }

        @Test func `a redirect to GET sends neither body nor trailers`() async throws {
            let server = try Server { head, _ in "HTTP/1.1 303 x\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n" }
            let body = Self.counting(.data(Data("a".utf8)), ["X-Attempt"])
            let response = try await SocketSessionManager().response(for: server.request(body, to: "/from"))
            #expect(response.data == Data("plain".utf8) && server.requests.count == 1)
            let last = server.server.arrivals.last?.request
            #expect(last?.method == "GET" && last?["trailer"] == nil && last?["transfer-encoding"] == nil)
        }

        @Test func `a request that is repeated on a new connection has trailers that are made again`() async throws {
            let server = try Server { _, number in number == 1 ? nil : WireRuleTests.ok("x") }
            let session = SocketSessionManager()
            let body = Self.counting(.data(Data("a".utf8)))
            for _ in 0..<2 { #expect(try await session.response(for: server.request(body)).statusCode == 200) }
            #expect(server.server.connectionNumbers == [0, 0, 1])
            #expect(server.requests.map(\.trailers) == [["X-Attempt: 1"], ["X-Attempt: 2"], ["X-Attempt: 3"]])
        }

        @Test func `a random body in random pieces arrives with random trailers`() async throws {
            let server = try Server()
            let session = SocketSessionManager()
            var random = SeededGenerator(seed: 5)
            for _ in 0..<runs(40, slow: 150) {
                let content = Data.pattern(Int.random(in: 0...60_000, using: &random))
                let fields = (0..<Int.random(in: 0...20, using: &random)).map { index in
                    HeaderFields.Field(
                        name: "X-\(index % 7)",
                        value: String(repeating: "v é,;\t\"", count: Int.random(in: 0...30, using: &random)))
                }
                let body = NetworkBody.stream(Pieces(of: content, size: Int.random(in: 1...70_000, using: &random)))
                    .withTrailers { HeaderFields(fields) }
                _ = try await session.response(for: server.request(body))
                #expect(server.requests.last?.body == content)
                #expect(
                    server.requests.last?.trailers == fields.map { $0.value.isEmpty ? "\($0.name):" : "\($0.name): \($0.value)" })
            }
            #expect(server.server.connections == 1)
        }

        @Test(arguments: [
            ("Content-Type", "a/b"), ("Host", "a"), ("Transfer-Encoding", "chunked"), ("X-A", "a\r\nB: c"), ("X A", "a"),
            ("authorization", "secret-value-123"), ("X-Long", String(repeating: "a", count: 65_536)),
        ])
        func `an invalid trailer field ends the transfer with an error that names it`(name: String, value: String) async throws {
            let server = try Server()
            let session = SocketSessionManager()
            let body = NetworkBody.data(Data("a".utf8)).withTrailers { [name: value] }
            let error = await #expect(throws: TransportError.self) { try await session.response(for: server.request(body)) }
            #expect(error?.code == .bodyFailed && error?.phase == .send)
            let cause = try #require(error?.underlying as? RequestGenerationError)
            #expect(cause.field == .headerName(name) || cause.field == .headerValue(name))
            #expect(error?.description.contains(name) == true && error?.description.contains("secret-value-123") == false)
            #expect(server.requests.isEmpty)
            #expect(try await session.response(for: server.request(.data(Data()).withDigestTrailer())).statusCode == 200)
        }

        @Test func `an error of the closure ends the transfer, and so does a cancellation while it runs`() async throws {
            struct Broken: Error {}
            let server = try Server()
            let session = SocketSessionManager()
            let failing = NetworkBody.data(Data("a".utf8)).withTrailers { throw Broken() }
            let error = await #expect(throws: TransportError.self) { try await session.response(for: server.request(failing)) }
            #expect(error?.code == .bodyFailed && error?.underlying is Broken)
            let began = Watched(false)
            let endless = NetworkBody.data(Data("a".utf8)).withTrailers {
                began.withLock { $0 = true }
                try await Task.sleep(for: .seconds(1000))
                return [:]
            }
            let task = Task { [request = server.request(endless)] in try await session.response(for: request) }
            await began.wait { $0 }
            task.cancel()
            let cancelled = await #expect(throws: TransportError.self) { try await task.value }
            #expect(cancelled?.code == .cancelled)
        }

        @Test func `with URLSession, trailers are an error before anything is sent`() async throws {
            let server = try Server()
            let made = Locked(0)
            let body = NetworkBody.data(Data("a".utf8)).withTrailers {
                made.withLock { $0 += 1 }
                return [:]
            }
            let session = URLSessionManager()
            let error = await #expect(throws: TransportError.self) { try await session.response(for: server.request(body)) }
            #expect(error?.code == .unsupported && error?.message.contains("URLSession") == true)
            #expect(server.server.connections == 0 && made.withLock(\.self) == 0)
        }
    }

    extension RawConnection {
        /// Reads a chunked body up to its last chunk.
        fileprivate func chunks() throws -> Data {
            var body = Data()
            while true {
                let size = try textLine()
                guard let size = Int(size, radix: 16) else { throw Failure.malformed }
                if size == 0 { return body }
                body.append(contentsOf: try take(size))
                guard try textLine().isEmpty else { throw Failure.malformed }
            }
        }

        /// Reads the lines of a trailer section.
        fileprivate func trailers() throws -> [String] {
            var lines: [String] = []
            while case let line = try textLine(), !line.isEmpty { lines.append(line) }
            return lines
        }

        private func textLine() throws -> String {
            var bytes: [UInt8] = []
            while bytes.suffix(2) != [0x0D, 0x0A] { bytes += try take(1) }
            return String(decoding: bytes.dropLast(2), as: UTF8.self)
        }
    }
#endif
