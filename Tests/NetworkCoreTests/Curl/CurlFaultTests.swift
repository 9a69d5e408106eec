#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing

    @Suite(.timeLimit(.minutes(1)))
    struct CurlFaultTests {
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
            Fault("bad chunk size", .connectionLost, LoopbackResponse.chunked([Data(count: 10)]).fault(.badChunkSize("xyz"))),
            Fault("a header line of 1 MB", .headersTooLarge, body.fault(.headerLine(bytes: 1 << 20))),
            Fault("20,000 header lines", .headersTooLarge, body.fault(.headerLines(count: 20_000))),
            Fault("endless body", .bodyTooLarge, body.fault(.endlessBody)),
            Fault("unknown content coding", .undecodableContent, body.header("Content-Encoding", "banana")),
            Fault("damaged gzip", .undecodableContent, body.header("Content-Encoding", "gzip")),
        ]

        @Test(arguments: faults)
        func `a fault is a typed error, and the session goes on`(fault: Fault) async throws {
            let server = try LoopbackServer {
                Route(.get, "/fault") { _ in fault.response }
                Route(.get, "/good") { _ in .text("good") }
            }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 4 << 20 })
            let error = try await failure(of: session, server.request("/fault"))
            #expect(error.code == fault.code, "\(error)")
            #expect(error.request == "GET \(server.url("/fault").absoluteString)")
            for _ in 0..<(isSlowRun ? 1000 : 20) {
                let response = try await session.response(for: server.request("/good"))
                #expect(response.body == Data("good".utf8))
            }
        }

        @Test(arguments: [
            Fault("chunked trailers", .other, .chunked([Data("ok".utf8)], trailers: ["X-A": "1"])),
            Fault("drip", .other, LoopbackResponse.text("ok").fault(.drip(bytes: 1, every: .milliseconds(5)))),
            Fault("slow head", .other, LoopbackResponse.text("ok").fault(.dripHead(bytes: 10, every: .milliseconds(2)))),
            Fault("delay", .other, LoopbackResponse.text("ok").delayed(by: .milliseconds(50))),
            Fault("closed after the response", .other, LoopbackResponse.text("ok").closeAfter()),
            Fault("100 header lines", .other, LoopbackResponse.text("ok").fault(.headerLines(count: 100))),
            Fault("a header line of 50 KB", .other, LoopbackResponse.text("ok").fault(.headerLine(bytes: 50_000))),
        ])
        func `what is legal, if odd, is a response`(fault: Fault) async throws {
            let server = try LoopbackServer { _ in fault.response }
            let session = CurlSessionManager()
            for _ in 0..<3 {
                let response = try await session.response(for: server.request("/"))
                #expect(response.body == Data("ok".utf8))
            }
        }

        @Test func `a refused connection says so, at once`() async throws {
            let server = try LoopbackServer { _ in .text("") }
            let request = server.request("/")
            server.stop()
            let error = try await failure(of: CurlSessionManager(), request)
            #expect(error.code == .cannotConnect && error.phase == .connect && error.isConnectivity && error.isRetryable)
        }

        @Test func `an unknown host is a failed name lookup`() async throws {
            let url = try #require(URL(string: "http://no-such-host.invalid/"))
            let error = try await failure(of: CurlSessionManager(), NetworkRequest(url: url))
            #expect(error.code == .nameLookupFailed && error.phase == .nameLookup && error.isConnectivity)
        }

        @Test(arguments: [LoopbackListenerBehavior.closeOnAccept, .resetOnAccept])
        func `a server that hangs up is a lost connection`(behavior: LoopbackListenerBehavior) async throws {
            let server = try LoopbackServer(configuration: LoopbackServerConfiguration(behavior: behavior)) { _ in .text("") }
            let error = try await failure(of: CurlSessionManager(), server.request("/"))
            // A reset may come while the connection is still being made.
            #expect(error.isConnectivity && error.phase != .nameLookup, "\(error)")
        }

        @Test func `a compressed bomb stops at the limit, counted after decompression`() async throws {
            // 100 MB of zeros in some 100 KB.
            let bomb = try gzippedZeros()
            let server = try LoopbackServer { _ in LoopbackResponse(headers: ["Content-Encoding": "gzip"], body: bomb) }
            let error = try await failure(of: CurlSessionManager(), server.request("/"))
            #expect(
                error.code == .bodyTooLarge && error.message.contains("67108864") && error.message.contains("maximumBodyBytes"))
        }

        @Test func `a body that just fits the limit comes whole`() async throws {
            let server = try LoopbackServer { request in .data(Data(count: Int(request.path.dropFirst()) ?? 0)) }
            let session = CurlSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 100_000 })
            #expect(try await session.response(for: server.request("/100000")).body.count == 100_000)
            #expect(try await failure(of: session, server.request("/100001")).code == .bodyTooLarge)
        }

        /// 100 MB of zeros through gzip: a coder nobody here wrote.
        private func gzippedZeros() throws -> Data {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["sh", "-c", "head -c 100000000 /dev/zero | gzip -c"]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return data
        }
    }
#endif
