#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    // Which heads are accepted, and how they are parsed.
    extension WireRuleTests {
        /// Creates a server that responds to `/good` with a valid response, and to other requests with these bytes and the end of
        /// the connection.
        private func server(_ bytes: String) throws -> RawServer {
            try RawServer { connection in
                while let request = try connection.request() {
                    guard request.target != "/good" else {
                        try connection.send(Self.ok("good"))
                        continue
                    }
                    try connection.send(bytes)
                    connection.finish()
                    connection.drain()
                    return
                }
            }
        }

        @Test(arguments: [
            "HTTP/1.1 200 OK\r\n\tX: y\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 200 OK\r\n X: y\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\r\n \r\nContent-Length: 2\r\n\r\nok",
        ])
        func `a folded first field line is refused or skipped every time (RFC 9112 §2.2)`(
            bytes: String
        ) async throws {
            let server = try server(bytes)
            let session = SocketSessionManager()
            for _ in 0..<10 {
                do throws(TransportError) {
                    // libcurl before 8.1.2 keeps a pointer to the last field line of the previous response, and writes to that
                    // memory.
                    let before = try await session.response(for: server.request("/good"))
                    let response = try await session.response(for: server.request("/"))
                    #expect(before.data == Data("good".utf8))
                    #expect(response.data == Data("ok".utf8) && response.headers["X"] == nil)
                } catch {
                    #expect(error.code == .malformedResponse, "\(error)")
                }
            }
            #expect(try await session.response(for: server.request("/good")).data == Data("good".utf8))
        }

        @Test func `a folded line is appended to the previous one after a space (RFC 9112 §5.2)`() async throws {
            let server = try server("HTTP/1.1 200 OK\r\nX-A: one\r\n \t two\r\n\tthree\r\nContent-Length: 2\r\n\r\nok")
            let response = try await SocketSessionManager().response(for: server.request("/"))
            #expect(response.headers["X-A"] == "one two three" && response.data == Data("ok".utf8))
        }

        static let endlessHeads = [
            "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nX-Long: ", "HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX-Folded: a\r\n",
            "HTTP/1.1 103 Early Hints\r\n",
        ]

        @Test(arguments: zip(endlessHeads, ["X-A: b\r\n", "aaaaaaaa", "aaaaaaaa", " fold\r\n", "X-A: b\r\n"]))
        func `a head that never ends is too large, and the error names the limit`(start: String, more: String) async throws {
            let server = try RawServer { connection in
                _ = try connection.request()
                try connection.send(start)
                let block = String(repeating: more, count: 1_000)
                while true { try connection.send(block) }
            }
            let configuration = SessionConfiguration {
                $0.maximumHeaderBytes = 64 << 10
                $0.maximumHeaderFields = 1 << 20
            }
            let error = try await failure(of: SocketSessionManager(configuration: configuration), server.request("/"))
            #expect(error.code == .headersTooLarge && error.message.contains("maximumHeaderBytes"), "\(error)")
            #expect(server.connections == 1)
        }

        @Test func `an endless sequence of interim responses is a typed error`() async throws {
            let server = try RawServer { connection in
                _ = try connection.request()
                let block = String(repeating: "HTTP/1.1 103 Early Hints\r\nX-A: b\r\n\r\n", count: 1_000)
                while true { try connection.send(block) }
            }
            let error = try await failure(of: SocketSessionManager(), server.request("/"))
            #expect([.headersTooLarge, .malformedResponse].contains(error.code), "\(error)")
        }

        @Test func `trailers that never end are too large`() async throws {
            let server = try RawServer { connection in
                _ = try connection.request()
                try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n")
                let block = String(repeating: "X-A: b\r\n", count: 1_000)
                while true { try connection.send(block) }
            }
            let error = try await failure(of: SocketSessionManager(), server.request("/"))
            #expect(error.code == .headersTooLarge && error.message.contains("maximumHeaderFields"), "\(error)")
        }

        @Test func `a head of 200 KB in one line fits the default limit`() async throws {
            let server = try server(Self.ok("ok", "X-Long: \(String(repeating: "a", count: 200_000))\r\n"))
            let response = try await SocketSessionManager().response(for: server.request("/"))
            #expect(response.headers["X-Long"]?.utf8.count == 200_000)
        }

        @Test func `a trailer line that looks like a status line does not start a new head`() async throws {
            let server = try server(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nHTTP/1.1 500 Bad: x\r\nX-A: b\r\n\r\n")
            do throws(TransportError) {
                let response = try await SocketSessionManager().response(for: server.request("/"))
                #expect(response.statusCode == 200 && response.data == Data("ok".utf8))
                #expect(response.headers["X-A"] == nil && response.headers["Transfer-Encoding"] == "chunked")
            } catch {
                #expect(error.code == .malformedResponse, "\(error)")
            }
        }

        @Test func `a field value never contains a bare CR (RFC 9112 §2.2)`() async throws {
            let server = try server(Self.ok("ok", "X-A: one\rtwo\r\n"))
            do throws(TransportError) {
                let response = try await SocketSessionManager().response(for: server.request("/"))
                #expect(response.headers["X-A"]?.utf8.contains(0x0D) == false)
            } catch {
                #expect(error.code == .malformedResponse, "\(error)")
            }
        }

        @Test func `a line without a colon is malformed, and the error mentions the field line (RFC 9112 §5)`() async throws {
            let server = try server(Self.ok("ok", "X-A: b\r\nno colon here\r\nX-C: d\r\n"))
            let error = try await failure(of: SocketSessionManager(), server.request("/"))
            #expect(error.code == .malformedResponse && error.message.contains("field line"), "\(error)")
        }

        @Test func `lines may end with a bare LF (RFC 9112 §2.2)`() async throws {
            let server = try server("HTTP/1.1 200 OK\nX-A: b\nContent-Length: 2\n\nok")
            let response = try await SocketSessionManager().response(for: server.request("/"))
            #expect(response.headers["X-A"] == "b" && response.data == Data("ok".utf8))
        }

        @Test(arguments: ["X\u{0}: a", "X: a\u{0}b", "Content-Length : 2", "Content-Length: 2, 3", "Content-Length: +2"])
        func `an ambiguous response is refused, and its connection is not reused`(line: String)
            async throws
        {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    let isGood = request.target == "/good"
                    try connection.send(isGood ? Self.ok("good") : "HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 2\r\n\r\nok")
                }
            }
            let session = SocketSessionManager()
            #expect(try await failure(of: session, server.request("/")).code == .malformedResponse)
            #expect(try await session.response(for: server.request("/good")).data == Data("good".utf8))
            #expect(server.connectionNumbers == [0, 1])
        }

        @Test func `the connection is closed after a response with both a length and chunks (RFC 9112 §6.3)`() async throws {
            let server = try RawServer { connection in
                while let request = try connection.request() {
                    guard request.target == "/both" else {
                        try connection.send(Self.ok("good"))
                        continue
                    }
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
                }
            }
            let session = SocketSessionManager()
            do throws(TransportError) {
                let response = try await session.response(for: server.request("/both"))
                #expect(response.data == Data("ok".utf8))
            } catch {
                #expect(error.code == .malformedResponse, "\(error)")
            }
            #expect(try await session.response(for: server.request("/good")).data == Data("good".utf8))
            #expect(server.connectionNumbers == [0, 1])
        }

        @Test func `a body whose announced length exceeds the limit is refused when the head is received`() async throws {
            let server = try RawServer { connection in
                guard try connection.request() != nil else { return }
                try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n")
                connection.drain()
            }
            let session = SocketSessionManager(configuration: SessionConfiguration { $0.maximumBodyBytes = 100_000 })
            let request = server.request("/", timeouts: RequestTimeouts(idle: .seconds(30)))
            let error = try await failure(of: session, request)
            #expect(error.code == .bodyTooLarge && error.message.contains("maximumBodyBytes"), "\(error)")
        }
    }

    // Requests as they are sent.
    extension WireRuleTests {
        @Test func `the request target is sent byte for byte`() async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x")) }
            }
            let session = SocketSessionManager()
            let targets = [
                "/%2e/a", "/%2E/a", "/a/%2e%2e/b", "/a/./b/../c", "//a", "/%c3%A9", "/?", "/?a=%2e&&b", "/a;b=1,2",
                "/%41~!$'()*+",
            ]
            for target in targets { _ = try await session.response(for: server.request(target)) }
            #expect(server.targets == targets)
        }

        @Test func `a field whose value has only spaces is sent`() async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x")) }
            }
            _ = try await SocketSessionManager().response(for: server.request("/", headers: ["X-Spaces": "   ", "X-Last": "1"]))
            let request = try #require(server.arrivals.first?.request)
            #expect(request["x-spaces"]?.allSatisfy { $0 == " " } == true && request["x-last"] == "1")
        }

        @Test func `a request head of 2 MB is sent or is an invalid request`() async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x")) }
            }
            let request = server.request("/", headers: ["X-Large": String(repeating: "a", count: 2_000_000)])
            do throws(TransportError) {
                _ = try await SocketSessionManager().response(for: request)
                #expect(server.arrivals.first?.request["x-large"]?.utf8.count == 2_000_000)
            } catch {
                #expect(error.code == .invalidRequest, "\(error)")
            }
        }

        @Test func `a range request does not accept a content coding (RFC 9110 §14.2)`() async throws {
            let server = try RawServer { connection in
                while try connection.request() != nil { try connection.send(Self.ok("x")) }
            }
            let session = SocketSessionManager()
            _ = try await session.response(for: server.request("/", headers: ["Range": "bytes=0-9"]))
            _ = try await session.response(for: server.request("/"))
            let codings = server.arrivals.map { $0.request["accept-encoding"] }
            #expect(codings.first == .some(nil) || codings.first == "identity")
            #expect(codings.last??.contains("gzip") == true)
        }
    }
#endif
