#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.minutes(10)))
    struct EngineFaultTests {
        struct Fault: Sendable, CustomTestStringConvertible {
            var name: String
            var code: TransportError.Code
            var response: LoopbackResponse
            var testDescription: String { name }

            init(_ name: String, _ code: TransportError.Code, _ response: LoopbackResponse) {
                self.name = name
                self.code = code
                self.response = response
            }
        }

        static let body = LoopbackResponse.text(String(repeating: "x", count: 5000))

        static let faults = [
            Fault("reset before any byte", .connectionLost, body.fault(.reset)),
            Fault("reset inside the head", .connectionLost, body.fault(.resetHead(after: 20))),
            Fault("reset inside the body", .connectionLost, body.fault(.resetBody(after: 100))),
            Fault("close before any byte", .connectionLost, .raw(Data())),
            Fault("close inside the headers", .connectionLost, body.fault(.truncateHead(after: 30))),
            Fault("truncated body", .incompleteBody, body.fault(.truncateBody(after: 100))),
            Fault(
                "truncated chunked body", .incompleteBody,
                LoopbackResponse.chunked([Data(count: 100)]).fault(.truncateBody(after: 10))),
            Fault("malformed status line", .malformedResponse, body.fault(.malformedStatusLine)),
            Fault("garbage", .malformedResponse, body.fault(.garbage(bytes: 5000))),
            Fault("bad chunk size", .malformedResponse, LoopbackResponse.chunked([Data(count: 10)]).fault(.badChunkSize("xyz"))),
            Fault("a header line of 1 MB", .headersTooLarge, body.fault(.headerLine(bytes: 1 << 20))),
            Fault("20,000 header lines", .headersTooLarge, body.fault(.headerLines(count: 20_000))),
            Fault("several lengths", .malformedResponse, body.fault(.contentLengths("5000", "4000"))),
            Fault("a length that is no number", .malformedResponse, body.fault(.contentLengths("banana"))),
            Fault("a negative length", .malformedResponse, body.fault(.contentLengths("-1"))),
            Fault("a length beyond all", .malformedResponse, body.fault(.contentLengths("99999999999999999999999"))),
            Fault("an unknown protocol", .malformedResponse, body.fault(.statusLine(Data("ICY 200 OK".utf8)))),
            Fault("an unknown version", .malformedResponse, body.fault(.statusLine(Data("HTTP/7.3 200 OK".utf8)))),
            Fault("a status of two digits", .malformedResponse, body.fault(.statusLine(Data("HTTP/1.1 99 Low".utf8)))),
            Fault("no status line", .malformedResponse, body.fault(.statusLine(Data()))),
            Fault("silence", .timedOut, body.fault(.stall)),
            Fault("silence inside the head", .timedOut, body.fault(.stallHead(after: 20))),
            Fault("silence inside the body", .timedOut, body.fault(.stallBody(after: 20))),
            Fault("endless body", .bodyTooLarge, body.fault(.endlessBody)),
            Fault("damaged gzip", .undecodableContent, body.header("gzip", for: "Content-Encoding")),
        ]

        @Test(arguments: faults)
        func `a faulty response is a typed error, and the session manager stays usable`(fault: Fault) async throws {
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/fault") { _ in fault.response }
                LoopbackRoute(.get, "/good") { _ in .text("good") }
            }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 4 << 20 })
            var request = server.request("/fault")
            if fault.code == .timedOut { request.timeouts.idle = .milliseconds(100) }
            let error = try await failure(of: session, request)
            #expect(error.code == fault.code, "\(error)")
            #expect(error.request == "GET \(server.url("/fault").absoluteString)")
            try await session.expectGoodResponses(server)
        }

        @Test(arguments: [false, true])
        func `a response head that is truncated at any position is a typed error`(isReset: Bool) async throws {
            let server = try LoopbackServer { request in
                guard let bytes = Int(request.path.dropFirst()) else { return .text("good") }
                return LoopbackResponse.text("x").fault(isReset ? .resetHead(after: bytes) : .truncateHead(after: bytes))
            }
            let session = SocketSessionManager()
            for bytes in 0..<60 {
                let error = try await failure(of: session, server.request("/\(bytes)"))
                // libcurl interprets an incomplete status line as HTTP/0.9, which it refuses.
                #expect([.connectionLost, .malformedResponse].contains(error.code), "after \(bytes) bytes: \(error)")
            }
            try await session.expectGoodResponses(server)
        }

        @Test(arguments: [0, 1, 10_000, 300_000], [true, false])
        func `a connection that is closed during an upload is a typed error`(bytes: Int, isReset: Bool) async throws {
            let bad = try AbruptListener(after: bytes, resets: isReset)
            let server = try LoopbackServer { _ in .text("good") }
            let session = SocketSessionManager()
            for method in [RequestMethod.post, .put] {
                let request = NetworkRequest(method: method, url: bad.url, body: .data(Data(count: 8_000_000)))
                let error = try await failure(of: session, request)
                // A reset may arrive while the connection is still being established.
                #expect(error.code == .connectionLost || (bytes == 0 && error.code == .cannotConnect), "\(error)")
            }
            #expect(bad.connections == 2, "requests on new connections are not retried")
            try await session.expectGoodResponses(server)
        }

        @Test func `requests succeed after the server has closed idle connections`() async throws {
            let server = try LoopbackServer { _ in .text("good") }
            let session = SocketSessionManager()
            for method in [RequestMethod.get, .post, .get, .post] {
                _ = try await session.response(for: server.request("/good"))
                server.closeConnections()
                #expect(await server.waitForOpenConnections(count: 0))
                // The server closes descriptors on its queue, so they are closed when it has responded to another client.
                _ = try await SocketSessionManager().response(for: server.request("/good"))
                #expect(try await session.response(for: server.request("/good", method: method)).statusCode == 200)
            }
            try await session.expectGoodResponses(server)
        }

        @Test(arguments: [
            Fault("chunked trailers", .other, .chunked([Data("ok".utf8)], trailers: ["X-A": "1"])),
            Fault("drip", .other, LoopbackResponse.text("ok").fault(.drip(bytes: 1, every: .milliseconds(5)))),
            Fault("slow head", .other, LoopbackResponse.text("ok").fault(.dripHead(bytes: 10, every: .milliseconds(2)))),
            Fault("delay", .other, LoopbackResponse.text("ok").delayed(by: .milliseconds(50))),
            Fault("closed after the response", .other, LoopbackResponse.text("ok").fault(.closeAfter)),
            Fault("100 header lines", .other, LoopbackResponse.text("ok").fault(.headerLines(count: 100))),
            Fault("a header line of 50 KB", .other, LoopbackResponse.text("ok").fault(.headerLine(bytes: 50_000))),
        ])
        func `unusual but valid responses are accepted`(fault: Fault) async throws {
            let server = try LoopbackServer { _ in fault.response }
            let session = SocketSessionManager()
            for _ in 0..<3 {
                let response = try await session.response(for: server.request("/"))
                #expect(response.data == Data("ok".utf8))
            }
        }

        @Test func `a refused connection is a connection error in the connect phase`() async throws {
            // No program listens on port 1, and the system never assigns it to a test.
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let error = try await failure(of: SocketSessionManager(), NetworkRequest(url: url))
            #expect(error.code == .cannotConnect && error.phase == .connect && error.isConnectivity && error.isRetryable)
        }

        @Test func `an unknown host is reported as a failed name lookup`() async throws {
            let url = try #require(URL(string: "http://\(unknownHost)/"))
            let error = try await failure(of: SocketSessionManager(), NetworkRequest(url: url))
            #expect(error.code == .nameLookupFailed && error.phase == .nameLookup && error.isConnectivity)
        }

        @Test(arguments: [LoopbackListenerBehavior.closeOnAccept, .resetOnAccept])
        func `a connection that the server closes when it accepts it is a connectivity error`(behavior: LoopbackListenerBehavior)
            async throws
        {
            let server = try LoopbackServer(configuration: LoopbackServerConfiguration(behavior: behavior)) { _ in .text("") }
            let error = try await failure(of: SocketSessionManager(), server.request("/"))
            // A reset may arrive while the connection is still being established.
            #expect(error.isConnectivity && error.phase != .nameLookup, "\(error)")
        }

        @Test func `the body limit counts decompressed bytes, and stops a decompression bomb`() async throws {
            // 200 MB of zeros in about 1.3 MB.
            let bomb = Self.deflatedZeros.content
            let server = try LoopbackServer { request in
                request.path == "/" ? LoopbackResponse(headers: ["Content-Encoding": "deflate"], body: bomb) : .text("good")
            }
            let session = SocketSessionManager()
            let error = try await failure(of: session, server.request("/"))
            try await session.expectGoodResponses(server)
            #expect(
                error.code == .bodyTooLarge && error.message.contains("67108864") && error.message.contains("maximumBodyBytes"))
        }

        @Test func `a stream that is decompressed faster than it is read is received completely`() async throws {
            let bomb = Self.deflatedZeros.content
            let server = try LoopbackServer { _ in LoopbackResponse(headers: ["Content-Encoding": "deflate"], body: bomb) }
            let response = try await SocketSessionManager().stream(for: server.request("/"))
            var count = 0
            for try await chunk in response.body { count += chunk.count }
            #expect(count == Self.deflatedZeros.count)
        }

        @Test func `a body of exactly the maximum size is accepted, and a larger one is an error`() async throws {
            let server = try LoopbackServer { request in .data(Data(count: Int(request.path.dropFirst()) ?? 0)) }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 100_000 })
            #expect(try await session.response(for: server.request("/100000")).data.count == 100_000)
            #expect(try await failure(of: session, server.request("/100001")).code == .bodyTooLarge)
        }

        /// About 200,000,000 zeros in zlib's format (RFC 1950, RFC 1951 §3.2.6): one literal zero, then copies of 258 bytes from
        /// the preceding byte.
        private static let deflatedZeros: (content: Data, count: Int) = {
            let copies = 775_194
            let count = 1 + copies * 258
            var content: [UInt8] = [0x78, 0x9C]
            var bits: UInt64 = 0
            var width: UInt64 = 0
            // Huffman codes are packed starting with their most significant bit, so they are written here in reverse.
            func append(_ code: UInt64, _ codeWidth: UInt64) {
                bits |= code << width
                width += codeWidth
                while width >= 8 {
                    content.append(UInt8(truncatingIfNeeded: bits))
                    bits >>= 8
                    width -= 8
                }
            }
            append(0b011, 3)
            append(0b0000_1100, 8)
            for _ in 0..<copies { append(0b00000_1010_0011, 13) }
            append(0, 7)
            // Padding to the end of the byte.
            append(0, (8 - width) % 8)
            let sum = UInt32(count % 65521) << 16 | 1
            content += withUnsafeBytes(of: sum.bigEndian, Array.init)
            return (Data(content), count)
        }()
    }
#endif
