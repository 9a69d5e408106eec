#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// Informational responses (RFC 9110 §15.2) are reported to the request before its response is returned.
    @Suite(.timeLimit(.minutes(10))) struct InformationalResponseTests {
        /// What is reported for a request: informational responses, and then the outcome.
        private func reports(
            _ request: NetworkRequest, _ session: SocketSessionManager = SocketSessionManager(), _ face: Face = .whole
        ) async -> [String] {
            let reports = Locked<[String]>([])
            var request = request
            request.onInformationalResponse = { response in
                let fields = response.headers.fields.map { "\($0.name)=\($0.value)" }
                reports.withLock { $0.append(([String(response.statusCode)] + fields).joined(separator: " ")) }
            }
            let outcome = await face.outcome(of: session, for: request).words
            return reports.withLock(\.self) + [outcome]
        }

        @Test(arguments: Face.allCases) func `every status but 100 and 101 is reported, with its own fields`(face: Face)
            async throws
        {
            let server = try RawServer { connection in
                while let head = try connection.head() {
                    _ = try connection.body(of: head)
                    try connection.send(
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 x\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\nLink: </b>\r\n c\r\n"
                            + "Content-Length: 5\r\nX: \u{E9}\r\n\r\nHTTP/1.0 199 x\nA: 1\n\n" + WireRuleTests.ok("done"))
                }
            }
            let session = SocketSessionManager()
            for _ in 0..<2 {
                let reports = await reports(server.request("/", method: .post, body: Data("a".utf8)), session, face)
                #expect(reports == ["102", "103 Link=</a> Link=</b> c Content-Length=5 X=é", "199 A=1", "200 done"])
            }
            #expect(server.connections == 1)
        }

        @Test func `a response split at any byte is reported in the same way`() async throws {
            let text = "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 104 x\r\nB: 2\r\n\r\n" + WireRuleTests.ok("x")
            let bytes = Array(text.utf8)
            let place = Locked(0)
            let server = try RawServer { connection in
                while try connection.head() != nil {
                    let cut = place.withLock(\.self)
                    try connection.send(Array(bytes[..<cut]))
                    if cut % 7 == 0 { connection.flush() }
                    try connection.send(Array(bytes[cut...]))
                }
            }
            let session = SocketSessionManager()
            for cut in 0...bytes.count {
                place.withLock { $0 = cut }
                #expect(await reports(server.request("/"), session) == ["103 Link=</a>", "104 B=2", "200 x"], "cut at \(cut)")
            }
        }

        @Test func `an informational response is reported while the final one is not there yet`() async throws {
            let received = Watched(0)
            let server = try RawServer { connection in
                guard try connection.head() != nil else { return }
                try connection.send("HTTP/1.1 103 Early\r\n\r\n")
                _ = connection.waitForBytes(50_000)
                try connection.send(WireRuleTests.ok("x"))
            }
            var request = server.request("/")
            request.onInformationalResponse = { _ in received.withLock { $0 += 1 } }
            let task = Task { [request] in try await SocketSessionManager().response(for: request) }
            await received.wait { $0 == 1 }
            task.cancel()
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }

        @Test func `those before and after a redirect are reported`() async throws {
            let server = try RawServer.responding { request, _ in
                guard request.target == "/from" else { return "HTTP/1.1 103 x\r\nB: 2\r\n\r\n" + WireRuleTests.ok("there") }
                return "HTTP/1.1 103 x\r\nA: 1\r\n\r\nHTTP/1.1 307 x\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n"
            }
            #expect(await reports(server.request("/from")) == ["103 A=1", "103 B=2", "200 there"])
        }

        @Test func `64 are reported, more are an error, and 101 is refused`() async throws {
            let server = try RawServer.responding { request, _ in
                if request.target == "/101" { return "HTTP/1.1 103 x\r\n\r\nHTTP/1.1 101 x\r\n\r\n" }
                let count = Int(request.target.dropFirst()) ?? 0
                return String(repeating: "HTTP/1.1 103 x\r\n\r\n", count: count) + WireRuleTests.ok("x")
            }
            #expect(await reports(server.request("/64")) == [String](repeating: "103", count: 64) + ["200 x"])
            #expect(await reports(server.request("/65")) == [String](repeating: "103", count: 64) + ["headersTooLarge"])
            #expect(await reports(server.request("/101")) == ["103", "malformedResponse"])
        }

        @Test func `the closure may send requests through the same session manager`() async throws {
            let server = try RawServer.responding { request, _ in
                (request.target == "/" ? "HTTP/1.1 103 x\r\n\r\n" : "") + WireRuleTests.ok(request.target)
            }
            let session = SocketSessionManager()
            let ends = Watched<[String]>([])
            var request = server.request("/")
            request.onInformationalResponse = { [server] _ in
                session.response(for: server.request("/inner")) { result in
                    ends.withLock { $0.append((try? result.get()).map { String(decoding: $0.data, as: UTF8.self) } ?? "failed") }
                }
            }
            #expect(try await session.response(for: request).data == Data("/".utf8))
            await ends.wait { $0 == ["/inner"] }
        }

        @Test func `a description has no secret`() {
            let response = InformationalResponse(statusCode: 103, headers: ["Link": "</a>", "Set-Cookie": "a=secret-1234"])
            #expect("\(response)".contains("103") && !"\(response)".contains("secret-1234"))
        }
    }
#endif
